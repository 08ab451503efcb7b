package message

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// correctKey says what to do about the key of another company than argument names.
func correctKey(argument string) string {
	return "Correct the key in `company_keys` of the provider, or `api_key` where the company is not in it; " +
		"or correct `" + argument + "`."
}

// OtherCompanysKey is the error of a key that is known to be another company's than the one
// that argument names. Nothing was sent. label names the invoice or order, or is "".
func OtherCompanysKey(argument, label, company, holder string) diag.Diagnostics {
	summary := "The key is another company's: " + cmp.Or(label, fiscal.FormatTaxNumber(company))
	return ErrorAt(argument, summary, fmt.Sprintf(
		"`%s` is %s, but the key that would be used is the one of %s, as the service shows. Nothing was sent.",
		argument, fiscal.FormatTaxNumber(company), fiscal.FormatTaxNumber(holder)), correctKey(argument))
}

// OtherIssuer is the error of an invoice or an order of another company than the issuer. sent
// says that this run has sent it.
func OtherIssuer(label, thing, id, status, issuer, holder string, sent bool) diag.Diagnostics {
	happened := fmt.Sprintf("`issuer` is %s, but the service shows the %s %s (status %q) as one of %s: "+
		"the key in use is that company's.",
		fiscal.FormatTaxNumber(issuer), thing, id, status, fiscal.FormatTaxNumber(holder))
	next := "Nothing was sent. " + correctKey("issuer")
	if sent {
		happened += " No earlier answer had shown the owner of the key."
		next = "Cancel it at the service, where the law allows it: it is a legal document of the other company. " +
			correctKey("issuer") + " Then apply again."
	}
	return ErrorAt("issuer", "Issued by another company: "+label, happened, next)
}

// IssuerStays is the error of another company for something that was issued already.
func IssuerStays(label, thing, held, wanted, instead string) diag.Diagnostics {
	return ErrorAt("issuer", "Another company has issued "+label, fmt.Sprintf(
		"The company %s has issued it, but `issuer` is %s now. The company of %s cannot change.", held, wanted, thing),
		strings.TrimSpace("Write the former company again. "+instead)+" To forget this one, remove its block.")
}
