package einvoice

import (
	"context"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// fewestSharing is how many invoices must be followed before a list is asked
	// about them: it costs one request, and one more to be trusted.
	fewestSharing = 3

	// pageLife is how long a page of invoices in process is used.
	pageLife = time.Second

	// firstRest is how long no list is asked for after one that did not help, and
	// twice as long after each further one.
	firstRest = 30 * time.Second
)

// invoicePolls answers the polls of all invoices of one model that are followed.
// Where several are, one page of the list holds all that were sent since the first
// of them, and costs one request instead of one each.
//
// The page may say that an invoice is as its follower knows it, by showing it so or
// not at all. That goes for one poll: the next one goes by id, because a list may
// lag, and does not show an invoice that was rejected before it got its date. An
// invoice in another status is read by id too, with one exception, which halves
// what many invoices cost: an authorized one is taken from the list, once one that
// was read both ways was the same.
type invoicePolls struct {
	client *Client
	model  string
	now    func() time.Time

	mu       sync.Mutex
	followed map[string]*followedInvoice // by id in lower case
	page     map[string]*answer          // by id in lower case; nil for none
	asked    time.Time                   // when the page was asked for
	came     time.Time                   // when it came
	pause    time.Duration               // after the last page that did not help
	rest     time.Time                   // no page before

	reading   chan struct{} // held while the page is read
	comparing chan struct{} // held while an invoice is read to compare the page with it
	trusted   bool          // an invoice read both ways was the same; guarded by comparing
}

type followedInvoice struct {
	since  time.Time     // when it was first followed
	sent   Text          // date-time at the service
	before time.Duration // how much earlier another runner may have sent it too
	byID   bool          // the next poll must read it
}

func newInvoicePolls(c *Client, model string) *invoicePolls {
	return &invoicePolls{client: c, model: model, now: time.Now, followed: map[string]*followedInvoice{}, reading: make(chan struct{}, 1), comparing: make(chan struct{}, 1)}
}

// FollowInvoice says that an invoice is waited for, so that PollInvoice can share
// requests with the others that are. A page that they share begins so long before it
// was sent. The function that it returns ends that.
func (c *Client) FollowInvoice(model string, v *Invoice, before time.Duration) (end func()) {
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
	p.followed[id] = &followedInvoice{since: p.now(), sent: sent, before: before}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.followed, id)
	}
}

// PollInvoice looks whether an invoice that is waited for has moved on from v, and
// returns it as it is, or v again where nothing shows a change. It goes behind
// other requests of this process, for half a minute at most, so that polls do not
// hold up what is still to be sent. Errors are those of Invoice.
func (c *Client) PollInvoice(ctx context.Context, model string, v *Invoice) (*Invoice, error) {
	p := c.polls[model]
	if p == nil {
		return c.Invoice(ctx, model, string(v.ID))
	}
	authorized, unchanged := p.look(ctx, v)
	switch {
	case unchanged:
		return v, nil
	case authorized == nil:
		return p.read(ctx, v)
	}
	return p.compared(ctx, v, authorized)
}

// ListedBeside returns the invoices under the integrationId of one that was
// followed, that the page shows beside it. looked is false where no page showed the
// invoice itself, so that nothing is known.
func (c *Client) ListedBeside(model string, v *Invoice) (others []*Invoice, looked bool) {
	p := c.polls[model]
	if p == nil || v.IntegrationID == "" {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page[strings.ToLower(string(v.ID))] == nil {
		return nil, false
	}
	for _, entry := range p.page {
		other, err := invoiceFrom(entry)
		if err != nil {
			return nil, false
		}
		if !SameID(other.ID, v.ID) && SameClientID(other.IntegrationID, v.IntegrationID) {
			others = append(others, other)
		}
	}
	return others, true
}

// look finds an invoice in the page. It returns one that is authorized there, and
// whether the page shows no change.
func (p *invoicePolls) look(ctx context.Context, v *Invoice) (authorized *Invoice, unchanged bool) {
	id := strings.ToLower(string(v.ID))
	page := p.current(ctx, id)
	if page == nil {
		return nil, false
	}
	if entry := page[id]; entry != nil {
		shown, err := invoiceFrom(entry)
		switch {
		case err != nil:
			return nil, false
		case shown.Status == "authorized":
			return shown, false
		case shown.Status != v.Status || !reflect.DeepEqual(shown.ProcessingDetail, v.ProcessingDetail):
			return nil, false
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followed[id]
	if f == nil || f.byID {
		return nil, false
	}
	f.byID = true
	return nil, true
}

// current returns a fresh page that an invoice would be in, nil where there is
// none to be had.
func (p *invoicePolls) current(ctx context.Context, id string) map[string]*answer {
	page, stale := p.held(id)
	if !stale {
		return page
	}
	select {
	case p.reading <- struct{}{}:
		defer func() { <-p.reading }()
	case <-ctx.Done():
		return nil
	}
	if page, stale = p.held(id); stale {
		page = p.ask(ctx)
	}
	return page
}

// held returns the page, or that it is to be read anew.
func (p *invoicePolls) held(id string) (page map[string]*answer, stale bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followed[id]
	if f == nil || len(p.followed) < fewestSharing || p.now().Before(p.rest) {
		return nil, false
	}
	if p.page == nil || p.asked.Before(f.since) || p.now().Sub(p.came) > pageLife {
		return nil, true
	}
	return p.page, false
}

// compared returns an invoice that the page shows as authorized. Until the page is
// trusted one invoice at a time is read, to compare the page with it.
func (p *invoicePolls) compared(ctx context.Context, v, authorized *Invoice) (*Invoice, error) {
	select {
	case p.comparing <- struct{}{}:
	case <-ctx.Done():
		return p.read(ctx, v)
	}
	if trusted, resting := p.trusted, p.resting(); trusted || resting {
		<-p.comparing
		if trusted {
			return authorized, nil
		}
		return p.read(ctx, v)
	}
	defer func() { <-p.comparing }()
	current, err := p.read(ctx, v)
	if err == nil {
		p.trusted = compareObjects(current.Raw, authorized.Raw) == objectsEqual
		if !p.trusted {
			p.restNow()
		}
	}
	return current, err
}

// read reads an invoice by id. After a read that failed the next poll goes by id
// too: this one found nothing out.
func (p *invoicePolls) read(ctx context.Context, v *Invoice) (*Invoice, error) {
	req := p.client.aboutInvoice("get_invoice", p.model, string(v.ID))
	req.last = true
	current, err := one(invoiceFrom)(shown(p.client.do(ctx, req)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.followed[strings.ToLower(string(v.ID))]; f != nil {
		f.byID = err != nil
	}
	return current, err
}

// ask reads the page.
func (p *invoicePolls) ask(ctx context.Context) map[string]*answer {
	asked := p.now()
	page := p.sentSince(ctx, p.earliest())
	p.mu.Lock()
	p.page, p.asked, p.came = page, asked, p.now()
	p.mu.Unlock()
	if page == nil && ctx.Err() == nil {
		p.restNow()
	}
	return page
}

func (p *invoicePolls) resting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Before(p.rest)
}

// restNow makes every poll go by id for a while.
func (p *invoicePolls) restNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pause = max(firstRest, 2*p.pause)
	p.rest = p.now().Add(p.pause)
}

// earliest is before any of the followed invoices can have been sent, by whoever, by the
// service's clock; "" when that is not known of each.
func (p *invoicePolls) earliest() Text {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first time.Time
	for _, f := range p.followed {
		sent, err := time.Parse(time.RFC3339, string(f.sent))
		if err != nil {
			return ""
		}
		if sent = sent.Add(-f.before); first.IsZero() || sent.Before(first) {
			first = sent
		}
	}
	if first.IsZero() {
		return ""
	}
	return Text(first.Format(time.RFC3339Nano))
}

// sentSince reads the invoices since start by their ids in lower case; nil when
// they are more than one page, or cannot be read.
func (p *invoicePolls) sentSince(ctx context.Context, start Text) map[string]*answer {
	if start == "" {
		return nil
	}
	req := p.client.operation("list_invoices", modelWords[p.model])
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
	page := map[string]*answer{}
	for _, raw := range list.items {
		page[strings.ToLower(idOf(raw))] = a.item(raw)
	}
	return page
}
