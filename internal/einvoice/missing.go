package einvoice

import (
	"context"
	"errors"
	"iter"
	"net/url"
)

// missing is what a client knows of operations that the service does not have.
type missing struct {
	turn    chan struct{}   // held while it is proven, or told
	present bool            // the service is there, and knows the key
	told    map[string]bool // by operation
}

func newMissing() *missing { return &missing{turn: make(chan struct{}, 1), told: map[string]bool{}} }

// IsFirstMissing reports whether it is asked of an operation for the first time, so that
// a run warns of it once.
func (c *Client) IsFirstMissing(operation string) bool {
	c.missing.turn <- struct{}{}
	defer func() { <-c.missing.turn }()
	first := !c.missing.told[operation]
	c.missing.told[operation] = true
	return first
}

// isPresent reports whether the service is there and knows the key. A wrong address
// answers 404 to everything, so the list of customers decides, which every service has.
func (c *Client) isPresent(ctx context.Context) bool {
	select {
	case c.missing.turn <- struct{}{}:
		defer func() { <-c.missing.turn }()
	case <-ctx.Done():
		return false
	}
	if !c.missing.present {
		req := c.list(routeCustomers)
		req.query = url.Values{"pageSize": {"1"}}
		_, err := c.do(ctx, req)
		c.missing.present = err == nil || errors.Is(err, ErrForbidden)
	}
	return c.missing.present
}

// ShowsNone reports whether a read has failed because the service shows objects of this
// kind neither by their id nor in a list.
func (c *Client) ShowsNone(ctx context.Context, err error) bool {
	isUnshown := errors.Is(err, ErrUnproven) || errors.Is(err, ErrMethodNotAllowed) || errors.Is(err, ErrMissing)
	return isUnshown && c.isPresent(ctx)
}

// lacking makes an [ErrMissing] of the answer of an operation that the service does not
// have.
func lacking(operation string, err error) error {
	failure := (*Error)(nil)
	if !errors.As(err, &failure) {
		return err
	}
	absent := *failure
	absent.Missing, absent.ambiguous = operation, false
	return &absent
}

// unlessLacking makes an [ErrMissing] of the answer to a write that was not found, where
// what the operation is about is there.
func (c *Client) unlessLacking(operation string, req call, err error, isThere func() bool) error {
	if !isUnread(err) {
		return err
	}
	c.confide(req.body) // Whoever said it back once may do so again.
	if isThere() {
		return lacking(operation, err)
	}
	return err
}

// isFound reports whether a read has found what it is about.
func isFound[T any](_ T, err error) bool { return err == nil }

// isMissing reports whether a list that was not found is one that the service does not
// have. It is asked for again: one 404 of a gateway is no proof.
func (c *Client) isMissing(ctx context.Context, list iter.Seq2[*answer, error]) bool {
	if !c.isPresent(ctx) {
		return false
	}
	for _, err := range list {
		return isUnread(err)
	}
	return false
}

// offered walks a list, and ends with an [ErrMissing] where the service does not have it.
func (c *Client) offered(ctx context.Context, operation string, list iter.Seq2[*answer, error]) iter.Seq2[*answer, error] {
	return func(yield func(*answer, error) bool) {
		begun := false
		for entry, err := range list {
			if !begun && isUnread(err) && c.isMissing(ctx, list) {
				err = lacking(operation, err)
			}
			begun = true
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}
