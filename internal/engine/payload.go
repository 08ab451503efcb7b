package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// issuingBody returns the request body: the payload as it is configured, but for the punctuation of tax numbers and
// their like, with what the attributes say.
func issuingBody(payload json.RawMessage, integrationID string, issue bool) (json.RawMessage, error) {
	body, err := jsontree.With(fiscal.SendablePayload(payload), jsontree.Text(integrationID), "integrationId")
	if err == nil && !issue {
		body, err = jsontree.With(body, json.RawMessage("false"), "issue")
	}
	if err != nil {
		return nil, fmt.Errorf("payload_json: %w", err)
	}
	return body, nil
}

// Differences lists in what a payload and an invoice of the service differ, as far as both sides know.
func Differences(payload json.RawMessage, model string, v *einvoice.Invoice) []Difference {
	var found []Difference
	if v.Model != "" && string(v.Model) != model {
		found = append(found, Difference{"model", model, string(v.Model)})
	}
	value := decoded(payload)
	amount, held, both := amounts(value, v)
	if both && !sameMoney(amount, held) {
		found = append(found, Difference{"amount", money(amount), money(held)})
	}
	receiver, at := receivers(value, v)
	if receiver != "" && at != "" && fiscal.NormalizeTaxNumber(receiver) != fiscal.NormalizeTaxNumber(at) {
		found = append(found, Difference{"receiver", receiver, at})
	}
	return found
}

// sameMoney compares to a tenth of a cent: the two sides may have come through binary fractions.
func sameMoney(a, b float64) bool { return math.Abs(a-b) < 0.001 }

// differencesToSent lists in what an invoice differs from the payload that it answers: a service that merges may
// answer with the invoice of another machine. A sum of payments says little here, because of the change (troco).
func (i *Issuing) differencesToSent(v *einvoice.Invoice) []Difference {
	differ := Differences(i.Payload, i.Model, v)
	if jsontree.Member(decoded(i.Payload), "total", "invoiceAmount") != nil {
		return differ
	}
	return slices.DeleteFunc(differ, func(d Difference) bool { return d.Of == "amount" })
}

// Uncompared names what could not be compared of an invoice that is taken over, because one side does not show it.
// issuer is the wanted one, or "".
func Uncompared(payload json.RawMessage, issuer string, v *einvoice.Invoice) []string {
	var names []string
	if issuer != "" && (v.Company == nil || v.Company.FederalTaxNumber == "") {
		names = append(names, "issuer")
	}
	value := decoded(payload)
	if _, _, both := amounts(value, v); !both {
		names = append(names, "amount")
	}
	if receiver, held := receivers(value, v); (receiver == "") != (held == "") {
		names = append(names, "receiver")
	}
	return names
}

// decoded returns a payload to be compared; nil for one that is no JSON, or for the invoice of an order, which has
// none.
func decoded(payload json.RawMessage) any {
	value, err := jsontree.Decode(payload)
	if err != nil {
		return nil
	}
	return value
}

// amounts returns the total of a payload and that of an invoice of the service, where both are known.
func amounts(payload any, v *einvoice.Invoice) (wanted, held float64, both bool) {
	if v.Amount == nil || *v.Amount == 0 {
		return 0, 0, false
	}
	wanted, ok := total(payload)
	return wanted, float64(*v.Amount), ok
}

// besidePrice are the members of an item that change the total beside its price.
var besidePrice = [][]string{
	{"discountAmount"},
	{"freightAmount"},
	{"insuranceAmount"},
	{"othersAmount"},
	{"taxes", "ipi"},
	{"taxes", "icms", "stAmount"},
}

// total returns the amount of a payload: as it says, else the sum of what is paid, else of what is sold.
func total(payload any) (float64, bool) {
	if amount := jsontree.Member(payload, "total", "invoiceAmount"); amount != nil {
		return number(amount)
	}
	if payments, ok := jsontree.Member(payload, "payments").([]any); ok && len(payments) > 0 {
		return sum(payments, func(payment any) (float64, bool) { return number(jsontree.Member(payment, "amount")) })
	}
	items, ok := jsontree.Member(payload, "items").([]any)
	if !ok || len(items) == 0 {
		return 0, false
	}
	return sum(items, func(item any) (float64, bool) {
		for _, path := range besidePrice {
			if jsontree.Member(item, path...) != nil {
				return 0, false // The total is not the sum of the prices then.
			}
		}
		if jsontree.Member(item, "makeupTotal") == false {
			return 0, true
		}
		return number(jsontree.Member(item, "totalAmount"))
	})
}

func sum(parts []any, of func(any) (float64, bool)) (float64, bool) {
	added := 0.0
	for _, part := range parts {
		amount, ok := of(part)
		if !ok {
			return 0, false
		}
		added += amount
	}
	return added, true
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case string: // The service takes it for a number.
		f, err := json.Number(v).Float64()
		return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	}
	return 0, false
}

// money writes an amount for a person, without what binary fractions add.
func money(amount float64) string {
	return strconv.FormatFloat(math.Round(amount*1e4)/1e4, 'f', -1, 64)
}

// receivers returns the receiver's tax number in a payload and in an invoice of the service, "" where there is none.
func receivers(payload any, v *einvoice.Invoice) (wanted, held string) {
	wanted, _ = jsontree.Member(payload, "receiver", "federalTaxNumber").(string)
	if v.Receiver != nil {
		held = string(v.Receiver.FederalTaxNumber)
	}
	return wanted, held
}
