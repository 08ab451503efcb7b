package einvoice

import (
	"context"
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// longList is how many pages a list of invoices may have to be read. Where it has
	// more, the lists of months do.
	longList = 10

	// monthFactor is how many reads by id each page of the list of a month must save:
	// there are many months, and nobody knows whether a second invoice of one follows.
	monthFactor = 2
)

// invoiceReads are the reads of the invoices of one model that the callers know
// already. They share lists by the rule of sharedReads, with two differences.
//
// An account has invoices of many years, and a workspace has those of a few months.
// So a list that is long is not read. The invoices of each month share a list of
// their own, which the service narrows by the effective date. Where the list of a
// month is as long as the whole, as it is at a service that ignores the dates, or
// cannot be read, no month is asked for again.
//
// What was issued changes its status, and little else. So an entry may show less than
// the invoice, but its status, and nothing otherwise. Of each entry only a hash is
// kept, because an account has many.
type invoiceReads struct {
	client *Client
	whole  *sharedReads

	mu     sync.Mutex
	months map[string]*sharedReads
	futile bool // the months do not help
}

func newInvoiceReads(c *Client, model string) *invoiceReads {
	r := &invoiceReads{client: c, whole: newSharedReads(c, invoiceRoutes[model]), months: map[string]*sharedReads{}}
	r.whole.prints, r.whole.most = true, longList
	return r
}

// RefreshInvoice reads an invoice that the caller knows as v. It returns nil, without
// an error, when the invoice is as it is known; v needs to have only what the caller
// keeps. An invoice that is settled shares lists with other such reads: see
// invoiceReads. Every other one is read by id. Errors are those of Invoice.
func (c *Client) RefreshInvoice(ctx context.Context, model string, v *Invoice) (*Invoice, error) {
	id := string(v.ID)
	r := c.invoices[model]
	if r == nil || !v.IsSettled() {
		return c.Invoice(ctx, model, id)
	}
	s := r.whole
	list, err := s.await(ctx, id)
	if month := r.month(v); err == nil && list == nil && month != nil {
		s = month
		list, err = s.await(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	if s.lists(list, v) {
		return nil, nil //nolint:nilnil // The contract: as it is known.
	}
	return one(invoiceFrom)(s.read(ctx, id))
}

// IsSettled tells that an invoice waits for nothing, by its status.
func (v *Invoice) IsSettled() bool {
	switch string(v.Status) {
	case StatusAuthorized, StatusCanceled, StatusDenied, StatusDisabled:
		return true
	}
	return false
}

// month returns the reads of the month of an invoice; nil when the whole list is to
// be used.
func (r *invoiceReads) month(v *Invoice) *sharedReads {
	date := v.EffectiveDate
	if date == "" {
		date = v.IssuedOn
	}
	day, ok := ParseTime(string(date))
	if !ok || !r.whole.isLong() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.futile {
		return nil
	}
	begin := time.Date(day.UTC().Year(), day.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	name := begin.Format("2006-01")
	month := r.months[name]
	if month == nil {
		month = newSharedReads(r.client, r.whole.route)
		month.now, month.prints, month.factor = r.whole.now, true, monthFactor
		// A day more at each end: nobody knows in which zone the service compares.
		month.filter = url.Values{
			"effectiveDateStart": {begin.AddDate(0, 0, -1).Format(time.RFC3339)},
			"effectiveDateEnd":   {begin.AddDate(0, 1, 1).Format(time.RFC3339)},
		}
		r.months[name] = month
	}
	if !month.narrows(r.whole) {
		r.futile = true
		r.whole.readAtAnyLength()
		return nil
	}
	return month
}

// all returns the reads of the whole list and of the months.
func (r *invoiceReads) all() []*sharedReads {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []*sharedReads{r.whole}
	for _, month := range r.months {
		list = append(list, month)
	}
	return list
}

// isLong reports whether the list is too long to be read.
func (s *sharedReads) isLong() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tooLong()
}

// tooLong is isLong for a caller that holds the mutex.
func (s *sharedReads) tooLong() bool { return s.most > 0 && s.pages > s.most }

func (s *sharedReads) readAtAnyLength() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = 0
}

// narrows reports whether the list is shorter than the whole, as far as is known, and
// did not fail or help nobody yet.
func (s *sharedReads) narrows(whole *sharedReads) bool {
	whole.mu.Lock()
	most := whole.pages
	whole.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages < most && s.factor == monthFactor
}

// lists reports whether a list has an invoice as v.
func (s *sharedReads) lists(list *sharedList, v *Invoice) bool {
	if list == nil || !list.prints[strings.ToLower(string(v.ID))].fits(v) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list.helped = true
	return true
}

// invoicePrint is what is kept of an entry of a list: which of the facts it shows,
// and a hash of these.
type invoicePrint struct {
	shows uint32
	sum   uint64
}

var printSeed = maphash.MakeSeed()

func printOf(v *Invoice) invoicePrint {
	p := invoicePrint{}
	facts := factsOf(v)
	for i, fact := range facts {
		if fact != "" {
			p.shows |= 1 << i
		}
	}
	p.sum = p.of(facts)
	return p
}

// of hashes those facts that the print shows. No fact holds a zero byte.
func (p invoicePrint) of(facts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(printSeed)
	for i, fact := range facts {
		if p.shows&(1<<i) != 0 {
			_, _ = h.WriteString(fact)
			_ = h.WriteByte(0)
		}
	}
	return h.Sum64()
}

// fits reports whether the entry shows the status of v, and nothing otherwise than v.
func (p invoicePrint) fits(v *Invoice) bool {
	return p.shows&1 != 0 && p.of(factsOf(v)) == p.sum
}

// factsOf are what the service decides about an invoice: first its status, and "" for
// what there is not.
func factsOf(v *Invoice) []string {
	rps, authorization, processing := valueOf(v.RPS), valueOf(v.Authorization), valueOf(v.ProcessingDetail)
	cancellation, contingency := valueOf(v.Cancellation), valueOf(v.Contingency)
	amount := ""
	if v.Amount != nil {
		amount = strconv.FormatFloat(float64(*v.Amount), 'g', -1, 64)
	}
	return []string{
		string(v.Status), digits(v.Number), string(v.Series), string(v.AccessKey), string(v.IssuedOn), string(v.EffectiveDate), amount,
		string(v.EnvironmentType), string(v.IssueType), digits(v.BatchNumber), digits(rps.Number), string(rps.Series),
		string(authorization.Date), string(authorization.Protocol), string(authorization.DigestValue),
		string(processing.Status), string(processing.Code), string(processing.Message), string(processing.On),
		string(cancellation.Date), string(cancellation.Protocol), string(cancellation.Justification),
		string(contingency.Date), string(contingency.Reason),
	}
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func digits(n *Int) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}
