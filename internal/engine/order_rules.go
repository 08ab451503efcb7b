package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// The states that an order begins and ends with are assumed.
var (
	beginnings = []string{"created", "awaitingPayment"}
	endings    = []string{"canceled", "refunded", "expired", "refused", "deleted"}
)

// isOver reports whether nothing can be issued from an order any more.
func isOver(order *einvoice.Order) bool { return slices.Contains(endings, string(order.Status)) }

// IssuesByItself reports whether the service issues an order's invoices within minutes: a warranty ends later.
func IssuesByItself(mode, status string) bool {
	return mode == einvoice.IssueImmediately || mode == einvoice.IssueAfterPayment && status == einvoice.OrderApproved
}

// IsReplaced reports whether a failed invoice has another one of its model in its place. To issue it again would make
// two of one sale, or bring back what a person has canceled.
func IsReplaced(invoices []*einvoice.Invoice, v *einvoice.Invoice) bool {
	return HasFailed(v) && slices.ContainsFunc(invoices, func(other *einvoice.Invoice) bool {
		return !einvoice.SameID(other.ID, v.ID) && other.Model == v.Model &&
			(!HasFailed(other) || IsRejected(v) && !IsRejected(other))
	})
}

// OrderDifferences lists in what a wanted order and one of the service differ, as far as both sides know. The service
// may write a text in another case.
func OrderDifferences(wanted, held *einvoice.Order) (found []Difference) {
	text := func(of string, a, b einvoice.Text) {
		if a != "" && b != "" && fiscal.FoldPlace(string(a)) != fiscal.FoldPlace(string(b)) {
			found = append(found, Difference{of, string(a), string(b)})
		}
	}
	number := func(of string, a, b *einvoice.Number) {
		if a != nil && b != nil && !sameMoney(float64(*a), float64(*b)) {
			found = append(found, Difference{of, fmt.Sprint(float64(*a)), fmt.Sprint(float64(*b))})
		}
	}
	number("amount", wanted.Amount, held.Amount)
	if a, b := wanted.Customer, held.Customer; a != nil && b != nil {
		if fiscal.NormalizeTaxNumber(string(a.FederalTaxNumber)) != fiscal.NormalizeTaxNumber(string(b.FederalTaxNumber)) {
			text("customer", einvoice.Text(a.FederalTaxNumber), einvoice.Text(b.FederalTaxNumber))
		}
		text("name of the customer", a.Name, b.Name)
		text("email of the customer", a.Email, b.Email)
		if a, b := a.Address, b.Address; a != nil && b != nil {
			text("street of the customer", a.Street, b.Street)
			text("number in the street of the customer", a.Number, b.Number)
		}
	}
	if len(wanted.Items) == len(held.Items) {
		for n := range wanted.Items {
			a, b, item := &wanted.Items[n], &held.Items[n], fmt.Sprintf("of item %d", n+1)
			number("quantity "+item, a.Quantity, b.Quantity)
			number("price "+item, a.Price, b.Price)
			if a.Product != nil && b.Product != nil {
				text("product code "+item, a.Product.Code, b.Product.Code)
			}
		}
	}
	a, b := string(wanted.AutoIssueMode), string(held.AutoIssueMode)
	if a != b && slices.Contains(einvoice.AutoIssueModes, a) && slices.Contains(einvoice.AutoIssueModes, b) {
		found = append(found, Difference{"auto_issue_mode", a, b})
	}
	return found
}

// Complete reads the invoices of an order that which reports, and puts them in the place of the three fields that the
// order shows. One that is not found stays as the order shows it. The error is that of the first read that fails.
func Complete(
	ctx context.Context, client *einvoice.Client, order *einvoice.Order, which func(*einvoice.Invoice) bool,
) error {
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

// completed returns an invoice as its own read shows it, with what only the order shows.
func completed(full, inOrder *einvoice.Invoice) *einvoice.Invoice {
	full.Model, full.Status = cmp.Or(full.Model, inOrder.Model), cmp.Or(full.Status, inOrder.Status)
	return full
}

// LacksNumber reports whether an invoice without a number may have one at the service.
func LacksNumber(v *einvoice.Invoice) bool {
	return v.Meaning().Numbered && (v.Number == nil || v.AccessKey == "")
}
