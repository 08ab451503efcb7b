package issuing

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// issuingBody is the request body: the payload, byte for byte as it is configured,
// with what the attributes say.
func issuingBody(payload json.RawMessage, integrationID string, issue bool) (json.RawMessage, error) {
	body, err := jsontree.With(payload, jsontree.Text(integrationID), "integrationId")
	if err == nil && !issue {
		body, err = jsontree.With(body, json.RawMessage("false"), "issue")
	}
	if err != nil {
		return nil, fmt.Errorf("payload_json: %w", err)
	}
	return body, nil
}

// Differences lists in what a payload and an invoice of the service certainly
// differ. Only what both sides know is compared.
func Differences(payload json.RawMessage, model string, v *einvoice.Invoice) []Difference {
	var found []Difference
	if v.Model != "" && string(v.Model) != model {
		found = append(found, Difference{"model", model, string(v.Model)})
	}
	value, err := jsontree.Decode(payload)
	if err != nil {
		return found
	}
	amount, ok := jsontree.Member(value, "total", "invoiceAmount").(json.Number)
	if ok && v.Amount != nil && *v.Amount != 0 && !sameAmount(amount, float64(*v.Amount)) {
		found = append(found, Difference{"amount", amount.String(), fmt.Sprint(float64(*v.Amount))})
	}
	receiver, ok := jsontree.Member(value, "receiver", "federalTaxNumber").(string)
	if ok && v.Receiver != nil && v.Receiver.FederalTaxNumber != "" && fiscal.NormalizeTaxNumber(receiver) != fiscal.NormalizeTaxNumber(string(v.Receiver.FederalTaxNumber)) {
		found = append(found, Difference{"receiver", receiver, string(v.Receiver.FederalTaxNumber)})
	}
	return found
}

// sameAmount compares to a tenth of a cent: the two sides may have come
// through binary fractions.
func sameAmount(a json.Number, b float64) bool {
	x, err := a.Float64()
	return err == nil && math.Abs(x-b) < 0.001
}
