package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

//go:embed objects.json
var objectsFile string

const (
	reason          = "Nota de teste, emitida por einvoice-check"
	lagUsual        = 10 * time.Second
	decidePatience  = time.Minute // for the authority
	cleanUpPatience = 5 * time.Minute
	mostPages       = 10
	mostUnread      = 3 // reads of an object that fail
)

var (
	lagAllowed  = einvoice.Patience(0)        // what the provider waits for by default
	lagPatience = lagAllowed + 10*time.Second // how long a list is looked at
)

// kind is a kind of objects that a run makes, as objects.json has it.
type kind struct {
	Noun, List, Model string
	Member            string // that has the name of the run
	Body              object // of the creation
	Change            object // what an update changes
	LeftOut           string // the member that it leaves out, "" for none
	Documented        string // the members of a read
}

// entry is the name of the list in the report.
func (k kind) entry() string { return request{operation: k.List, model: k.Model}.entry() }

// thing is an object that the run has made.
type thing struct {
	kind

	label, id string
	read      object // as it was read last
	status    string // in lower case
	since     time.Time
	asked     time.Time // for its cancellation
	unread    int       // reads that failed
	moving    bool      // something was asked for that changes the status
	late      bool      // a look has not found it in its list
	listed    bool      // its list shows it, or was looked at for long enough
	splits    bool      // a second POST made another one
	gone      bool      // removed, or tried
}

func (t *thing) String() string { return t.label + " " + t.id }

// isOpen reports whether the status of an invoice may change by itself.
func (t *thing) isOpen() bool {
	return t.moving || slices.Contains([]string{"", "enqueued", "received", "incontingent"}, t.status)
}

// isOver reports whether an object needs no removal, by how it was read.
func (t *thing) isOver() bool {
	return t.status == "canceled" || t.status == "removed" || t.Noun == "invoice" && !t.isOpen() &&
		t.status != "authorized" && t.status != "created"
}

// create sends a body, and keeps the object that it made. What came of a lost answer is looked up in the end.
func (r *run) create(ctx context.Context, label string, body object) answer {
	t := &thing{kind: r.kinds[label], label: label}
	a := r.ask(ctx, request{operation: "create_" + t.Noun, model: t.Model, body: body})
	switch made := a.object(); {
	case a.err != nil && !a.isAmbiguous():
	case made.text("id") == "":
		r.doubts = append(r.doubts, t)
	default:
		r.keep(t, made)
	}
	return a
}

// keep remembers an object until it is removed, and reports whether it was unknown. The first of its label is asked
// about.
func (r *run) keep(t *thing, made object) (isNew bool) {
	t.id, t.since = made.text("id"), r.clock.Now()
	at := slices.IndexFunc(r.made, func(known *thing) bool {
		return known.entry() == t.entry() && strings.EqualFold(known.id, t.id)
	})
	if isNew = at < 0; isNew {
		r.made = append(r.made, t)
	} else {
		t = r.made[at]
	}
	if r.things[t.label] == nil {
		r.things[t.label] = t
	}
	r.see(t, made)
	return isNew
}

// see notes how an object was read. An environment against the settings ends all issuing. An order may have issued
// invoices against its autoIssueMode: they are canceled.
func (r *run) see(t *thing, read object) {
	t.read = read
	if status := strings.ToLower(read.text("status")); status != "" {
		t.moving, t.status = t.moving && status == t.status, status
		t.gone = t.gone && t.isOver()
	}
	if t.Noun == "invoice" && strings.EqualFold(read.text("environmentType"), "production") {
		if !slices.Contains(r.production, t.Model) {
			r.production = append(r.production, t.Model)
		}
		clear(r.environments)
	}
	issued, _ := read["invoices"].([]any)
	for _, each := range issued {
		invoice, _ := each.(map[string]any)
		label := strings.TrimSuffix(object(invoice).text("model"), "Invoice") + "_invoice"
		r.breaks("order_fields", "order_issues", nil)
		r.keep(&thing{kind: r.kinds[label], label: label}, invoice)
	}
}

// reread reads an object by its id, else from its list. The status is 404 if a complete list does not show it.
func (r *run) reread(ctx context.Context, t *thing) answer {
	a := r.ask(ctx, r.about(request{operation: "get_" + t.Noun}, t))
	if !a.ok() && r.verdictOn(a.entry()) != answers {
		items, isComplete := r.walk(ctx, t, t.Body)
		if found := t.among(items); found != nil {
			a.err, a.parsed, a.Response = nil, nil, einvoice.Response{Status: http.StatusOK, Body: encoded(found)}
		} else if isComplete {
			a.Status = http.StatusNotFound
		}
	}
	if a.ok() {
		r.see(t, a.object())
	} else {
		t.unread++
	}
	return a
}

func (t *thing) among(items []object) (found object) {
	for _, item := range items {
		if strings.EqualFold(item.text("id"), t.id) {
			found = item
		}
	}
	return found
}

// walk reads the list of an object, under the name in a body if the list can be filtered. isComplete reports whether
// it was read to its end.
func (r *run) walk(ctx context.Context, t *thing, body object) (all []object, isComplete bool) {
	filter := ""
	if t.Noun == "order" { // The provider asks with a period.
		filter = " initialDate={past} endDate={future}"
	}
	if name := body.text(t.Member); name != "" && (t.Noun == "order" || t.Noun == "invoice") {
		filter += " " + t.Member + "=" + name
	}
	for number := 1; number <= mostPages && ctx.Err() == nil; number++ {
		line := fmt.Sprintf("%s:%s page=%d pageSize=100%s", t.List, t.Model, number, filter)
		a := r.look(ctx, r.requestIn(line, nil))
		if !a.ok() || !r.noteList(ctx, a).IsZero() {
			return all, false
		}
		items := a.items()
		if len(items) > 0 {
			r.answers[a.entry()] = a
		}
		all = append(all, items...)
		if len(items) == 0 || !goesOn(a.whole().around, len(all), len(items)) {
			return all, true
		}
	}
	return all, false
}

// adopt keeps the objects of this run that a list shows, and reports whether one was unknown.
func (r *run) adopt(ctx context.Context, label string) (isFound bool) {
	k := r.kinds[label]
	items, _ := r.walk(ctx, &thing{kind: k}, k.Body)
	for _, item := range items {
		if strings.Contains(strings.ToLower(item.text(k.Member)), r.name) && item.text("id") != "" {
			isFound = r.keep(&thing{kind: k, label: label}, item) || isFound
		}
	}
	return isFound
}

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
	if r.things["order"] != nil {
		r.adopt(ctx, "customer")
		r.adopt(ctx, "product")
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
