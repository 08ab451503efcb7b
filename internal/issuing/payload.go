package issuing

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// IssuanceOwned are the payload fields that have an attribute, or that only the
// service may set.
var IssuanceOwned = map[string]string{
	"integrationId": "The attribute `integration_id` is for it.",
	"issue":         "The attribute `issue` is for it.",
	"status":        "Only the service sets it (the specification forbids it in issuing requests).",
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

// Differences lists in what a payload and an invoice of the service certainly
// differ. Only what both sides know is compared.
func Differences(payload json.RawMessage, model string, v *einvoice.Invoice) []string {
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
