package einvoice

import (
	"cmp"
	"context"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// fewestSharing is how many invoices must be followed before a list is read
	// for them: it costs one request, and one more to be trusted.
	fewestSharing = 3

	// pageLife is how long a page of followed invoices is used.
	pageLife = time.Second

	// pageRest is how long no page is read after one that did not help.
	pageRest = time.Minute
)

// invoicePolls lets the polls of all followed invoices of one model share one page of the list: those that were sent
// since the first of them. The page may say that an invoice has not changed, by showing it so or not at all. The next
// poll then reads it by id, because a list may lag, and does not show an invoice that was rejected before it got its
// date. An authorized invoice is taken from the page, once one that was read both ways was the same.
type invoicePolls struct {
	client *Client
	model  string
	now    func() time.Time

	turn    turn      // held while the page is read or compared, and for these three
	readAt  time.Time // of the page
	rest    time.Time // no page is read before
	trusted bool      // an invoice that was read both ways was the same

	mu       sync.Mutex
	followed map[string]*followedInvoice // by id in lower case
	page     map[string]*Invoice         // by id in lower case; nil for none
}

type followedInvoice struct {
	from time.Time // before it was sent, by the service's clock; zero where that is not known
	byID bool      // the next poll must read it by id
}

func newInvoicePolls(c *Client, model string) *invoicePolls {
	return &invoicePolls{
		client: c, model: model, now: time.Now, turn: newTurn(), followed: map[string]*followedInvoice{},
	}
}

// FollowInvoice says that an invoice is waited for, so that PollInvoice can share a page
// with others. The page begins this long before it was sent. end ends the following.
func (c *Client) FollowInvoice(model string, v *Invoice, before time.Duration) (end func()) {
	p := c.polls[model]
	if p == nil {
		return func() {}
	}
	followed := &followedInvoice{}
	if at, err := time.Parse(time.RFC3339, string(cmp.Or(v.EffectiveDate, v.IssuedOn))); err == nil {
		followed.from = at.Add(-before)
	}
	id := strings.ToLower(string(v.ID))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.followed[id] = followed
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.followed, id)
	}
}

// PollInvoice returns an invoice that is waited for as it is now, or v again where nothing
// shows a change. It lets other requests of this process go first, for half a minute at
// most, so that polls do not delay what is still to be sent. Errors are those of Invoice.
func (c *Client) PollInvoice(ctx context.Context, model string, v *Invoice) (*Invoice, error) {
	p := c.polls[model]
	if p == nil {
		return c.Invoice(ctx, model, string(v.ID))
	}
	if current := p.look(ctx, v); current != nil {
		return current, nil
	}
	return p.read(ctx, v)
}

// ListedBeside returns the other invoices of the page under the integrationId of one that
// was followed. looked is false where no page showed the invoice itself under it.
func (c *Client) ListedBeside(model string, v *Invoice) (others []*Invoice, looked bool) {
	p := c.polls[model]
	if p == nil || v.IntegrationID == "" {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, shown := range p.page {
		switch {
		case !SameClientID(shown.IntegrationID, v.IntegrationID):
		case SameID(shown.ID, v.ID):
			looked = true
		default:
			others = append(others, shown)
		}
	}
	if !looked {
		return nil, false
	}
	return others, true
}

// look returns an invoice as the page shows it, and nil for one that is to be read by
// id. It reads the first that is authorized both ways, to compare the page with it.
func (p *invoicePolls) look(ctx context.Context, v *Invoice) *Invoice {
	if p.turn.take(ctx) != nil {
		return nil
	}
	defer p.turn.end()
	id := strings.ToLower(string(v.ID))
	if !p.isShared(id) || !p.refreshPage(ctx) {
		return nil
	}
	shown := p.page[id]
	switch {
	case shown == nil:
		return p.unchanged(id, v)
	case shown.Status == StatusAuthorized && p.trusted:
		current := *shown // The page stays as it is.
		return &current
	case shown.Status == StatusAuthorized:
		current, err := p.read(ctx, v)
		if err != nil {
			return nil
		}
		if p.trusted = sameInvoice(*current, *shown); !p.trusted {
			p.rest = p.now().Add(pageRest)
		}
		return current
	case shown.Status != v.Status || !reflect.DeepEqual(shown.ProcessingDetail, v.ProcessingDetail):
		return nil
	}
	return p.unchanged(id, v)
}

// sameInvoice reports whether two answers show the same of an invoice.
func sameInvoice(a, b Invoice) bool {
	a.Raw, b.Raw = nil, nil
	return reflect.DeepEqual(a, b)
}

// isShared reports whether the poll of an invoice may use a page.
func (p *invoicePolls) isShared(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.followed[id] != nil && len(p.followed) >= fewestSharing && !p.now().Before(p.rest)
}

// unchanged returns the invoice as it is known, for one poll; nil where the next one must read it by id.
func (p *invoicePolls) unchanged(id string, v *Invoice) *Invoice {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followed[id]
	if f == nil || f.byID {
		return nil
	}
	f.byID = true
	return v
}

// read reads an invoice by id. After a read that failed the next poll goes by id too: this one found nothing out.
func (p *invoicePolls) read(ctx context.Context, v *Invoice) (*Invoice, error) {
	req := p.client.object("get", kindInvoice(p.model), string(v.ID))
	req.last = true
	current, err := decode[Invoice](p.client.withObject(p.client.do(ctx, req)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.followed[strings.ToLower(string(v.ID))]; f != nil {
		f.byID = err != nil
	}
	return current, err
}

// refreshPage reads the page where it is too old, and reports whether there is one.
func (p *invoicePolls) refreshPage(ctx context.Context) bool {
	if p.page != nil && p.now().Sub(p.readAt) <= pageLife {
		return true
	}
	page := p.readPage(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page, p.readAt = page, p.now()
	if page == nil && ctx.Err() == nil {
		p.rest = p.readAt.Add(pageRest)
	}
	return page != nil
}

// readPage reads the invoices that were sent since the first that is followed, by their
// ids in lower case; nil when they are more than one page, or cannot be read.
func (p *invoicePolls) readPage(ctx context.Context) map[string]*Invoice {
	start := p.start()
	if start.IsZero() {
		return nil
	}
	req := p.client.list(kindInvoice(p.model))
	req.last = true
	req.query = url.Values{
		"effectiveDateStart": {start.Format(time.RFC3339Nano)}, "page": {"1"}, "pageSize": {strconv.Itoa(pageSize)},
	}
	a, err := p.client.do(ctx, req)
	if err != nil {
		return nil
	}
	list, failure := pageFrom(a)
	if failure != nil || list.isSingle || list.pages() != 1 {
		return nil
	}
	page := map[string]*Invoice{}
	for _, raw := range list.items {
		v, err := decode[Invoice](a.item(raw), nil)
		if err != nil || v.ID == "" {
			return nil
		}
		page[strings.ToLower(string(v.ID))] = v
	}
	return page
}

// start returns a time before any of the followed invoices can have been sent; zero where that is not known of each.
func (p *invoicePolls) start() (first time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.followed {
		if f.from.IsZero() {
			return time.Time{}
		}
		if first.IsZero() || f.from.Before(first) {
			first = f.from
		}
	}
	return first
}
