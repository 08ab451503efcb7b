package einvoice

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// recentlyIssued is how long after its date an invoice may be looked up by its integrationId
// although no list is read: whoever has issued a second one did so about the same time.
const recentlyIssued = 24 * time.Hour

// Beside returns the other invoices under the integrationId of one that was refreshed
// which are or may become valid. It looks in the list that the refresh has read. Where
// there is none, the first invoice of a run that was issued recently costs a request of its own.
func (c *Client) Beside(ctx context.Context, model string, v *Invoice) (beside []*Invoice) {
	snapshots := c.invoices[model]
	if snapshots == nil || v.IntegrationID == "" {
		return nil
	}
	isOther := func(other *Invoice) bool {
		return SameClientID(other.IntegrationID, v.IntegrationID) && !SameID(other.ID, v.ID) && other.mayBeValid()
	}
	entries, isRead := snapshots.named(ctx, v)
	for _, a := range entries {
		if other, err := decode[Invoice](a, nil); err == nil && isOther(other) {
			beside = append(beside, other)
		}
	}
	day, _ := ParseTime(string(v.IssuedOn))
	if isRead || snapshots.all.now().Sub(day) > recentlyIssued || snapshots.looked.Swap(true) {
		return beside
	}
	// A list that cannot be read, or ignores the filter, only delays the notice.
	seen := 0
	for other, err := range c.Invoices(ctx, model, InvoiceFilter{IntegrationID: string(v.IntegrationID)}) {
		if err == nil && isOther(other) {
			beside = append(beside, other)
		}
		if seen++; err != nil || seen == pageSize {
			break
		}
	}
	return beside
}

// mayBeValid reports whether an invoice is valid or may become so by itself.
func (v *Invoice) mayBeValid() bool {
	ended := []string{StatusCreated, StatusRejected, StatusCanceled, StatusDenied, StatusDisabled, StatusRemoved, ""}
	return !slices.Contains(ended, string(v.Status))
}

// named returns the entries under the integrationId of an invoice in the list that is in
// use, and whether that has the invoice.
func (r *invoiceSnapshots) named(ctx context.Context, v *Invoice) (entries []*answer, isRead bool) {
	s := cmp.Or(r.month(v), r.all)
	if s.turn.take(ctx) != nil {
		return nil, false
	}
	defer s.turn.end()
	if s.list == nil {
		return nil, false
	}
	return s.list.named[nameKey(string(v.IntegrationID))], s.list.entries[strings.ToLower(string(v.ID))] != nil
}

func nameKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
