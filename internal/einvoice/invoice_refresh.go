package einvoice

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// longList is the most pages that the list of all invoices is read with. Where it
	// has more, the lists of months are read.
	longList = 15

	// monthWorth is how many pages of a month are read for each of its invoices, because
	// those of one month rarely come alone.
	monthWorth = 2
)

// invoiceSnapshots has a snapshot of all invoices of one model where they are few, and else one of each month, by the
// effective date: an account has invoices of many years, and a workspace those of a few months.
type invoiceSnapshots struct {
	all    *snapshot
	looked atomic.Bool // a request of its own looked for a second invoice

	mu     sync.Mutex
	months map[string]*snapshot
}

func newInvoiceSnapshots(c *Client, model string) *invoiceSnapshots {
	all := newSnapshot(c, kindInvoice(model))
	all.partial, all.mostPages = true, longList
	return &invoiceSnapshots{all: all, months: map[string]*snapshot{}}
}

// RefreshInvoice reads an invoice that the caller knows as v. It returns nil, without an error, where an entry of a
// list has its status and isKnown reports that it shows nothing new. A final invoice shares lists with other such
// reads: see snapshot. Every other one is read by id. Errors are those of Invoice.
func (c *Client) RefreshInvoice(
	ctx context.Context, model string, v *Invoice, isKnown func(entry *Invoice) bool,
) (*Invoice, error) {
	snapshots := c.invoices[model]
	if snapshots == nil || !v.Meaning().Final {
		return c.Invoice(ctx, model, string(v.ID))
	}
	unchanged := false
	isSame := func(entry *Invoice) bool {
		unchanged = entry.Status == v.Status && isKnown(entry)
		return unchanged
	}
	held, err := refresh(ctx, snapshots.all, string(v.ID), isSame, nil)
	if month := snapshots.month(v); errors.Is(err, errTooLong) && month != nil {
		held, err = refresh(ctx, month, string(v.ID), isSame, nil)
	}
	if errors.Is(err, errTooLong) {
		return c.Invoice(ctx, model, string(v.ID))
	}
	if unchanged {
		return nil, nil //nolint:nilnil // The contract: as it is known.
	}
	return held, err
}

// month returns the snapshot of the month of an invoice; nil where that of all invoices
// is to be used, or the date is not known.
func (r *invoiceSnapshots) month(v *Invoice) *snapshot {
	day, ok := ParseTime(string(cmp.Or(v.EffectiveDate, v.IssuedOn)))
	if !ok || !r.all.isTooLong() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	begin := time.Date(day.UTC().Year(), day.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	name := begin.Format("2006-01")
	if r.months[name] == nil {
		month := newSnapshot(r.all.client, r.all.kind)
		month.now, month.partial, month.pagesPerRefresh = r.all.now, true, monthWorth
		// A day more at each end: the zone in which the service compares is not known.
		month.filter = url.Values{
			"effectiveDateStart": {begin.AddDate(0, 0, -1).Format(time.RFC3339)},
			"effectiveDateEnd":   {begin.AddDate(0, 1, 1).Format(time.RFC3339)},
		}
		r.months[name] = month
	}
	return r.months[name]
}

func (r *invoiceSnapshots) written() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.writes.Add(1)
	for _, month := range r.months {
		month.writes.Add(1)
	}
}

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
		mayBeValid := other.Meaning().Live && other.Status != "" // An entry without a status proves nothing.
		return SameClientID(other.IntegrationID, v.IntegrationID) && !SameID(other.ID, v.ID) && mayBeValid
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
