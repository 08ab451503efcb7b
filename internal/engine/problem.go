package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Problem is why something did not become what was wanted. It has no words for a person: whoever shows it chooses
// them.
type Problem struct {
	Kind    Kind
	Request Request           // the one that failed, for RequestFailed
	Model   string            // of the invoice
	Invoice *einvoice.Invoice // as last seen, or nil
	Order   *einvoice.Order   // as last seen, or nil

	Cause error // of the failed request, of the one whose answer was lost, or of the end of the run
	Sent  bool  // this run has sent something that the service may have processed

	Former  bool // CancellationRefused: nothing has followed a refusal of before
	Issued  bool // Unmoved: the operation that issues it was tried
	Refused bool // Another: the service has refused what was sent, because of that one

	LookedFor   time.Duration // AnswerLost: how long
	Repetitions int           // AnswerLost: how often it was sent after the first time
	Found       []*einvoice.Invoice
	Orders      []*einvoice.Order // found
	Differences []Difference

	NoList bool   // the service has no list of these: the journal alone knows what was sent
	Name   string // Misnamed, OtherEnvironment: the one that it has; Vanished: the id that it had
	Record string // Unlisted, Vanished, Misnamed: where the journal has it

	Issuer, Owner string // OtherCompany: who is to issue, and whose the key is

	// What else went wrong while an invoice was followed.
	Unanswered error // the last request that changes something
	LastCheck  error // the last question to the authority
	Queued     bool  // that was answered with "still queued", whatever the service shows
	LastLook   error // the last read
}

// Kind tells problems apart.
type Kind string

// What can keep an invoice from becoming what is wanted.
const (
	RequestFailed       Kind = "request failed"                 // refused, or it did not reach the service
	Interrupted         Kind = "interrupted"                    // ended from outside
	TimedOut            Kind = "not settled in time"            // ended by its own timeout
	AnswerLost          Kind = "answer lost"                    // sent, and what it did shows nowhere
	Unmoved             Kind = "answered as it was rejected"    // whatever was sent over it
	Rejected            Kind = "rejected"                       // by the authority or the service
	Ended               Kind = "ended"                          // canceled, denied, removed or disabled
	Another             Kind = "another one has the id"         // it differs in Differences
	Several             Kind = "several have the id"            // Found
	OtherEnvironment    Kind = "not to be issued there"         // in the environment Name; Invoice: one that was
	EnvironmentUnknown  Kind = "environment not known"          // so that nothing was sent
	OtherCompany        Kind = "the key is another company's"   // Invoice: one that it has issued
	Settled             Kind = "cannot be changed any more"     // issued since it was planned
	Unlisted            Kind = "in doubt, and nothing lists it" // it may have been sent: Record says so
	Vanished            Kind = "valid, and gone"                // the service has lost it: Name is its id, Record says so
	NotADraft           Kind = "it is no draft"                 // although one is wanted
	OthersDraft         Kind = "a draft of somebody else"       // has the id; it differs in Differences
	NotCancelable       Kind = "not to be canceled yet"         // in progress or in contingency
	NotAsPlanned        Kind = "changed since the plan"         // a destroy would do another thing than the plan said
	TakenOver           Kind = "another object has it"          // of a state, so that it is not canceled
	BeingCanceled       Kind = "another object cancels it"      // of a state, so that it is not taken over
	CancellationRefused Kind = "cancellation refused"           // by the authority
	Unrecorded          Kind = "not recorded"                   // in the journal, so that nothing was sent
	NotOffered          Kind = "not offered for this model"     // by the service
	Misnamed            Kind = "it has another name"            // what was sent was answered with another sale's
	StatusLost          Kind = "answer to a change of status lost"
	IssueLost           Kind = "answer to an explicit issue lost"
)

// Request names a request.
type Request string

// The requests about an invoice.
const (
	LookUp             Request = "look up invoice"
	Post               Request = "issue invoice"
	ReadDraft          Request = "read the draft"
	IssueDraft         Request = "issue the draft"
	Read               Request = "read invoice"
	Follow             Request = "follow invoice"
	Check              Request = "check the status of invoice"
	Cancel             Request = "cancel invoice"
	FollowCancellation Request = "follow the cancellation of invoice"
)

// The requests about an order, in words before its name.
const (
	requestLookUp Request = "look up"
	requestCreate Request = "create"
	requestRead   Request = "read"
	requestFollow Request = "follow"
	requestStatus Request = "change the status of"
	requestIssue  Request = "issue the invoices of"
)

// Identify is the request about the company that issues either.
const Identify Request = "make sure which company issues"

// Error is for a log.
func (p *Problem) Error() string {
	text := string(p.Kind)
	if p.Request != "" {
		text += ": " + string(p.Request)
	}
	if p.Cause != nil {
		text += ": " + p.Cause.Error()
	}
	return text
}

func (p *Problem) Unwrap() error { return p.Cause }

// Difference is something in which what is wanted and what the service holds certainly differ.
type Difference struct {
	Of           string // amount, receiver, model ...
	Wanted, Held string
}

// InvoiceProblems are those of one order's invoices.
type InvoiceProblems []*Problem

func (p InvoiceProblems) Error() string { return fmt.Sprintf("%d invoices: %s", len(p), p[0]) }

// orNil is an error only where there are problems.
func (p InvoiceProblems) orNil() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// problemsOf returns the problem that an error is, or those of the invoices; nil for none.
func problemsOf(err error) InvoiceProblems {
	p, each := (*Problem)(nil), InvoiceProblems(nil)
	if errors.As(err, &p) {
		return InvoiceProblems{p}
	}
	_ = errors.As(err, &each)
	return each
}

// problem returns a problem of a run.
func (a *attempt) problem(kind Kind, cause error) *Problem {
	return &Problem{
		Kind: kind, Order: a.order, Cause: cause, Sent: a.sent, Repetitions: a.repetitions, NoList: a.noList != nil,
	}
}

// failed returns the problem of a request that the service refused or that did not reach it.
func (a *attempt) failed(ctx context.Context, request Request, err error) error {
	if ctx.Err() != nil || problemsOf(err) != nil {
		return a.asProblem(err, err)
	}
	p := a.problem(RequestFailed, err)
	p.Request = request
	return p
}

// problem returns a problem with an invoice.
func (i *Issuing) problem(kind Kind, v *einvoice.Invoice, cause error) *Problem {
	p := i.attempt.problem(kind, cause)
	p.Model, p.Invoice = i.Model, v
	return p
}

// about adds the invoice to a problem that does not name one.
func (i *Issuing) about(err error, v *einvoice.Invoice) error {
	if p := (*Problem)(nil); errors.As(err, &p) && p.Model == "" {
		p.Model, p.Invoice = i.Model, v
	}
	return err
}

// requestFailed returns the problem of a request that the service refused or that did not reach it.
func (i *Issuing) requestFailed(request Request, v *einvoice.Invoice, err error) *Problem {
	p := i.problem(RequestFailed, v, err)
	p.Request = request
	return p
}

// another returns the problem of an invoice under the id that is not the wanted one.
func (i *Issuing) another(v *einvoice.Invoice, differ []Difference) *Problem {
	p := i.problem(Another, v, nil)
	p.Differences = differ
	return p
}

// misnamed returns the problem of an answer with another sale's invoice.
func (i *Issuing) misnamed(v *einvoice.Invoice) *Problem {
	p := i.problem(Misnamed, v, nil)
	p.Name = string(v.IntegrationID)
	return p
}

// failedAs returns the problem of an invoice that has ended otherwise than wanted.
func (i *Issuing) failedAs(v *einvoice.Invoice) *Problem {
	if string(v.Status) == einvoice.StatusRejected {
		return i.problem(Rejected, v, nil)
	}
	return i.problem(Ended, v, nil)
}

// Mentions reports whether the service names a code in a refusal.
func Mentions(err error, code string) bool {
	return strings.Contains(strings.ToUpper(err.Error()), code)
}
