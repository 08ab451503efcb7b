package provider

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// issuanceOwned are the payload fields that have an attribute, or that only the
// service may set.
var issuanceOwned = map[string]string{
	"integrationId": "The attribute `integration_id` is for it.",
	"issue":         "The attribute `issue` is for it.",
	"status":        "Only the service sets it (the specification forbids it in issuing requests).",
}

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
	for _, field := range []string{"integrationId", "issue", "status"} {
		if _, ok := payload[field]; ok {
			diags.AddAttributeError(at, "Field that does not belong in the payload",
				fmt.Sprintf("`payload_json` holds %q. %s Take it out of `payload_json`.", field, issuanceOwned[field]))
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

// issuingBody is the request body: the payload with what the attributes say.
func issuingBody(payload json.RawMessage, integrationID string, issue bool) (json.RawMessage, error) {
	// Decoded only one level deep, so that every value is sent as it is written.
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(payload, &fields); err != nil {
		return nil, fmt.Errorf("payload_json: %w", err)
	}
	id, err := json.Marshal(integrationID)
	if err != nil {
		return nil, fmt.Errorf("integration_id: %w", err)
	}
	fields["integrationId"] = id
	if !issue {
		fields["issue"] = json.RawMessage("false")
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("payload_json: %w", err)
	}
	return body, nil
}

// differences lists in what a payload and an invoice of the service certainly
// differ. Only what both sides know is compared.
func differences(payload json.RawMessage, model string, v *einvoice.Invoice) []string {
	var found []string
	if v.Model != "" && string(v.Model) != model {
		found = append(found, fmt.Sprintf("model: %s in the configuration, %s at the service", model, v.Model))
	}
	value, err := jsontree.Decode(payload)
	if err != nil {
		return found
	}
	if amount, ok := jsontree.Member(value, "total", "invoiceAmount").(json.Number); ok && v.Amount != nil && *v.Amount != 0 {
		if !sameAmount(amount, float64(*v.Amount)) {
			found = append(found, fmt.Sprintf("amount: %s in `payload_json`, %v at the service", amount, float64(*v.Amount)))
		}
	}
	if receiver, ok := jsontree.Member(value, "receiver", "federalTaxNumber").(string); ok && v.Receiver != nil && v.Receiver.FederalTaxNumber != "" {
		if !attribute.TaxNumberSpelling.Same(receiver, string(v.Receiver.FederalTaxNumber)) {
			found = append(found, fmt.Sprintf("receiver: %s in `payload_json`, %s at the service", receiver, v.Receiver.FederalTaxNumber))
		}
	}
	return found
}

// sameAmount compares to a tenth of a cent: the two sides may have come
// through binary fractions.
func sameAmount(a json.Number, b float64) bool {
	x, err := a.Float64()
	return err == nil && math.Abs(x-b) < 0.001
}
