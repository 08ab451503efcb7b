package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// calls are the questions that are more than a request. Each reports whether it is done, or to be asked again.
var calls = map[string]func(context.Context, *run, *thing, string) (answer, bool){
	"reread": func(ctx context.Context, r *run, t *thing, _ string) (answer, bool) { return r.reread(ctx, t), true },
	"follow": func(ctx context.Context, r *run, t *thing, _ string) (answer, bool) { return r.reread(ctx, t), false },
	"known": func(_ context.Context, _ *run, t *thing, _ string) (answer, bool) {
		return answer{Response: einvoice.Response{Body: encoded(t.read)}}, true
	},
	"unknown": askUnknown, "companies": askCompanies, "fields": seeFields,
	"settings_put": putSettings, "twice": askTwice, "stored": seeStored, "lag": askLag,
	"update": askUpdate, "remove": askRemove, "create": create, "post_again": postAgain, "issue": issue, "cancel": cancel,
}

// seeStored compares what is read with what was sent.
func seeStored(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	a := r.reread(ctx, t)
	if !a.ok() {
		return a, t.listed || !r.canRead(t.entry())
	}
	var lacks, otherwise []string
	for _, name := range slices.Sorted(maps.Keys(t.Body)) {
		switch {
		case isEmpty(t.read[name]):
			lacks = append(lacks, name)
		case !same(decoded(encoded(t.Body[name])), t.read[name]):
			otherwise = append(otherwise, name)
		}
	}
	switch {
	case len(otherwise) > 0:
		r.copes("values_are_kept", "stored_otherwise", with{"on": t.label, "names": otherwise})
	case len(lacks) > 0:
		r.copes("values_are_kept", "fields_absent", with{"names": lacks})
	default:
		r.fits("values_are_kept", "stored", with{"on": t.label})
	}
	return a, true
}

// askLag looks for a new object in its list until it shows.
func askLag(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	items, _ := r.walk(ctx, t, t.Body)
	found, took, entry := t.among(items), r.clock.Now().Sub(t.since).Round(time.Second), t.entry()
	seen := with{"on": t.label, "list": entry, "took": took, "over": found == nil}
	switch {
	case !r.canRead(entry) && r.operations[entry] != nil:
		return answer{}, true
	case found == nil && took <= lagPatience:
		t.late = true
		return answer{}, false
	case found == nil && t.Noun == "invoice":
		if all, _ := r.walk(ctx, t, nil); t.among(all) != nil {
			r.breaks("integration_id_filter", "filter_misses", seen)
			return answer{}, true
		}
	}
	t.listed = true // Or it was looked for long enough.
	if found == nil || t.late || took <= lagUsual {
		r.measure("lag", words("lag_of", seen))
	}
	switch late := took > lagUsual && t.late; { // A late first look proves no lag.
	case found == nil || late && took > lagAllowed:
		r.breaks("lists_lag_briefly", "lag", seen)
	case late:
		r.copes("lists_lag_briefly", "lag", seen)
	case took <= lagUsual:
		r.fits("lists_lag_briefly", "lag", seen)
	}
	if found != nil && found.text("id") != t.id {
		r.fits("ids_ignore_case", "id_case", nil)
	}
	if found != nil && t.Noun == "invoice" && found["integrationId"] == nil {
		r.breaks("integration_id_filter", "name_absent", seen)
	} else if found != nil && t.Noun == "invoice" {
		r.fits("integration_id_filter", "filter_finds", seen)
	}
	return answer{}, true
}

// askUpdate sends back what was read, without one member and with another value of another one, and reads it again.
func askUpdate(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	const id = "update_merges_or_replaces"
	before, seen := t.read, with{"on": t.label, "word": t.LeftOut}
	body := without(before, t.LeftOut)
	maps.Copy(body, t.Change)
	a := r.ask(ctx, r.about(request{operation: "update_" + t.Noun, body: body}, t))
	if a.isRefusal() && t.LeftOut != "" {
		r.operations[a.entry()].Verdict = answers
		r.copes(id, "update_refused", seen)
	}
	if !a.ok() || !r.reread(ctx, t).ok() {
		return a, true
	}
	if !strings.EqualFold(t.read.text(t.Member), t.Change.text(t.Member)) {
		if r.verdictOn("get_"+t.Noun) == answers { // A list may lag.
			r.breaks(id, "update_nothing", seen)
		}
		return a, true
	}
	kept, moved, lost := compared(without(before, strings.Fields(t.Documented)...), t.read)
	if len(lost) > 0 {
		r.breaks("update_keeps_unknown_fields", "unknown_lost", with{"on": t.label, "names": lost})
	} else if len(kept)+len(moved) > 0 {
		r.fits("update_keeps_unknown_fields", "unknown_kept", with{"on": t.label, "kept": kept, "moved": moved})
	}
	switch was, is := before[t.LeftOut], t.read[t.LeftOut]; {
	case isEmpty(was): // Nothing was left out.
	case isEmpty(is):
		r.fits(id, "update_replaces", seen)
	case same(was, is):
		r.fits(id, "update_merges", seen)
	default:
		r.breaks(id, "update_other", seen)
	}
	return a, true
}

// askRemove removes an object while its list is known, and looks whether that is true.
func askRemove(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	t.gone = r.remove(ctx, t)
	switch a := r.answers["delete_"+t.Noun]; {
	case !a.ok() || slices.Contains(r.lingering, t.String()):
	case t.gone:
		r.fits("success_false_is_a_refusal", "deleted", nil)
	default:
		r.breaks("success_false_is_a_refusal", "undeleted", with{"on": t.label})
	}
	return answer{}, true
}

// askTwice makes an object once more, and a second one with the same key.
func askTwice(ctx context.Context, r *run, _ *thing, label string) (answer, bool) {
	body := r.kinds[label].Body
	if first := r.create(ctx, label, body); !first.ok() {
		return answer{}, true
	}
	known := len(r.made)
	switch a := r.create(ctx, label, body); {
	case a.isRefusal():
		r.copes("keys_may_repeat", "twice_refused", with{"on": label, "status": a.Status})
	case !a.ok() || a.object().text("id") == "":
	case len(r.made) == known:
		r.breaks("keys_may_repeat", "twice_first", with{"on": label})
	default:
		r.fits("keys_may_repeat", "twice_made", with{"on": label})
	}
	return answer{}, true
}

// create makes an object. If the service refuses an invoice with issue = false, it sends that without, and an order
// again with what it left out.
func create(ctx context.Context, r *run, _ *thing, label string) (answer, bool) {
	k := r.kinds[label]
	a := r.create(ctx, label, k.Body)
	if k.Otherwise == nil || !a.isRefusal() {
		return a, true
	}
	body := without(k.Body, "issue")
	maps.Copy(body, k.Otherwise)
	switch a = r.create(ctx, label, body); {
	case label == "service_invoice":
		r.breaks("issue_false_makes_a_draft", "draft_refused", with{"on": label})
	case label == "order" && a.ok():
		r.copes("order_fields", "order_needs_name", nil)
	}
	return a, true
}

// postAgain sends the payload of an invoice again: as a draft if it is one, else to be issued.
func postAgain(ctx context.Context, r *run, t *thing, _ string) (answer, bool) {
	before, state, known := t.read, t.status, len(r.made)
	t.did = text.Text{}
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
		did = "post_nothing"
		if r.look(ctx, r.about(request{operation: "issue_invoice"}, t)).ok() {
			_ = r.clock.Pause(ctx, lookEvery)
			if r.reread(ctx, t); isChanged() {
				did = "post_issues"
			}
		}
	case state != "created" && t.status == state || state == "created" && !isChanged():
		did = "post_nothing"
	}
	t.did, r.posted[state] = words(did, with{"status": a.Status}), did
	r.measure("second_post", words("second_post", with{"state": state, "did": t.did}))
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
	Body, Otherwise   object // of the creation, and its members once that was refused
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
	did       text.Text // what a second POST did
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
		goesOn, isTold := a.object()["hasNext"].(bool)
		total, _ := strconv.Atoi(a.object().text("totalCount"))
		if len(items) == 0 || !goesOn && (isTold || len(all) >= total) {
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
