package einvoice

import (
	"context"
	"errors"
	"strings"
	"time"
)

// findMissing looks for an object that its read by id did not find.
type findMissing func(ctx context.Context, id string, readErr error) (*answer, error)

// Refresh reads an object whose id is known, and shares the list of its kind with other such reads: see listCache.
// isKnown reports whether an object is as the caller has it; one that is listed otherwise is read by id.
func Refresh[T any, P object[T]](
	ctx context.Context, c *Client, of Kind, id string, isKnown func(*T) bool,
) (*T, error) {
	lists := c.lists[of]
	return refresh[T, P](ctx, lists, id, span{}, isKnown, lists.prove)
}

// RefreshInvoice reads an invoice that the caller knows as v. It returns nil, without an error, where an entry of a
// list has its status and isKnown reports that it shows nothing new. A final invoice shares lists with other such
// reads: see listCache. Every other one is read by id. Errors are those of Invoice.
func (c *Client) RefreshInvoice(
	ctx context.Context, model string, v *Invoice, isKnown func(entry *Invoice) bool,
) (*Invoice, error) {
	lists := c.listsOf(model)
	if lists == nil || !v.Meaning().Final {
		return c.Invoice(ctx, model, string(v.ID))
	}
	unchanged := false
	isSame := func(entry *Invoice) bool {
		unchanged = entry.Status == v.Status && isKnown(entry)
		return unchanged
	}
	held, err := refresh(ctx, lists, string(v.ID), monthOf(v), isSame, nil)
	if unchanged {
		return nil, nil //nolint:nilnil // The contract: as it is known.
	}
	return held, err
}

func refresh[T any, P object[T]](
	ctx context.Context, c *listCache, id string, month span, isKnown func(*T) bool, missing findMissing,
) (*T, error) {
	return decode[T, P](c.get(ctx, id, month, func(entry *answer) bool {
		v, err := decode[T, P](entry, nil)
		return err == nil && isKnown(v)
	}, missing))
}

// get returns the entry of an object in the list where isKnown accepts it, and else reads the object by its id. What
// that does not find missing looks for; nil does not.
func (c *listCache) get(
	ctx context.Context, id string, month span, isKnown func(*answer) bool, missing findMissing,
) (*answer, error) {
	l := c.listOf(month)
	l.asked.Add(1)
	if err := c.lock(ctx, id); err != nil {
		return nil, err
	}
	s := c.current(l)
	if c.sample == nil && s == nil {
		defer c.turn.end() // The others wait for the sample.
		a, err := c.client.byID(ctx, c.kind, id)
		return c.learn(ctx, l, id, a, err, missing)
	}
	if s == nil {
		c.tryReading(ctx, l, func() bool { return l.isWorthReading() && !l.isTooLong() })
		s = l.shown
	}
	var entry *answer
	if s != nil && s.isTrusted {
		entry = s.entries[strings.ToLower(id)]
	}
	c.turn.end()
	switch {
	case l != c.listOf(month): // That of all turned out to be too long.
		return c.get(ctx, id, month, isKnown, missing)
	case entry != nil && isKnown(entry):
		return entry, nil
	}
	a, err := c.client.byID(ctx, c.kind, id)
	if lockErr := c.lock(ctx, id); lockErr != nil {
		return nil, lockErr
	}
	defer c.turn.end()
	return c.learn(ctx, l, id, a, err, missing)
}

// lock takes the turn. Its error is that of a read that was not sent.
func (c *listCache) lock(ctx context.Context, id string) error {
	if err := c.turn.take(ctx); err != nil {
		return c.client.refuse(c.client.object("get", c.kind, id), err)
	}
	return nil
}

// learn compares the list with an object that was read by its id, and looks for one that
// was not found. The caller holds the turn.
func (c *listCache) learn(
	ctx context.Context, l *list, id string, a *answer, err error, missing findMissing,
) (*answer, error) {
	if err == nil {
		c.sample = a
		c.compare(l.shown)
	}
	if missing == nil || !isNotFound(err) {
		return a, err
	}
	return missing(ctx, id, err)
}

// prove finds out from the list what a 404 or 405 to the read of an object means. A list
// that does not show all that it counts is read once more. The caller holds the turn.
func (c *listCache) prove(ctx context.Context, id string, readErr error) (*answer, error) {
	all := c.all()
	s := c.current(all)
	for attempt := range 2 {
		if s == nil || attempt > 0 {
			if err := c.readList(ctx, all, func() bool { return true }); err != nil {
				return nil, c.client.unlisted(ctx, c.kind, err, readErr)
			}
			s = all.shown
		}
		if entry := s.entries[strings.ToLower(id)]; entry != nil {
			s.isTrusted = s.isTrusted || c.sample == nil // Nothing is read by id to compare it with.
			entry.listed = true
			return entry, nil
		}
		if s.incomplete == nil {
			return nil, c.absent(ctx, s, readErr)
		}
	}
	return nil, c.client.unlisted(ctx, c.kind, s.incomplete, readErr)
}

// absent is the error of an object that a complete list lacks. It is an [ErrOnlyUnlisted]
// too, unless another object shows that the service reads them by their ids.
func (c *listCache) absent(ctx context.Context, s *shown, readErr error) error {
	err := gone(readErr)
	for id := range s.entries {
		if c.sample == nil && !s.isProbed {
			c.sample, _ = c.client.byID(ctx, c.kind, id)
			s.isProbed = true
		}
		break
	}
	switch {
	case c.sample != nil:
		return err
	case s.isAlone:
		return missingOperation("get_"+c.kind.One, readErr)
	}
	return altered(err, func(e *Error) { e.Err = errors.Join(e.Err, ErrOnlyUnlisted) })
}

// recentlyIssued is how long after its date an invoice may be looked up by its integrationId
// although no list is read: whoever has issued a second one did so about the same time.
const recentlyIssued = 24 * time.Hour

// Beside returns the other invoices under the integrationId of one that was refreshed
// which are or may become valid. It looks in the list that the refresh has read. Where
// there is none, the first invoice of a run that was issued recently costs a request of its own.
func (c *Client) Beside(ctx context.Context, model string, v *Invoice) (beside []*Invoice) {
	lists := c.listsOf(model)
	if lists == nil || v.IntegrationID == "" {
		return nil
	}
	isOther := func(other *Invoice) bool {
		mayBeValid := other.Meaning().Live && other.Status != "" // An entry without a status proves nothing.
		return SameClientID(other.IntegrationID, v.IntegrationID) && !SameID(other.ID, v.ID) && mayBeValid
	}
	others, isRead := lists.beside(ctx, v, func() *shown { return lists.listOf(monthOf(v)).shown })
	for _, other := range others {
		if isOther(other) {
			beside = append(beside, other)
		}
	}
	day, _ := ParseTime(string(v.IssuedOn))
	if isRead || lists.now().Sub(day) > recentlyIssued || lists.looked.Swap(true) {
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

// beside returns the other entries under the name of an invoice that a list has shown. isShown is whether it has shown
// the invoice itself under it.
func (c *listCache) beside(ctx context.Context, v *Invoice, in func() *shown) (others []*Invoice, isShown bool) {
	if c.turn.take(ctx) != nil {
		return nil, false
	}
	defer c.turn.end()
	s := in()
	if s == nil {
		return nil, false
	}
	for _, entry := range s.named[nameKey(string(v.IntegrationID))] {
		other, err := decode[Invoice](entry, nil)
		switch {
		case err != nil:
			return nil, false
		case SameID(other.ID, v.ID):
			isShown = true
		default:
			others = append(others, other)
		}
	}
	return others, isShown
}
