package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// The states that an order begins and ends with are assumed.
var (
	beginnings = []string{"created", "awaitingPayment"}
	endings    = []string{"canceled", "refunded", "expired", "refused", "deleted"}
)

// IssuesByItself is the specification's rule of autoIssueMode, as far as a wait
// of minutes is concerned: a warranty ends later.
func IssuesByItself(mode, status string) bool {
	return mode == einvoice.IssueImmediately || mode == einvoice.IssueAfterPayment && status == einvoice.OrderApproved
}

// IsReplaced tells that a failed invoice has another one of its model in its
// place. It does not count then: issuing it again would make two of one sale, or
// bring one back that a person has canceled.
func IsReplaced(invoices []*einvoice.Invoice, v *einvoice.Invoice) bool {
	return HasFailed(v) && slices.ContainsFunc(invoices, func(other *einvoice.Invoice) bool {
		return !einvoice.SameID(other.ID, v.ID) && other.Model == v.Model && (!HasFailed(other) || IsRejected(v) && !IsRejected(other))
	})
}

// OrderDifferences lists in what a wanted order and one of the service certainly
// differ. Only what both sides know is compared.
func OrderDifferences(wanted, held *einvoice.Order) []Difference {
	var found []Difference
	if a, b := wanted.Amount, held.Amount; a != nil && b != nil && !sameMoney(float64(*a), float64(*b)) {
		found = append(found, Difference{Of: "amount", Wanted: fmt.Sprint(float64(*a)), Held: fmt.Sprint(float64(*b))})
	}
	if a, b := wanted.Customer, held.Customer; a != nil && b != nil && a.FederalTaxNumber != "" && b.FederalTaxNumber != "" &&
		fiscal.NormalizeTaxNumber(string(a.FederalTaxNumber)) != fiscal.NormalizeTaxNumber(string(b.FederalTaxNumber)) {
		found = append(found, Difference{Of: "customer", Wanted: string(a.FederalTaxNumber), Held: string(b.FederalTaxNumber)})
	}
	if a, b := string(wanted.AutoIssueMode), string(held.AutoIssueMode); a != b && slices.Contains(einvoice.AutoIssueModes, a) && slices.Contains(einvoice.AutoIssueModes, b) {
		found = append(found, Difference{Of: "auto_issue_mode", Wanted: a, Held: b})
	}
	return found
}

// sameMoney compares to a tenth of a cent: the two sides may have come through
// binary fractions.
func sameMoney(a, b float64) bool { return math.Abs(a-b) < 0.001 }

// Complete puts those of an order's invoices that which says, as their own reads show
// them, in the place of the three fields that the order shows. One that is not found
// stays as the order shows it. The error is that of the first read that fails.
func Complete(ctx context.Context, client *einvoice.Client, order *einvoice.Order, which func(*einvoice.Invoice) bool) error {
	for n, v := range order.Invoices {
		if !which(v) {
			continue
		}
		full, err := client.Invoice(ctx, string(v.Model), string(v.ID))
		switch {
		case errors.Is(err, einvoice.ErrNotFound):
		case err != nil:
			return err
		default:
			order.Invoices[n] = completed(full, v)
		}
	}
	return nil
}

// completed is an invoice as its own read shows it, with what only the order tells.
func completed(full, shown *einvoice.Invoice) *einvoice.Invoice {
	full.Model, full.Status = cmp.Or(full.Model, shown.Model), cmp.Or(full.Status, shown.Status)
	return full
}

// LacksNumber tells that an invoice without a number may have one at the service.
func LacksNumber(v *einvoice.Invoice) bool {
	switch string(v.Status) {
	case einvoice.StatusCreated, einvoice.StatusEnqueued, einvoice.StatusReceived:
		return false
	}
	return v.Number == nil || v.AccessKey == ""
}
