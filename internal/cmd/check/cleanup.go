package main

import "context"

// cleanUp removes what is still there, the newest first, and names what may be there. What a creation without an answer
// has made is looked up, and so is what an order may have made.
func (r *run) cleanUp(ctx context.Context) {
	if len(r.made)+len(r.doubts) > 0 {
		r.say(words("removing", nil))
	}
	for _, t := range r.doubts {
		isFound := false
		for range r.looks(ctx, lagUsual) {
			if isFound = r.adopt(ctx, t.label); isFound {
				break
			}
		}
		if !isFound {
			r.left = append(r.left, r.in(words("may_exist", with{"what": t.label, "name": t.Body.text(t.Member)})))
		}
	}
	for _, label := range []string{"customer", "product"} { // An order may have made one.
		if r.things[label] != nil {
			r.adopt(ctx, label)
		}
	}
	for at := len(r.made) - 1; at >= 0; at-- {
		if t := r.made[at]; !t.gone {
			isGone := r.remove(ctx, t)
			if t.gone = true; !isGone {
				r.left = append(r.left, t.String())
			}
			at = len(r.made) // An order may have shown invoices.
		}
	}
}

// remove deletes or cancels an object and reports whether that is done. An invoice waits for the authority's decision.
func (r *run) remove(ctx context.Context, t *thing) bool {
	q, patience := request{operation: "delete_" + t.Noun}, lagUsual
	switch t.Noun {
	case "order":
		q = request{operation: "update_order_status", body: object{"status": "canceled"}}
	case "invoice":
		for range r.looks(ctx, decidePatience) {
			if r.reread(ctx, t); !t.isOpen() || t.unread > mostUnread {
				break
			}
		}
		if t.isOver() || t.isOpen() && t.unread <= mostUnread {
			return t.isOver()
		}
		q = request{operation: "cancel_invoice", body: object{"reason": reason}}
		if t.status != "created" { // The authority does not decide on drafts.
			patience = decidePatience
		}
	}
	a := r.ask(ctx, r.about(q, t))
	if !a.ok() && !a.isAmbiguous() && !(a.isNone() && r.verdictOn(a.entry()) == answers) {
		return false
	}
	for range r.looks(ctx, patience) { // If nothing shows it, the answer counts.
		if read := r.reread(ctx, t); read.isNone() || t.isOver() || !read.ok() && a.ok() {
			return true
		}
	}
	if !a.ok() || t.Noun == "invoice" || t.Noun == "order" || r.verdictOn("get_"+t.Noun) == answers || ctx.Err() != nil {
		return false
	}
	r.lingering = append(r.lingering, t.String())
	return true
}
