package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// create posts a new object to a collection.
func (c *Client) create(ctx context.Context, in any, extra json.RawMessage, route string) (*answer, error) {
	req := c.operation("create_" + collections[route].one)
	var err error
	if req.body, err = bodyOf(in, extra); err != nil {
		return nil, c.refuse(req, err)
	}
	a, err := c.do(ctx, req)
	return c.made(a, c.unlessLacking("create_"+collections[route].one, req, err, func() bool { return c.isPresent(ctx) }))
}

// shown insists that an answer holds the object it is about.
func shown(a *answer, err error) (*answer, error) {
	if err == nil && a.object == nil {
		return nil, a.bad("it holds no object with an id")
	}
	return a, err
}

// made insists that a creation was answered with the new object. Without an id
// nobody knows what was made.
func (c *Client) made(a *answer, err error) (*answer, error) {
	if err != nil || a.object != nil {
		return a, err
	}
	failure := a.bad("it holds no object with an id")
	failure.Messages, failure.Text = c.messages(a.call, a.header, a.body)
	return nil, failure
}

// update puts a whole object: a PUT may replace it. held is the object as the
// service has it, over which extra and next are laid, and a null for what only prior
// had.
func (c *Client) update(ctx context.Context, id string, held json.RawMessage, next, prior any, extra json.RawMessage, route string) (*answer, error) {
	req := c.object("update", route, id)
	var err error
	if req.body, err = overlaid(held, next, prior, extra); err != nil {
		return nil, c.refuse(req, err)
	}
	a, err := c.do(ctx, req)
	err = c.unlessLacking("update_"+collections[route].one, req, err, func() bool {
		_, readErr := c.find(ctx, id, route)
		return readErr == nil || c.ShowsNone(ctx, readErr)
	})
	if err == nil && a.object == nil {
		return c.find(ctx, id, route)
	}
	return c.whole(ctx, next, extra, a, err)
}

// whole insists that the answer to a write shows every field that was sent. One
// that does not may be short, or the service may not know the field: only reading
// the object tells. Where that fails, the answer has to do.
func (c *Client) whole(ctx context.Context, in any, extra json.RawMessage, a *answer, err error) (*answer, error) {
	if err != nil || !lacks(a.object, in, extra) {
		return a, err
	}
	id := idOf(a.object)
	read, readErr := c.byID(ctx, a.call.collection, id)
	if readErr != nil {
		return a, nil //nolint:nilerr // The write itself has succeeded.
	}
	return read, nil
}

// find reads one object of a collection, from the whole list where the service
// does not read by id. A 404 alone proves nothing: it is what a service without
// that route answers too, and taking it for "gone" would create the object again.
// Nor do two of them: that is how a wrong address answers to everything.
func (c *Client) find(ctx context.Context, id, route string) (*answer, error) {
	return c.findAmong(ctx, id, nil, route)
}

// byID reads an object of a collection.
func (c *Client) byID(ctx context.Context, route, id string) (*answer, error) {
	return shown(c.do(ctx, c.object("get", route, id)))
}

// findAmong is find with a list that is narrowed by a filter.
func (c *Client) findAmong(ctx context.Context, id string, filter url.Values, route string) (*answer, error) {
	a, readErr := c.byID(ctx, route, id)
	if !isUnread(readErr) {
		return a, readErr
	}
	return c.listed(ctx, id, filter, route, readErr)
}

// isUnread reports whether a read by id found nothing, which may be all that the
// service answers to such reads.
func isUnread(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrMethodNotAllowed)
}

// listed looks in a list for an object that its read by id did not find.
func (c *Client) listed(ctx context.Context, id string, filter url.Values, route string, readErr error) (*answer, error) {
	for entry, err := range c.objects(ctx, filter, route) {
		if err != nil {
			return nil, c.unlisted(ctx, route, err, readErr)
		}
		if SameID(idOf(entry.object), id) {
			return entry, nil
		}
	}
	return nil, gone(readErr)
}

// gone is the error of a read that was answered with 404 or 405, of an object that
// a whole list lacks.
func gone(readErr error) error {
	var failure *Error
	if !errors.As(readErr, &failure) || failure.Status == http.StatusNotFound {
		return readErr
	}
	absent := *failure
	absent.Err = errors.Join(ErrNotFound, failure.Err)
	absent.ambiguous = false
	return &absent
}

// unlisted is the error of a read that was answered with 404 or 405, and whose list
// cannot be read. It is an [ErrMissing] too where the service is there without that list.
func (c *Client) unlisted(ctx context.Context, route string, err, readErr error) error {
	unproven := unproven(err, readErr)
	name := "list_" + collections[route].many
	if standardOperations[name].Basis == Assumed && c.ShowsNone(ctx, unproven) {
		return lacking(name, unproven)
	}
	return unproven
}

// unproven is the error of a read by id and of a list, of which nothing is learned.
func unproven(err, readErr error) error {
	var failure *Error
	switch {
	case errors.Is(err, ErrMethodNotAllowed) && errors.Is(readErr, ErrMethodNotAllowed):
		return readErr
	case !isUnread(err) || !errors.As(err, &failure):
		return err
	}
	missing := *failure
	missing.Err = ErrUnproven
	return &missing
}

// remove deletes one object of a collection.
func (c *Client) remove(ctx context.Context, id, route string) error {
	_, err := c.do(ctx, c.object("delete", route, id))
	var failure *Error
	if err == nil || !errors.As(err, &failure) {
		return err
	}
	switch {
	case errors.Is(err, ErrMethodNotAllowed):
	case errors.Is(err, ErrNotFound):
		_, err := c.byID(ctx, route, id)
		if isUnread(err) && !(failure.mayBeDone && errors.Is(err, ErrNotFound)) { // A list may lag behind what was deleted just now.
			_, err = c.listed(ctx, id, nil, route, err)
		}
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil && !errors.Is(err, ErrMissing) {
			return err
		}
	default:
		return err
	}
	undeletable := *failure
	undeletable.Err = errors.Join(ErrCannotDelete, failure.Err)
	undeletable.ambiguous = false
	return &undeletable
}
