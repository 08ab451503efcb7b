package einvoice

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"sync"
)

// missing is what a client knows of operations that the service does not have.
type missing struct {
	turn    turn     // held while it is proven that the service is there
	present bool     // the service is there, and knows the key
	told    sync.Map // the operations that a warning has named
	single  sync.Map // the lists, by operation, and whether one object came in place of the last one
}

// ProvesAbsence reports whether the list of a kind that was read last says that an object is not there: one object that
// came in its place says nothing about others.
func (c *Client) ProvesAbsence(of Kind) bool {
	isSingle, _ := c.missing.single.Load("list_" + of.Many)
	return isSingle != true
}

// IsFirstMissing reports whether it is asked of an operation for the first time, so that a run warns of it once.
func (c *Client) IsFirstMissing(operation string) bool {
	_, isTold := c.missing.told.LoadOrStore(operation, true)
	return !isTold
}

// IsNamed reports whether the provider block names the method and path of an operation.
func (c *Client) IsNamed(operation string) bool { return c.named[operation] != "" }

// isPresent reports whether the service is there and knows the key. A wrong address
// answers 404 to everything, so the list of customers decides, which every service has.
func (c *Client) isPresent(ctx context.Context) bool {
	if c.missing.turn.take(ctx) != nil {
		return false
	}
	defer c.missing.turn.end()
	if !c.missing.present {
		req := c.list(KindCustomer)
		req.query = url.Values{"pageSize": {"1"}}
		_, err := c.do(ctx, req)
		c.missing.present = err == nil || errors.Is(err, ErrForbidden)
	}
	return c.missing.present
}

// ShowsNone reports whether a read has failed because the service shows objects of this kind neither by their id nor in
// a list.
func (c *Client) ShowsNone(ctx context.Context, err error) bool {
	isUnshown := errors.Is(err, ErrUnproven) || errors.Is(err, ErrMethodNotAllowed) || errors.Is(err, ErrMissing)
	return isUnshown && c.isPresent(ctx)
}

// altered is the error of a request with a change; an error of another kind stays as it is.
func altered(err error, change func(*Error)) error {
	var failure *Error
	if !errors.As(err, &failure) {
		return err
	}
	changed := *failure
	change(&changed)
	return &changed
}

// missingOperation makes an [ErrMissing] of the answer of an operation that the service does not have.
func missingOperation(name string, err error) error {
	return altered(err, func(e *Error) { e.Missing, e.ambiguous = name, false })
}

// presence reports whether the service shows what an operation is about, so that only the
// operation can be what it did not find.
type presence func(ctx context.Context) bool

// isFound reports whether a read has found what it is about.
func isFound[T any](_ T, err error) bool { return err == nil }

// shows reports whether the service reads an object by its id.
func (c *Client) shows(of Kind, id string) presence {
	return func(ctx context.Context) bool { return isFound(c.byID(ctx, of, id)) }
}

// has reports whether the service shows an object, or none of its kind.
func (c *Client) has(of Kind, id string) presence {
	return func(ctx context.Context) bool {
		_, err := c.find(ctx, of, id, nil)
		return err == nil || c.ShowsNone(ctx, err)
	}
}

// change carries out a call that changes something. It ends with an [ErrMissing] where the service does not have the
// operation. What must happen once, by an operation that the interface names, may have happened all the same.
func (c *Client) change(ctx context.Context, req call, isThere presence) (*answer, error) {
	a, err := c.do(ctx, req)
	mustHappenOnce := req.guard != nil && standardOperations[req.name].Basis != Assumed
	failure, isFailure := errors.AsType[*Error](err)
	if !isFailure || !isNotFound(err) || mustHappenOnce {
		return a, err
	}
	if failure.Method != req.method || !isNotFound(&Error{Status: failure.Status}) {
		return nil, err // A read before it has found nothing.
	}
	c.rememberSecrets(req.body) // What isThere asks may be answered with them too.
	if isThere(ctx) {
		return nil, missingOperation(req.name, err)
	}
	return nil, err
}

// unlessMissing walks a list, and ends with an [ErrMissing] where the service does not have
// it although isThere reports that it has what the list is about.
func unlessMissing(
	ctx context.Context, operation string, list iter.Seq2[*answer, error], isThere presence,
) iter.Seq2[*answer, error] {
	return eachEntry(list, func(entry *answer, err error) (*answer, error) {
		if isNotFound(err) && isThere(ctx) {
			err = missingOperation(operation, err)
		}
		return entry, err
	})
}

// isMissing returns whether the service is there without a list that was not found. It is
// asked for again: one 404 of a gateway is no proof.
func (c *Client) isMissing(list iter.Seq2[*answer, error]) presence {
	return func(ctx context.Context) bool {
		if c.isPresent(ctx) {
			for _, err := range list {
				return isNotFound(err)
			}
		}
		return false
	}
}
