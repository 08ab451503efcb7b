package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
)

// create posts a new object. Its answer must hold the id.
func (c *Client) create(ctx context.Context, of Kind, in any, extra json.RawMessage, guard Guard) (*answer, error) {
	req := c.operation("create_" + of.One)
	req.guard = guard
	var err error
	if req.body, err = newBody(in, extra); err != nil {
		return nil, c.refuse(req, err)
	}
	return c.withObject(c.change(ctx, req, c.isPresent))
}

// withObject insists that an answer holds the object it is about. What a write was answered with instead may say why.
func (c *Client) withObject(a *answer, err error) (*answer, error) {
	if err != nil || a.object != nil {
		return a, err
	}
	failure := a.bad("it holds no object with an id")
	if a.call.method != http.MethodGet {
		failure.Messages, failure.Text = c.messages(a.call, a.header, a.body)
	}
	return nil, failure
}

// readIfShort reads an object whose write was not answered with every field that was sent. The answer may be short,
// or the service may not know the field: only a read tells. Where that fails, the answer has to do.
func (c *Client) readIfShort(
	ctx context.Context, of Kind, in any, extra json.RawMessage, a *answer, err error,
) (*answer, error) {
	if err != nil || !lacksSent(a.object, in, extra) {
		return a, err
	}
	if read, err := c.byID(ctx, of, idOf(a.object)); err == nil {
		return read, nil
	}
	return a, nil
}

// byID reads an object by its id.
func (c *Client) byID(ctx context.Context, of Kind, id string) (*answer, error) {
	return c.withObject(c.do(ctx, c.object("get", of, id)))
}

// find reads one object, from the list under a filter where its read by id finds nothing. A 404 alone proves nothing:
// a service without that operation answers it too. Nor do two of them: a wrong address answers 404 to everything.
func (c *Client) find(ctx context.Context, of Kind, id string, filter url.Values) (*answer, error) {
	a, readErr := c.byID(ctx, of, id)
	if !isNotFound(readErr) {
		return a, readErr
	}
	return c.findListed(ctx, of, id, filter, readErr)
}

// isNotFound reports whether a request found nothing, which may be because the service does not have the operation.
func isNotFound(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, ErrMethodNotAllowed)
}

// findListed looks in a list for an object that its read by id did not find.
func (c *Client) findListed(
	ctx context.Context, of Kind, id string, filter url.Values, readErr error,
) (*answer, error) {
	found, alone, err := entryOf(c.objects(ctx, of, filter), id)
	switch {
	case err != nil:
		return nil, c.unlisted(ctx, of, err, readErr)
	case found != nil:
		return found, nil
	}
	return nil, c.unlessAlone(ctx, of, alone, readErr)
}

// entryOf looks in a list for the entry of an object. alone is one that came in the place of the list, nil for none.
func entryOf(list iter.Seq2[*answer, error], id string) (found, alone *answer, err error) {
	for entry, err := range list {
		switch {
		case err != nil:
			return nil, nil, err
		case SameID(idOf(entry.object), id):
			return entry, nil, nil
		case entry.isAlone():
			alone = entry
		}
	}
	return nil, alone, nil
}

// unlessAlone is the error of an object that its list does not show. alone came in the place of the list, or is nil:
// then only a service that reads alone by its id reads objects by theirs, so that this one is gone.
func (c *Client) unlessAlone(ctx context.Context, of Kind, alone *answer, readErr error) error {
	if alone == nil || isFound(c.byID(ctx, of, idOf(alone.object))) {
		return gone(readErr)
	}
	return missingOperation("get_"+of.One, readErr)
}

// gone is the error of a read that was answered with 404 or 405, of an object that a complete list lacks.
func gone(readErr error) error {
	if errors.Is(readErr, ErrNotFound) {
		return readErr
	}
	return altered(readErr, func(e *Error) { e.Err, e.ambiguous = errors.Join(ErrNotFound, e.Err), false })
}

// unlisted is the error of a read that was answered with 404 or 405, and whose list
// cannot be read. It is an [ErrMissing] too where the service is there without that list.
func (c *Client) unlisted(ctx context.Context, of Kind, err, readErr error) error {
	unproven := unproven(err, readErr)
	name := "list_" + of.Many
	if standardOperations[name].Basis == Assumed && c.ShowsNone(ctx, unproven) {
		return missingOperation(name, unproven)
	}
	return unproven
}

// unproven is the error of a read by id and of a list, of which nothing is learned.
func unproven(err, readErr error) error {
	switch {
	case errors.Is(err, ErrMethodNotAllowed) && errors.Is(readErr, ErrMethodNotAllowed):
		return readErr
	case isNotFound(err):
		return altered(err, func(e *Error) { e.Err = ErrUnproven })
	}
	return err
}

// Delete deletes an object; one that is gone already is no error. The error is ErrCannotDelete when the service has no
// such operation.
func (c *Client) Delete(ctx context.Context, of Kind, id string) error {
	_, err := c.do(ctx, c.object("delete", of, id))
	if !isNotFound(err) {
		return err
	}
	if errors.Is(err, ErrNotFound) {
		var failure *Error
		errors.As(err, &failure)
		_, readErr := c.byID(ctx, of, id)
		// A list may lag behind what was deleted just now.
		if isNotFound(readErr) && !(failure.mayBeDone && errors.Is(readErr, ErrNotFound)) {
			_, readErr = c.findListed(ctx, of, id, nil, readErr)
		}
		if errors.Is(readErr, ErrNotFound) {
			return nil
		}
		if readErr != nil && !errors.Is(readErr, ErrMissing) {
			return readErr
		}
	}
	return altered(err, func(e *Error) { e.Err, e.ambiguous = errors.Join(ErrCannotDelete, e.Err), false })
}
