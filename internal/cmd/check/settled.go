package main

import (
	"context"
	"fmt"
	"time"
)

// withdraw cancels an invoice as soon as the authority has decided, where there is anything to cancel.
func (s *sale) withdraw(ctx context.Context) bool {
	switch status := s.follow(ctx); status {
	case "authorized", "created", "":
		a := s.lookOtherwise(ctx, s.question("cancel_invoice", object{"reason": reason}))
		if a.err != nil && !a.isAmbiguous() {
			return false
		}
		_, canceled := s.untilCanceled(ctx, status)
		if !canceled && status == "created" {
			s.leaveDraft()
			return true // It is named, and not tried again.
		}
		return canceled
	default:
		return !isOpen(status)
	}
}

// drop removes what was made by mistake.
func (s *sale) drop(ctx context.Context, m made) {
	if m.remove(ctx) {
		s.gone(m.label)
	}
}

// settled looks at what can be done with an invoice that the authority has decided on.
func (s *sale) settled(ctx context.Context, status string) {
	if ctx.Err() != nil || status != "authorized" && status != "rejected" {
		return
	}
	q := s.question("check_invoice_status", nil)
	switch a := s.look(ctx, q); {
	case a.isRefusal():
		s.tell(q, answers, a.Status, "")
		s.differs("check_status_400_is_queued", false, fmt.Sprintf("%d for %s", a.Status, anInvoice(status)))
	case s.judge(ctx, q, a).ok():
		s.holds("check_status_400_is_queued", fmt.Sprintf("%d for %s", a.Status, anInvoice(status)))
	}
	if status == "rejected" {
		s.again(ctx, status)
		return
	}
	s.documents(ctx, s.model, s.id)
	if s.model == "product" {
		s.correct(ctx)
	}
	if !s.splits && !s.reissued {
		s.reissued = true
		s.again(ctx, status)
	}
}

func anInvoice(status string) string { return "an invoice that is " + status }

// again sends the payload of an invoice that is settled once more.
func (s *sale) again(ctx context.Context, status string) {
	known := len(s.made)
	a := s.post(ctx, nil)
	id := "authorized_is_issued_once"
	if status == "rejected" {
		id = "post_updates_rejected"
	}
	switch {
	case a.isRefusal() && status == "rejected":
		s.differs(id, false, fmt.Sprintf("a second POST under the integrationId of a rejected invoice "+
			"is refused (HTTP %d), and makes no second one", a.Status))
	case a.isRefusal():
		s.holds(id, "a second POST is refused")
	case !a.ok():
	case len(s.made) > known:
		s.differs(id, status == "rejected" || s.canLookUp(),
			"a second POST under the integrationId of "+anInvoice(status)+" made another one")
		s.drop(ctx, s.made[len(s.made)-1])
	case status == "rejected":
		s.holds(id, "a second POST under the integrationId of a rejected invoice makes no second one")
		s.follow(ctx)
	default:
		s.holds(id, "a second POST is answered with the invoice that is there")
	}
}

// canLookUp reports whether the list shows the issued invoices: the provider then never sends one twice.
func (s *sale) canLookUp() bool { return s.assumption("integration_id_filter").Verdict == holds }

func (s *sale) correct(ctx context.Context) {
	a := s.ask(ctx, question{operation: "correct_invoice", ids: []string{s.id}, body: object{"letter": letter}})
	of, _ := objectIn(a.Body)
	switch {
	case !a.ok():
	case of["letter"] == nil:
		s.differs("letter_shows_an_event", true, "the answer does not have the letter")
	case of["eventId"] == nil:
		s.holds("letter_shows_an_event", "the answer has the letter")
	default:
		s.holds("letter_shows_an_event", "the answer has the letter and eventId")
	}
}

// cancel cancels the invoice, and follows it.
func (s *sale) cancel(ctx context.Context) {
	status := s.status(ctx)
	if ctx.Err() != nil || isOpen(status) {
		return // It stays to be canceled in the end.
	}
	if status != "authorized" && status != "created" {
		s.gone(s.label) // An invoice that was never authorized cannot be canceled.
		return
	}
	a := s.ask(ctx, s.question("cancel_invoice", object{"reason": reason}))
	if a.isRefusal() {
		s.differs("cancel_takes_reason", false, fmt.Sprintf("%d: %s", a.Status, a.said()))
	}
	if !a.ok() {
		return
	}
	s.gone(s.label)
	at := s.now()
	now, canceled := s.untilCanceled(ctx, status)
	switch {
	case canceled:
		took := s.now().Sub(at).Round(time.Second)
		s.holds("cancel_takes_reason", fmt.Sprintf("a %s invoice is %s after %s", s.model, now, took))
		return
	case status == "created":
		s.leaveDraft()
		return
	}
	s.left = append(s.left, s.label+", whose cancellation is still open")
	if ctx.Err() == nil {
		s.differs("cancel_takes_reason", false,
			"a "+s.model+" invoice was not canceled within "+authorityPatience.String())
	}
}

// leaveDraft notes a draft that is still there after its deletion.
func (s *sale) leaveDraft() {
	s.draftsStay = true
	s.left = append(s.left, s.label+", a draft that its deletion has not removed")
}

// untilCanceled reads an invoice until its cancellation is decided. No authority decides about a draft, and where one
// has stayed the others are only looked at.
func (s *sale) untilCanceled(ctx context.Context, from string) (status string, canceled bool) {
	patience := authorityPatience
	switch {
	case from == "created" && s.draftsStay:
		patience = 0
	case from == "created":
		patience = lagUsual
	}
	s.until(ctx, s.now(), patience, func() bool {
		status = s.status(ctx)
		canceled = status == "canceled" || status == "removed"
		return canceled
	})
	return status, canceled
}
