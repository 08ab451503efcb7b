package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// OutcomeKind is the kind of result of one processing of an invoice. Its words are also those of POST /_sandbox/script.
type OutcomeKind string

// The kinds of an outcome.
const (
	OutcomeAuthorize OutcomeKind = "authorize"
	// OutcomeReject rejects with Code and Message. With Then, the authority holds that other result, which
	// check-status shows.
	OutcomeReject OutcomeKind = "reject"
	OutcomeDeny   OutcomeKind = "deny"
	// OutcomeContingency is "inContingent" and then Then for an NFC-e, and Then through the SVC for an NF-e. An NFC-e
	// whose company has not allowed it, and an NFS-e, which knows no contingency, wait as with the transient code SPD999.
	OutcomeContingency OutcomeKind = "contingency"
	// OutcomeStuck stays "enqueued" until check-status, which applies Then.
	OutcomeStuck OutcomeKind = "stuck"
	// OutcomeTransient shows Code and Message under Status, "rejected" (also for "") or "enqueued", and then Then.
	OutcomeTransient OutcomeKind = "transient"
	// OutcomeStatus shows the word Status, which need not be one of the specification's, and then Then.
	OutcomeStatus  OutcomeKind = "status"
	OutcomeRemove  OutcomeKind = "remove"
	OutcomeDisable OutcomeKind = "disable"

	// OutcomeCancel lets a cancellation succeed; this and the next two wait for cancellations only.
	OutcomeCancel OutcomeKind = "cancel"
	// OutcomeCancelRefused has the authority refuse a cancellation with Code and Message: the invoice stays authorized.
	OutcomeCancelRefused OutcomeKind = "cancelRefused"
	// OutcomeCancelStuck keeps a cancellation in processing until check-status, which completes it.
	OutcomeCancelStuck OutcomeKind = "cancelStuck"
)

var outcomeKinds = map[OutcomeKind]bool{
	OutcomeAuthorize: true, OutcomeReject: true, OutcomeDeny: true, OutcomeContingency: true, OutcomeStuck: true,
	OutcomeTransient: true, OutcomeStatus: true, OutcomeRemove: true, OutcomeDisable: true,
	OutcomeCancel: false, OutcomeCancelRefused: false, OutcomeCancelStuck: false,
}

// Outcome is the result of one processing of an invoice.
//
// An outcome of several stages shows each of them: the first after its Delay, the next after the Delay of what follows,
// which is Options.AuthorizeAfter where it is 0. Where that is 0 too, a stage lasts until check-status ends it.
type Outcome struct {
	Kind    OutcomeKind `json:"kind"`
	Code    string      `json:"code"`
	Message string      `json:"message"`
	Status  string      `json:"status"`
	// Delay replaces Options.AuthorizeAfter.
	Delay time.Duration `json:"-"`
	// Received shows the status "received" first.
	Received bool `json:"receivedFirst"`
	// Failed shows processingDetail.status "failed" first, with the status still "enqueued".
	Failed bool `json:"failedDetail"`
	// UntilCheck keeps the stage before Then until check-status, however much time passes.
	UntilCheck bool `json:"untilCheck"`
	// Then is what follows the stage this outcome shows; nil is OutcomeAuthorize.
	Then *Outcome `json:"then"`
}

// Authorize lets the authority decide by its rules, as it does without a script; see authority.go.
func Authorize() Outcome { return Outcome{Kind: OutcomeAuthorize} }

// Reject rejects the invoice for good.
func Reject(code, message string) Outcome {
	return Outcome{Kind: OutcomeReject, Code: code, Message: message}
}

// Deny denies the invoice: its number is used up.
func Deny(code, message string) Outcome {
	return Outcome{Kind: OutcomeDeny, Code: code, Message: message}
}

// Contingency issues in contingency; then is Authorize or Reject.
func Contingency(then Outcome) Outcome { return Outcome{Kind: OutcomeContingency, Then: &then} }

// StuckUntilCheck stays "enqueued" until check-status, which applies then.
func StuckUntilCheck(then Outcome) Outcome { return Outcome{Kind: OutcomeStuck, Then: &then} }

// TransientCode shows a code such as SPD001, SPD006, SPD998 or SPD999 under the status "rejected", and then comes to
// then. See AsEnqueued for the other form.
func TransientCode(code, message string, then Outcome) Outcome {
	return Outcome{Kind: OutcomeTransient, Code: code, Message: message, Then: &then}
}

// Remove ends in "removed".
func Remove() Outcome { return Outcome{Kind: OutcomeRemove} }

// CancelRefused has the authority refuse a cancellation.
func CancelRefused(code, message string) Outcome {
	return Outcome{Kind: OutcomeCancelRefused, Code: code, Message: message}
}

// CancelStuck keeps a cancellation in processing until check-status.
func CancelStuck() Outcome { return Outcome{Kind: OutcomeCancelStuck} }

// After lets the outcome come after d instead of Options.AuthorizeAfter.
func (o Outcome) After(d time.Duration) Outcome { o.Delay = d; return o }

// FailedDetailFirst shows processingDetail.status "failed" before the outcome.
func (o Outcome) FailedDetailFirst() Outcome { o.Failed = true; return o }

// AsEnqueued shows a transient code under the status "enqueued".
func (o Outcome) AsEnqueued() Outcome { o.Status = statusEnqueued; return o }

// OnlyByCheck keeps the stage before then until check-status.
func (o Outcome) OnlyByCheck() Outcome { o.UntilCheck = true; return o }

// Reconciled is a rejection that the authority does not share: check-status applies then.
func (o Outcome) Reconciled(then Outcome) Outcome { o.Then = &then; return o }

func (o Outcome) next() Outcome {
	if o.Then == nil {
		return Authorize()
	}
	return *o.Then
}

// script holds the remaining outcomes of one integrationId.
type script struct {
	issuing   []Outcome
	canceling []Outcome
}

// ScriptInvoice declares the outcomes of the invoices with this integrationId, or of the order with this
// transactionId. Each processing (a POST, a repeated POST or an issue) takes the next outcome, and each cancellation
// the next of those for cancellations. After the last one, the rules decide on invoices, and cancellations succeed.
// Unused outcomes do not fail a test.
func (s *Server) ScriptInvoice(integrationID string, outcomes ...Outcome) {
	for _, o := range outcomes {
		if _, ok := outcomeKinds[o.Kind]; !ok {
			panic(fmt.Sprintf("sandbox: unknown kind of outcome %q", o.Kind))
		}
	}
	s.locked(func() { s.addScript(integrationID, outcomes) })
}

func (s *Server) addScript(integrationID string, outcomes []Outcome) {
	sc := s.book.scripts[integrationID]
	if sc == nil {
		sc = &script{}
		s.book.scripts[integrationID] = sc
	}
	for _, o := range outcomes {
		if outcomeKinds[o.Kind] {
			sc.issuing = append(sc.issuing, o)
		} else {
			sc.canceling = append(sc.canceling, o)
		}
	}
}

// nextOutcome takes the next outcome for the issuing of an invoice.
func (s *Server) nextOutcome(doc object) Outcome {
	return taken(&s.scriptOf(doc).issuing, Authorize())
}

// nextCancellation takes the next outcome for its cancellation.
func (s *Server) nextCancellation(doc object) Outcome {
	o := taken(&s.scriptOf(doc).canceling, Outcome{Kind: OutcomeCancel})
	if o.Kind == OutcomeCancelRefused && o.Code == "" {
		o.Code, o.Message = "501", cmp.Or(o.Message, "Rejeição: Prazo de cancelamento superior ao previsto na Legislação")
	}
	return o
}

func taken(declared *[]Outcome, otherwise Outcome) Outcome {
	if len(*declared) == 0 {
		return otherwise
	}
	first := (*declared)[0]
	*declared = (*declared)[1:]
	return first
}

func (s *Server) scriptOf(doc object) *script {
	if sc := s.book.scripts[text(doc, "integrationId")]; sc != nil { // Also under "", for invoices without one.
		return sc
	}
	transaction := text(part(doc, "order"), "transactionId")
	if sc := s.book.scripts[transaction]; transaction != "" && sc != nil {
		return sc
	}
	return &script{}
}

// delay is how long an outcome takes.
func (s *Server) delay(o Outcome) time.Duration {
	if o.Delay > 0 {
		return o.Delay
	}
	return s.opts.AuthorizeAfter
}

// UnmarshalJSON reads an outcome as POST /_sandbox/script takes it: a word alone or an object, with Go durations.
func (o *Outcome) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &o.Kind) != nil {
		type plain Outcome
		in := struct {
			*plain
			Delay string `json:"delay"`
		}{plain: (*plain)(o)}
		err := strictly(b, &in)
		if err == nil && in.Delay != "" {
			o.Delay, err = time.ParseDuration(in.Delay)
		}
		if err != nil {
			return err
		}
	}
	if _, ok := outcomeKinds[o.Kind]; !ok {
		return fmt.Errorf("there is no outcome %q", o.Kind)
	}
	return nil
}
