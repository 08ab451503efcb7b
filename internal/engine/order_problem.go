package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// OrderProblem is why an order did not become what was wanted. Its kinds mean of an
// order what they mean of an invoice.
type OrderProblem struct {
	Problem
	Order  *einvoice.Order   // as last seen, or nil
	Orders []*einvoice.Order // Several
}

// What else can keep an order from becoming what is wanted.
const (
	StatusLost Kind = "answer to a change of status lost"
	IssueLost  Kind = "answer to an explicit issue lost"
)

// The requests about an order, in words that its name comes after.
const (
	requestLookUp Request = "look up"
	requestOwner  Request = "make sure which company sells"
	requestCreate Request = "create"
	requestRead   Request = "read"
	requestFollow Request = "follow"
	requestStatus Request = "change the status of"
	requestIssue  Request = "issue the invoices of"
)

func (o *Ordering) problem(kind Kind, order *einvoice.Order, cause error) *OrderProblem {
	return &OrderProblem{Problem: Problem{Kind: kind, Cause: cause, Sent: o.sent, LookedFor: o.Patience, Repetitions: o.repetitions}, Order: order}
}

// InvoiceProblems are those of one order's invoices.
type InvoiceProblems []*Problem

func (p InvoiceProblems) Error() string { return fmt.Sprintf("%d invoices: %s", len(p), p[0]) }

// failed is a request that the service refused or that did not reach it.
func (o *Ordering) failed(ctx context.Context, request Request, err error) error {
	if ctx.Err() != nil {
		return o.interrupted(nil, err)
	}
	p := o.problem(RequestFailed, nil, err)
	p.Request = request
	return p
}

// unread is a look at an order that failed after something had been sent.
func (o *Ordering) unread(ctx context.Context, order *einvoice.Order, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return o.interrupted(order, err)
	}
	return o.failed(ctx, requestRead, err)
}

// interrupted hands a problem on, and makes one of what else ends a run before it
// is known what became of it.
func (o *Ordering) interrupted(order *einvoice.Order, err error) error {
	if p := (*OrderProblem)(nil); errors.As(err, &p) {
		return err
	}
	return o.problem(Interrupted, order, err)
}
