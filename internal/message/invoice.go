package message

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// DocumentNames are the names that people use for the models.
var DocumentNames = map[string]string{
	einvoice.ModelProduct: "NF-e", einvoice.ModelConsumer: "NFC-e", einvoice.ModelService: "NFS-e",
}

// InvoiceLabel reads "NFS-e 123 (order-1)", or "NFS-e (order-1)" while the number is unknown.
func InvoiceLabel(model, integrationID string, number types.Int64) string {
	label := cmp.Or(DocumentNames[model], "Invoice")
	if !number.IsNull() && !number.IsUnknown() {
		label += fmt.Sprintf(" %d", number.ValueInt64())
	}
	if integrationID != "" {
		label += " (" + integrationID + ")"
	}
	return label
}

// CodeAndMessage quotes the code and the message of the authority or the service.
func CodeAndMessage(p *einvoice.ProcessingDetail) string {
	if p == nil {
		return "The service gives no reason."
	}
	code := cmp.Or(OneLine(string(p.Code)), "without a code")
	if p.Message == "" {
		return "Code " + code + ", without a message."
	}
	return fmt.Sprintf("Code %s. Message of the authority or service: %s", code, Sentence(OneLine(string(p.Message))))
}

// LastStepOf reads " Last step of the processing: processing · SPD999 · no answer.",
// or nothing.
func LastStepOf(p *einvoice.ProcessingDetail) string {
	if p == nil {
		return ""
	}
	var parts []string
	for _, part := range []string{string(p.Status), string(p.Code), string(p.Message)} {
		if part = OneLine(part); part != "" && part != "success" { // The step's success may be a refusal.
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " Last step of the processing: " + Sentence(strings.Join(parts, " · "))
}

// cityCode is the code of a city's system, or of the national one, before its words.
var cityCode = regexp.MustCompile(`^\W*(E\d{1,4})\b`)

// ExplainedCode is the most telling code of a rejection. The service answers E9999 for a code
// that is not a number, and the authority's message begins with that code (specification,
// Fiscal rejections).
func ExplainedCode(p *einvoice.ProcessingDetail) string {
	if p == nil {
		return ""
	}
	code := fiscal.ExplainRejection(string(p.Code), "").Code
	inside := cityCode.FindStringSubmatch(string(p.Message))
	if code != fiscal.CodeGenericRejection || inside == nil ||
		fiscal.ExplainRejection(inside[1], "").Kind == fiscal.RejectionUnknown {
		return code
	}
	return inside[1]
}

// Rejection says who rejected an invoice of a model, why, and what to do. id is the argument
// that names the invoice, such as integration_id.
func (f Front) Rejection(code, model, id string) string {
	explained := fiscal.ExplainRejection(code, model)
	action := explained.ActionFor(id)
	if f.Running == "" { // The reader of check_status applies the resource.
		action = explained.ResourceActionFor(id)
	}
	return rejectedBy(explained) + " " + action.In(f.spoken())
}

// RejectionOfPart is Rejection for an invoice of an order, without what to run then.
func RejectionOfPart(code, model, id string) string {
	explained := fiscal.ExplainRejection(code, model)
	return strings.TrimSpace(rejectedBy(explained) + " " + explained.RemedyFor(id).In(context.Background()))
}

func rejectedBy(explained fiscal.Rejection) string {
	by := "service or the tax authority"
	switch explained.Origin {
	case fiscal.OriginAuthority:
		by = "tax authority"
	case fiscal.OriginService:
		by = "service"
	case fiscal.OriginUnknown:
	}
	if explained.Kind == fiscal.RejectionUnknown && explained.Code != "" {
		by += ", with a code that this provider does not know"
	}
	return strings.TrimSpace("Rejected by the " + by + ". " + explained.Cause.In(context.Background()))
}

// correctKey says what to do about the key of another company than argument names.
func correctKey(argument string) string {
	return "Correct the key in `company_keys` of the provider (`api_key`, if the company is not in it), " +
		"or correct `" + argument + "`."
}

// MissingIssuer is the error of what would be sent for a company that no argument names, beside company_keys. Nothing
// was sent.
func MissingIssuer(argument, label string) diag.Diagnostics {
	return ErrorAt(argument, "Missing "+argument+": "+label, "`company_keys` of the provider has the keys of several "+
		"companies, and `"+argument+"` does not say which of them this is for. Nothing was sent: without it, the owner of "+
		"`api_key` would act.", "Set `"+argument+"` to the tax number of the company, for example "+
		"`einvoice_company.NAME.federal_tax_number`. Name the owner of `api_key` likewise.")
}

// OtherCompanysKey is the error of a key that is known to be another company's than the one
// that argument names. Nothing was sent. label names the invoice or order, or is "".
func OtherCompanysKey(argument, label, company, owner string) diag.Diagnostics {
	summary := "The key is another company's: " + cmp.Or(label, fiscal.FormatTaxNumber(company))
	return ErrorAt(argument, summary, fmt.Sprintf(
		"`%s` is %s, but the provider would use the key of %s, as the service shows. Nothing was sent.",
		argument, fiscal.FormatTaxNumber(company), fiscal.FormatTaxNumber(owner)), correctKey(argument))
}

// OtherIssuer is the error of an invoice or an order of another company than the issuer. sent
// says that this run has sent it.
func OtherIssuer(label, thing, id, status, issuer, owner string, sent bool) diag.Diagnostics {
	happened := fmt.Sprintf("`issuer` is %s, but the service shows the %s %s (status %q) as one of %s: "+
		"the key in use is that company's.",
		fiscal.FormatTaxNumber(issuer), thing, id, status, fiscal.FormatTaxNumber(owner))
	next := "Nothing was sent. " + correctKey("issuer")
	if sent {
		happened += " No earlier response had shown the owner of the key."
		next = "Cancel it at the service, if the law allows it: it is a legal document of the other company. " +
			correctKey("issuer") + " Then apply again."
	}
	return ErrorAt("issuer", "Issued by another company: "+label, happened, next)
}

// IssuerStays is the error of another company for something that was issued already.
func IssuerStays(label, thing, held, wanted, instead string) diag.Diagnostics {
	return ErrorAt("issuer", "Another company has issued "+label, fmt.Sprintf(
		"The company %s has issued it, but `issuer` is %s now. The company of %s cannot change.", held, wanted, thing),
		strings.TrimSpace("Write the former company again. "+instead)+
			" To remove this one from state and cancel nothing, use `state rm`, or a `removed` block with `destroy = false`.")
}
