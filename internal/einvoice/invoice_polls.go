package einvoice

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// fewestSharing is how many invoices must be waited for before a list is asked
	// about them: it costs one request, and one more to be believed.
	fewestSharing = 3

	// pollLife is how long what a list said of invoices in process is used.
	pollLife = time.Second

	// pollsUnread is how many polls in a row may go by the list alone. It may lag
	// behind the invoice, and does not show one that was rejected before it got its
	// date.
	pollsUnread = 1

	// pollRest is how long no list is asked for after one that did not help.
	pollRest = 30 * time.Second
)

// invoicePolls answers the polls of all invoices of one model that are waited
// for. Where several are, one page of the list tells of all that were authorized
// since the first of them was sent, and costs one request instead of one each.
//
// The list is asked only for good news. Authorized is the one status that is
// taken from it, and only after an invoice that was read both ways was the same;
// an invoice that the list shows in any other new status is read by id. One that
// it does not show, or shows as before, is still in process as far as this poll
// goes, but not for more than pollsUnread polls in a row, so that a list that is
// wrong costs time and nothing else.
type invoicePolls struct {
	client *Client
	model  string
	now    func() time.Time

	mu       sync.Mutex
	followed map[string]*followedInvoice // by id in lower case
	reading  chan struct{}               // closed when the list has been read; nil when it is not being read
	judging  chan struct{}               // closed when an invoice has been read to judge the list; nil when none is
	news     map[string]*answer          // by id in lower case
	asked    time.Time                   // when news was asked for
	came     time.Time                   // when it came
	rest     time.Time                   // no list before
	believed bool
	poor     bool // entries of the list lack members
}

type followedInvoice struct {
	since  time.Time // when it was first followed
	sent   Text      // date-time at the service
	unread int       // polls in a row that went by the list
}

// FollowInvoice tells that an invoice is waited for, so that PollInvoice can share
// requests with the others that are. The function that it returns ends that.
func (c *Client) FollowInvoice(model string, v *Invoice) (end func()) {
	p := c.polls[model]
	if p == nil {
		return func() {}
	}
	id := strings.ToLower(string(v.ID))
	sent := v.EffectiveDate
	if sent == "" {
		sent = v.IssuedOn
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.followed[id] = &followedInvoice{since: p.now(), sent: sent}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.followed, id)
	}
}

// PollInvoice looks whether an invoice that is waited for has moved on from v, and
// returns it as it is, or v again where nothing tells of a change. It goes behind
// other requests of this process, for half a minute at most, so that polls do not
// hold up what is still to be sent. Errors are those of Invoice.
func (c *Client) PollInvoice(ctx context.Context, model string, v *Invoice) (*Invoice, error) {
	p := c.polls[model]
	if p == nil {
		return c.Invoice(ctx, model, string(v.ID))
	}
	step, entry := p.choose(ctx, v)
	switch step {
	case pollUnmoved:
		return v, nil
	case pollListed:
		if authorized, err := invoiceFrom(entry); err == nil {
			return authorized, nil
		}
	case pollByID, pollToJudge:
	}
	req := aboutInvoice(http.MethodGet, model, string(v.ID))
	req.last = true
	a, err := c.do(ctx, req)
	if err == nil && a.object == nil {
		err = a.bad("the answer holds no invoice")
	}
	if step == pollToJudge {
		p.judge(a, entry, err)
	}
	if err != nil {
		p.unread(v)
		return nil, err
	}
	return invoiceFrom(a)
}

// pollStep is how a poll is answered.
type pollStep int

const (
	pollByID    pollStep = iota
	pollUnmoved          // the list has no news of the invoice
	pollListed           // it is authorized, as the list shows it
	pollToJudge          // by id, to judge the list, in which it is authorized
)

// choose asks the list about an invoice.
func (p *invoicePolls) choose(ctx context.Context, v *Invoice) (pollStep, *answer) {
	id := strings.ToLower(string(v.ID))
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followed[id]
	for f != nil && ctx.Err() == nil {
		switch {
		case p.poor, p.now().Before(p.rest), len(p.followed) < fewestSharing:
			return pollByID, nil
		case !p.current(f):
			p.ask(ctx)
			continue
		}
		entry := p.news[id]
		if entry != nil {
			shown, err := invoiceFrom(entry)
			switch {
			case err != nil:
				return pollByID, nil
			case shown.Status == "authorized" && p.believed:
				return pollListed, entry
			case shown.Status == "authorized" && p.judging == nil:
				p.judging = make(chan struct{})
				return pollToJudge, entry
			case shown.Status == "authorized":
				p.await(ctx, p.judging)
				continue
			case shown.Status != v.Status || !reflect.DeepEqual(shown.ProcessingDetail, v.ProcessingDetail):
				return pollByID, nil
			}
		}
		if f.unread >= pollsUnread {
			f.unread = 0
			return pollByID, nil
		}
		f.unread++
		return pollUnmoved, nil
	}
	return pollByID, nil
}

// await waits with the mutex free.
func (p *invoicePolls) await(ctx context.Context, done <-chan struct{}) {
	p.mu.Unlock()
	defer p.mu.Lock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// current tells whether what the list said is about this invoice and fresh.
func (p *invoicePolls) current(f *followedInvoice) bool {
	return p.news != nil && !p.asked.Before(f.since) && p.now().Sub(p.came) <= pollLife
}

// ask reads one page of the list, or waits until another has. The caller holds
// the mutex, which is free meanwhile.
func (p *invoicePolls) ask(ctx context.Context) {
	if p.reading != nil {
		p.await(ctx, p.reading)
		return
	}
	reading := make(chan struct{})
	p.reading = reading
	asked, start := p.now(), p.earliest()
	p.mu.Unlock()
	news := p.page(ctx, start)
	p.mu.Lock()
	p.reading = nil
	p.news, p.asked, p.came = news, asked, p.now()
	if news == nil && ctx.Err() == nil {
		p.rest = p.came.Add(pollRest)
	}
	close(reading)
}

// earliest is when the first of the followed invoices was sent, by the service's
// clock; "" when that is not known of each.
func (p *invoicePolls) earliest() Text {
	var first Text
	var at time.Time
	for _, f := range p.followed {
		sent, err := time.Parse(time.RFC3339, string(f.sent))
		if err != nil {
			return ""
		}
		if first == "" || sent.Before(at) {
			first, at = f.sent, sent
		}
	}
	return first
}

// page reads the invoices since start by their ids in lower case; nil when they
// are more than one page, or cannot be read.
func (p *invoicePolls) page(ctx context.Context, start Text) map[string]*answer {
	if start == "" {
		return nil
	}
	req := invoiceCall(http.MethodGet, p.model)
	req.last = true
	req.query = url.Values{"effectiveDateStart": {string(start)}, "page": {"1"}, "pageSize": {strconv.Itoa(pageSize)}}
	a, err := p.client.do(ctx, req)
	if err != nil {
		return nil
	}
	list, failure := pageFrom(a)
	if failure != nil || !list.paged || list.cost() != 1 {
		return nil
	}
	news := map[string]*answer{}
	for _, raw := range list.items {
		news[strings.ToLower(textOf(membersOf(raw)["id"]))] = a.item(raw)
	}
	return news
}

// unread makes the next poll go by id too: this one told nothing.
func (p *invoicePolls) unread(v *Invoice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.followed[strings.ToLower(string(v.ID))]; f != nil {
		f.unread = pollsUnread
	}
}

// judge compares an entry of the list with the invoice read by id, and lets
// those go on who wait for the verdict.
func (p *invoicePolls) judge(a, entry *answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.judging)
	p.judging = nil
	if err != nil {
		return
	}
	switch compareObjects(a.object, entry.object) {
	case objectsEqual:
		p.believed = true
	case objectsDiffer:
		p.rest = p.now().Add(pollRest)
	case objectsShorter:
		p.poor = true
	}
}
