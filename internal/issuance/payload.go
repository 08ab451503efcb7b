package issuance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// payloadEnums are the words of enums inside a payload, as the specification
// shows them in reads or as they are assumed. The service decides: an unknown
// word only warns.
var payloadEnums = []struct {
	path  []string
	words []string
}{
	{[]string{"operationType"}, []string{"incoming", "outgoing"}},
	{[]string{"printingType"}, []string{"none", "portrait", "landscape", "simplified", "consumerInvoice", "electronicMessage"}},
	{[]string{"purposeType"}, []string{"normal", "complement", "adjustment", "devolution", "credit", "debit"}},
	{[]string{"issueType"}, []string{"normal", "fsia", "scan", "epec", "fsda", "svcan", "svcrs", "offLine", "website", "annfs", "alt"}},
	{[]string{"environmentType"}, []string{"production", "development", "simulation"}},
	{[]string{"taxationType"}, []string{
		"taxationInMunicipality", "taxationOutsideMunicipality", "exemption", "immune", "suspendedByCourt",
		"suspendedByAdministrativeProcedure", "exportation", "nonIncidence",
	}},
	{[]string{"taxLocation"}, []string{"companyMunicipality", "customerMunicipality", "serviceProvisionMunicipality"}},
	{[]string{"destination"}, []string{"internal", "interstate", "international"}},
}

// owned are the payload fields that have an attribute, or that only the service
// may set.
var owned = []struct{ field, why string }{
	{"integrationId", "The attribute `integration_id` is for it."},
	{"issue", "The attribute `issue` is for it."},
	{"status", "Only the service sets it (the specification forbids it in issuing requests)."},
}

// validatePayload checks what can be known of an issuing body without the
// service.
func validatePayload(text string) diag.Diagnostics {
	at := path.Root("payload_json")
	var diags diag.Diagnostics
	value, err := jsontree.Decode([]byte(text))
	if err != nil {
		return diags // The type reports text that is not JSON.
	}
	payload, ok := value.(map[string]any)
	if !ok {
		diags.AddAttributeError(at, "Invalid payload", "`payload_json` must be a JSON object: the issuing body in the service's own field names, "+
			"for example `jsonencode({ description = \"...\", total = { invoiceAmount = 100 } })`.")
		return diags
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		for _, o := range owned {
			if strings.EqualFold(name, o.field) { // A service may ignore case in names.
				diags.AddAttributeError(at, "Field that does not belong in the payload",
					fmt.Sprintf("`payload_json` holds %q. %s Take it out of `payload_json`.", name, o.why))
			}
		}
	}
	for _, enum := range payloadEnums {
		word, ok := jsontree.Member(payload, enum.path...).(string)
		if ok && !slices.Contains(enum.words, word) {
			diags.AddAttributeWarning(at, "Unusual word in the payload", fmt.Sprintf("`%s` in `payload_json` is %q. The values known here are %s; the service decides whether it takes this one.",
				strings.Join(enum.path, "."), word, strings.Join(enum.words, ", ")))
		}
	}
	return diags
}
