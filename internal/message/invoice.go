package message

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// DocumentNames are the names that people use for the models.
var DocumentNames = map[string]string{
	einvoice.ModelProduct: "NF-e", einvoice.ModelConsumer: "NFC-e", einvoice.ModelService: "NFS-e",
}

// InvoiceLabel names an invoice: "NFS-e 123 (order-1)", or "NFS-e (order-1)" while the number is unknown.
func InvoiceLabel(model, integrationID string, number types.Int64) text.Text {
	with := text.With{"document": DocumentNames[model], "name": integrationID}
	if !number.IsNull() && !number.IsUnknown() {
		with["number"] = number.ValueInt64()
	}
	return text.Of("invoice.label", with)
}

// CodeAndMessage quotes the code and the message of the authority or the service.
func CodeAndMessage(p *einvoice.ProcessingDetail) text.Text {
	if p == nil {
		return text.Of("authority.words", text.With{"known": false, "code": "", "message": ""})
	}
	return text.Of("authority.words", text.With{
		"known": true, "code": OneLine(string(p.Code)), "message": OneLine(string(p.Message)),
	})
}

// LastStepOf is the last step of the processing, such as "processing · SPD999 · no answer", or nothing.
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
	return strings.Join(parts, " · ")
}

// Rejection says who rejected an invoice, why, and what to do, which follows from who asks: see [fiscal.Rejection].
func Rejection(explained fiscal.Rejection, do text.Text) text.Text {
	return text.Of("authority.rejected", text.With{
		"origin":  string(explained.Origin),
		"unknown": explained.Kind == fiscal.RejectionUnknown && explained.Code != "",
		"cause":   explained.Cause, "do": do,
	})
}

// MissingIssuer is the error of what would be sent for a company that no argument names, beside company_keys.
// Nothing was sent.
func MissingIssuer(ctx context.Context, argument string, label any) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root(argument), "issuer.missing", text.With{"argument": argument, "label": label})
}

// OtherCompanysKey is the error of a key that is known to be another company's than the one that argument names.
// Nothing was sent. label names the invoice or order, or is nil.
func OtherCompanysKey(ctx context.Context, argument string, label any, company, owner string) diag.Diagnostics {
	company, owner = fiscal.FormatTaxNumber(company), fiscal.FormatTaxNumber(owner)
	if label == nil {
		label = company
	}
	return say.ErrorAt(ctx, path.Root(argument), "issuer.other_key", text.With{
		"argument": argument, "label": label, "company": company, "owner": owner,
	})
}

// OtherKeyCancels is the error of a cancellation with the key of another company than the one that has issued. Nothing
// was sent.
func OtherKeyCancels(ctx context.Context, label any, company, owner string) diag.Diagnostics {
	return say.Error(ctx, "issuer.cancels_by_other_key", text.With{
		"label": label, "company": fiscal.FormatTaxNumber(company), "owner": fiscal.FormatTaxNumber(owner),
	})
}

// OtherIssuer is the error of an invoice or an order of another company than the issuer. sent says that this run has
// sent it.
func OtherIssuer(
	ctx context.Context, label any, kind, id, status, issuer, owner string, sent bool,
) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root("issuer"), "issuer.other", text.With{
		"label": label, "noun": Noun(kind), "id": id, "status": status, "sent": sent, "argument": "issuer",
		"issuer": fiscal.FormatTaxNumber(issuer), "owner": fiscal.FormatTaxNumber(owner),
	})
}

// IssuerStays is the error of another company for something that was issued already. another says how to have one of
// the other company, if that is possible.
func IssuerStays(ctx context.Context, label any, kind, held, wanted string, another text.Text) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root("issuer"), "issuer.stays", text.With{
		"label": label, "noun": Noun(kind), "held": held, "wanted": wanted, "another": another,
	})
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
