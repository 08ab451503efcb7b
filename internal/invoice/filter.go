package invoice

import (
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// invoiceWish is what a list of invoices is narrowed to. The zero value of each
// field narrows nothing. The service is asked for the same, but which filters
// the list of a model honours is not specified, so every one is applied here.
type invoiceWish struct {
	integrationID string
	transactionID string
	from, until   time.Time // both inclusive
	receiver      string    // tax number, in any spelling
	statuses      []string
}

func (w *invoiceWish) matches(v *einvoice.Invoice) bool {
	if w.integrationID != "" && string(v.IntegrationID) != w.integrationID {
		return false
	}
	if w.transactionID != "" && (v.Order == nil || string(v.Order.TransactionID) != w.transactionID) {
		return false
	}
	if w.receiver != "" && (v.Receiver == nil || !attribute.TaxNumberSpelling.Same(string(v.Receiver.FederalTaxNumber), w.receiver)) {
		return false
	}
	if len(w.statuses) > 0 && !slices.Contains(w.statuses, string(v.Status)) {
		return false
	}
	return w.dated(v)
}

// dated compares the date that is used as the emission date. An invoice that
// has none yet is not within any range.
func (w *invoiceWish) dated(v *einvoice.Invoice) bool {
	text := string(v.EffectiveDate)
	if text == "" {
		text = string(v.IssuedOn)
	}
	return attribute.Within(text, w.from, w.until)
}
