package ordering

import (
	"context"
	"errors"
	"fmt"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
)

// Problem is why an order did not become what was wanted. Its kinds mean of an
// order what they mean of an invoice.
type Problem struct {
	engine.Problem
	Order  *einvoice.Order   // as last seen, or nil
	Orders []*einvoice.Order // Several
}

// What else can keep an order from becoming what is wanted.
const (
	StatusLost engine.Kind = "answer to a change of status lost"
	IssueLost  engine.Kind = "answer to an explicit issue lost"
)

// The requests about an order, in words that its name comes after.
const (
	requestLookUp engine.Request = "look up"
	requestOwner  engine.Request = "make sure which company sells"
	requestCreate engine.Request = "create"
	requestRead   engine.Request = "read"
	requestFollow engine.Request = "follow"
	requestStatus engine.Request = "change the status of"
	requestIssue  engine.Request = "issue the invoices of"
)

func (o *Ordering) problem(kind engine.Kind, order *einvoice.Order, cause error) *Problem {
	return &Problem{Problem: engine.Problem{Kind: kind, Cause: cause, Sent: o.sent, LookedFor: o.Patience, Repetitions: o.repetitions}, Order: order}
}

// InvoiceProblems are those of one order's invoices.
type InvoiceProblems []*engine.Problem

func (p InvoiceProblems) Error() string { return fmt.Sprintf("%d invoices: %s", len(p), p[0]) }

// failed is a request that the service refused or that did not reach it.
func (o *Ordering) failed(ctx context.Context, request engine.Request, err error) error {
	if ctx.Err() != nil {
		return o.interrupted(nil, err)
	}
	p := o.problem(engine.RequestFailed, nil, err)
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
	if p := (*Problem)(nil); errors.As(err, &p) {
		return err
	}
	return o.problem(engine.Interrupted, order, err)
}
