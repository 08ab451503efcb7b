package main

import (
	"context"
	"time"
)

// begin sends a payload with issue = false. If the service refuses that, it sends it without.
func begin(ctx context.Context, r *run, _ *thing, label string) (answer, bool) {
	a := r.create(ctx, label, r.kinds[label].Body)
	if a.isRefusal() {
		if label == "service_invoice" {
			r.breaks("issue_false_makes_a_draft", "draft_refused", with{"on": label})
		}
		a = r.create(ctx, label, without(r.kinds[label].Body, "issue"))
	}
	return a, true
}

// follow reads an invoice for as long as its status may change.
func follow(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	return r.reread(ctx, t), false
}

// postNothing is a second POST that is answered with the invoice as it was.
const postNothing = "post_nothing"

// postAgain sends the payload of an invoice again: as a draft if it is one, else to be issued. A draft or a rejected
// invoice is to be updated, any other one to stay alone.
func postAgain(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	before, state, known := t.read, t.status, len(r.made)
	body := without(t.Body, "issue")
	if state == "created" {
		body["issue"], body["total"] = false, object{"invoiceAmount": 2}
	}
	a := r.create(ctx, t.label, body)
	if !a.ok() && !a.isRefusal() {
		return a, true
	}
	isChanged := func() bool {
		return t.status != state || !same(before["processingDetail"], t.read["processingDetail"]) ||
			!same(before["amount"], t.read["amount"])
	}
	if a.ok() && state == "rejected" && !isChanged() { // The answer may be older than what it does.
		_ = r.clock.Pause(ctx, lookEvery)
		r.reread(ctx, t)
	}
	did := "post_updates"
	switch {
	case a.isRefusal():
		did = "post_refused"
	case len(r.made) > known:
		did, t.splits = "post_splits", true
	case state == "rejected" && isChanged():
		did = "post_resends"
	case state == "rejected": // The provider then tries to issue it.
		did = postNothing
		if r.look(ctx, r.about(request{operation: "issue_invoice"}, t)).ok() {
			_ = r.clock.Pause(ctx, lookEvery)
			if r.reread(ctx, t); isChanged() {
				did = "post_issues"
			}
		}
	case state != "created" && t.status == state || state == "created" && !isChanged():
		did = postNothing
	}
	seen := with{"state": state, "did": words(did, with{"status": a.Status})}
	r.posted[state] = did
	r.measure("second_post", words("second_post", seen))
	id, isOpen := "authorized_is_issued_once", state == "created" || state == "rejected"
	if isOpen {
		id = "post_updates_rejected"
	}
	switch {
	case state == "canceled":
	case did == "post_splits" && !isOpen && r.assumption("integration_id_filter").Verdict != holds:
		r.breaks(id, "second_post", seen) // Otherwise a look-up keeps the provider from it.
	case did == "post_splits", isOpen && did == "post_issues":
		r.copes(id, "second_post", seen)
	case isOpen && (did == "post_refused" || did == postNothing):
		r.breaks(id, "second_post", seen)
	default:
		r.fits(id, "second_post", seen)
	}
	return a, true
}

// issue issues a draft, if need be by a POST without issue = false.
func issue(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	a := r.ask(ctx, r.about(request{operation: "issue_invoice"}, t))
	if t.moving = a.ok(); !a.ok() && ctx.Err() == nil {
		r.create(ctx, t.label, without(t.Body, "issue"))
	}
	return a, true
}

func cancel(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	a := r.ask(ctx, r.about(request{operation: "cancel_invoice", body: object{"reason": reason}}, t))
	if a.ok() {
		t.moving, t.asked = true, r.clock.Now()
	}
	return a, true
}

// seeCanceled waits until a cancellation is decided.
func seeCanceled(_ context.Context, r *run, t *thing, _ string) (answer, bool) {
	took := r.clock.Now().Sub(t.asked).Round(time.Second)
	seen := with{"on": t.label, "state": t.status, "took": took}
	switch {
	case t.status == "canceled" || t.status == "removed":
		t.gone = true
		r.fits("cancel_takes_reason", "canceled", seen)
	case took > decidePatience:
		r.breaks("cancel_takes_reason", "uncanceled", seen)
	default:
		return answer{}, false
	}
	return answer{}, true
}
