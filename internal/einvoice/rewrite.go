package einvoice

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
)

// unchangedError ends the rewriting of a record that needs no change, so that nothing is sent.
type unchangedError struct{ held *answer }

func (unchangedError) Error() string { return "there is nothing to send" }

// pair holds the permit of a write while the record before it is read.
type pair struct{ write *pace.Permit }

// take waits for both permits, and returns the read's.
func (p *pair) take(ctx context.Context, limit *pace.Limiter) (*pace.Permit, error) {
	p.giveBack()
	read, write, err := limit.AcquirePair(ctx)
	if err == nil {
		p.write = write
	}
	return read, err
}

// giveBack gives the permit of a write that does not follow back.
func (p *pair) giveBack() {
	if p != nil && p.write != nil {
		p.write.Unused()
		p.write = nil
	}
}

// permit waits for the limit. A write that sends back a record takes two permits, and reads the record with the first.
func (c *Client) permit(ctx context.Context, req *call) (*pace.Permit, error) {
	switch {
	case req.permits != nil:
		return req.permits.take(ctx, c.pace)
	case req.remake == nil:
		return c.pace.Acquire(ctx, req.last)
	}
	permits := &pair{}
	body, err := req.remake(ctx, permits)
	if err == nil {
		if err = permits.write.Hold(ctx); err != nil {
			err = c.refuse(*req, err)
		}
	}
	if err != nil {
		permits.giveBack()
		return nil, err
	}
	req.body = body
	return permits.write, nil
}

// rewrite reads a record, changes and writes it, each time anew where it has to repeat that: what is sent back was read
// right before. change touches nothing. Where it returns no body nothing is sent, and the answer is that of the read.
func (c *Client) rewrite(
	ctx context.Context, req call, isThere presence,
	read func(context.Context, *pair) (*answer, error), change func(held *answer) ([]byte, error),
) (*answer, error) {
	req.remake = func(ctx context.Context, permits *pair) ([]byte, error) {
		held, err := read(ctx, permits)
		if err != nil {
			return nil, err
		}
		body, err := change(held)
		if err == nil && body == nil {
			err = unchangedError{held}
		}
		c.rememberSecrets(body) // Whatever is asked from now on may be answered with them.
		return body, err
	}
	a, err := c.change(ctx, req, isThere)
	if unchanged, ok := errors.AsType[unchangedError](err); ok {
		return unchanged.held, nil
	}
	return a, err
}

// update lays extra and next over an object, with a null for what only prior has, and puts it completely: a PUT may
// replace it. Where the object holds extra already, and next is as prior, it sends nothing.
func (c *Client) update(
	ctx context.Context, of Kind, id string, next, prior any, extra json.RawMessage,
) (*answer, error) {
	req := c.object("update", of, id)
	if _, err := extraFields(extra); err != nil {
		return nil, c.refuse(req, err)
	}
	read := func(ctx context.Context, permits *pair) (*answer, error) { return c.record(ctx, of, id, permits) }
	a, err := c.rewrite(ctx, req, c.has(of, id), read, func(held *answer) ([]byte, error) {
		if isHeld(held.object, next, prior, extra) {
			return nil, nil
		}
		body, err := updateBody(held.object, next, prior, extra)
		if err != nil {
			return nil, c.refuse(req, err)
		}
		return body, nil
	})
	if err == nil && a.object == nil {
		return c.find(ctx, of, id, nil)
	}
	if err == nil && a.call.method == http.MethodGet {
		return a, nil
	}
	return c.readIfShort(ctx, of, next, extra, a, err)
}

// isHeld reports whether an update changes nothing: the fields are as before, and the object holds all of extra.
func isHeld(held json.RawMessage, next, prior any, extra json.RawMessage) bool {
	after, err1 := encode(next)
	before, err2 := encode(prior)
	if err1 != nil || err2 != nil || !bytes.Equal(after, before) {
		return false
	}
	if len(bytes.TrimSpace(extra)) == 0 {
		return true
	}
	wanted, err1 := jsontree.Decode(extra)
	object, err2 := jsontree.Decode(held)
	return err1 == nil && err2 == nil && jsontree.Holds(object, wanted)
}

// record reads an object to send it back. An entry of the list of companies may be shorter than the record.
func (c *Client) record(ctx context.Context, of Kind, id string, permits *pair) (*answer, error) {
	req := c.object("get", of, id)
	req.permits = permits
	a, err := c.withObject(c.do(ctx, req))
	if of == KindCompany || !isNotFound(err) {
		return a, err
	}
	return c.findListed(ctx, of, id, nil, err)
}
