package einvoice

import (
	"cmp"
	"context"
	"reflect"
	"strings"
	"time"
)

const (
	// fewestSharing is how many invoices must be followed before a list is read
	// for them: it costs one request, and one more to be trusted.
	fewestSharing = 3

	// pollLife is how long a list of followed invoices is used.
	pollLife = time.Second
)

type followedInvoice struct {
	from time.Time // before it was sent, by the service's clock; zero where that is not known
	byID bool      // the next poll must read it by id
}

// FollowInvoice says that an invoice is waited for, so that PollInvoice can share a list
// with others. The list begins this long before it was sent. end ends the following.
func (c *Client) FollowInvoice(model string, v *Invoice, before time.Duration) (end func()) {
	lists := c.listsOf(model)
	if lists == nil {
		return func() {}
	}
	followed := &followedInvoice{}
	if at, err := time.Parse(time.RFC3339, string(cmp.Or(v.EffectiveDate, v.IssuedOn))); err == nil {
		followed.from = at.Add(-before)
	}
	id := strings.ToLower(string(v.ID))
	lists.mu.Lock()
	defer lists.mu.Unlock()
	lists.followed[id] = followed
	return func() {
		lists.mu.Lock()
		defer lists.mu.Unlock()
		delete(lists.followed, id)
	}
}

// PollInvoice returns an invoice that is waited for as it is now, or v again where nothing
// shows a change. It lets other requests of this process go first, for half a minute at
// most, so that polls do not delay what is still to be sent. Errors are those of Invoice.
func (c *Client) PollInvoice(ctx context.Context, model string, v *Invoice) (*Invoice, error) {
	lists := c.listsOf(model)
	if lists == nil {
		return c.Invoice(ctx, model, string(v.ID))
	}
	if current := lists.poll(ctx, v); current != nil {
		return current, nil
	}
	return lists.readLast(ctx, v)
}

// ListedBeside returns the other invoices under the integrationId of one that was followed, from the list of those.
// looked is false where that did not show the invoice itself.
func (c *Client) ListedBeside(ctx context.Context, model string, v *Invoice) (others []*Invoice, looked bool) {
	lists := c.listsOf(model)
	if lists == nil || v.IntegrationID == "" {
		return nil, false
	}
	return lists.beside(ctx, v, func() *shown { return lists.recent })
}

// poll returns an invoice as the list of the followed ones shows it, and nil for one that is to be read by id: all
// followed invoices share what is dated since the first of them. An entry may say that an invoice has not changed, by
// showing it so or not at all. The next poll then reads it by id, because a list may lag, and does not show an invoice
// that was rejected before it got its date. An authorized one is taken from the list, once one that was read both ways
// was the same.
func (c *listCache) poll(ctx context.Context, v *Invoice) *Invoice {
	if c.turn.take(ctx) != nil {
		return nil
	}
	defer c.turn.end()
	id := strings.ToLower(string(v.ID))
	if !c.isShared(id) || !c.readRecent(ctx) {
		return nil
	}
	entry := c.recent.entries[id]
	if entry == nil {
		return c.unchanged(id, v)
	}
	shown, err := decode[Invoice](entry, nil)
	switch {
	case err != nil:
		return nil
	case shown.Status == StatusAuthorized && c.isProven:
		return shown
	case shown.Status == StatusAuthorized:
		current, err := c.readLast(ctx, v)
		if err != nil {
			return nil
		}
		if c.isProven = sameInvoice(*current, *shown); !c.isProven {
			c.rest = c.now().Add(listLife)
		}
		return current
	case shown.Status != v.Status || !reflect.DeepEqual(shown.ProcessingDetail, v.ProcessingDetail):
		return nil
	}
	return c.unchanged(id, v)
}

// sameInvoice reports whether two answers show the same of an invoice.
func sameInvoice(a, b Invoice) bool {
	a.Raw, b.Raw = nil, nil
	return reflect.DeepEqual(a, b)
}

// isShared reports whether the poll of an invoice may use a list.
func (c *listCache) isShared(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.followed[id] != nil && len(c.followed) >= fewestSharing && !c.now().Before(c.rest)
}

// unchanged returns the invoice as it is known, for one poll; nil where the next one must read it by id.
func (c *listCache) unchanged(id string, v *Invoice) *Invoice {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.followed[id]
	if f == nil || f.byID {
		return nil
	}
	f.byID = true
	return v
}

// readLast reads an invoice by id, after the other requests that wait. After a read that failed the next poll goes by
// id too: this one found nothing out.
func (c *listCache) readLast(ctx context.Context, v *Invoice) (*Invoice, error) {
	req := c.client.object("get", c.kind, string(v.ID))
	req.last = true
	current, err := decode[Invoice](c.client.withObject(c.client.do(ctx, req)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.followed[strings.ToLower(string(v.ID))]; f != nil {
		f.byID = err != nil
	}
	return current, err
}

// readRecent reads what is dated since the first followed invoice, where what was read is too old, and reports whether
// there is such a list. It reads as many pages as there are followed invoices: their reads by id would cost as much.
func (c *listCache) readRecent(ctx context.Context) bool {
	if c.recent != nil && c.now().Sub(c.recent.done) <= pollLife {
		return true
	}
	c.recent = nil
	if since, followed := c.start(); !since.IsZero() {
		list := c.client.list(c.kind)
		list.last = true
		from := span{from: since.Format(time.RFC3339Nano)}
		c.recent, _ = c.show(ctx, list, from, func(pages int) bool { return pages <= followed })
	}
	if c.recent != nil && !c.recent.isAlone && c.recent.incomplete == nil {
		return true
	}
	c.recent = nil
	if ctx.Err() == nil {
		c.rest = c.now().Add(listLife)
	}
	return false
}

// start returns a time before any of the followed invoices can have been sent, zero where that is not known of each,
// and how many there are.
func (c *listCache) start() (first time.Time, followed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.followed {
		if f.from.IsZero() {
			return time.Time{}, 0
		}
		if first.IsZero() || f.from.Before(first) {
			first = f.from
		}
	}
	return first, len(c.followed)
}
