package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

const (
	namePrefix = "einvoice-check-" // of all objects that the program makes
	lookEvery  = 2 * time.Second
	sayEvery   = 15 * time.Second
	// askingPatience and probingPatience end in time for a report within three minutes.
	askingPatience  = 140 * time.Second
	probingPatience = 25 * time.Second
)

type with = text.With

// words is a text of the program.
func words(key string, with with) text.Text { return text.Of("check."+key, with) }

// run is one run of the program.
type run struct {
	client    *einvoice.Client
	key       string
	language  text.Language
	readOnly  bool
	companyID string // whose settings are read; found where it is not given
	clock     poll.Clock
	progress  io.Writer

	questions            []question
	kinds                map[string]kind // by the label of the object that a question is about
	requests             int
	name, cpf, cnpj      string // of all that this run makes
	operations           map[string]*operationResult
	assumptions          map[string]*assumptionResult
	measured             []measurement
	posted               map[string]string // what a second POST does, by the state of the invoice
	instead              map[string]string // operations that another method or path answered
	unreadable           map[string]bool   // lists, by entry
	answers              map[string]answer // by entry, the last one that can be used
	things               map[string]*thing // what the questions are about, by label
	made, doubts         []*thing          // all that is to be removed, and creations without a usable answer
	left, lingering      []string          // what could not be removed, and what was and lists still show
	changed              []string          // settings that could not be put back
	environments         map[string]string // by word of {model}
	production           []string          // models that are not issued
	noSuchPath, noSuchID string            // the answers to a path that no service has, and an id that no object has
	isCut                bool              // it did not ask everything
	printed              time.Time         // when the findings were
}

func newRun(l text.Language) *run {
	return &run{
		language: l, clock: poll.RealTime, progress: io.Discard, questions: readQuestions(),
		operations: map[string]*operationResult{}, assumptions: map[string]*assumptionResult{},
		posted: map[string]string{}, instead: map[string]string{}, unreadable: map[string]bool{},
		answers: map[string]answer{}, things: map[string]*thing{}, environments: map[string]string{},
		name: fmt.Sprintf("%s%08x", namePrefix, rand.Uint32()), //nolint:gosec // No secret.
		cpf:  randomTaxNumber(11), cnpj: randomTaxNumber(14),
	}
}

func (r *run) connect(config einvoice.Config) (err error) {
	if err = json.Unmarshal([]byte(r.fill(objectsFile)), &r.kinds); err == nil {
		r.key = config.APIKey
		r.client, err = einvoice.New(config)
	}
	return err
}

// in renders a text in the language of the run.
func (r *run) in(t text.Text) string { return t.InLanguage(r.language) }

// pending is a question that is not settled.
type pending struct {
	question

	isAsked bool
	due     time.Time
}

// askAll asks the questions until each is settled or time is up. New ones go first, but every second request is for
// one that is asked again, such as the status of an invoice.
func (r *run) askAll(ctx context.Context) error {
	began := r.clock.Now()
	r.say(words("begins", nil))
	timed, cancel := context.WithTimeout(ctx, askingPatience)
	defer cancel()
	if err := r.access(timed); err != nil {
		return err
	}
	var open []*pending
	for _, q := range r.questions {
		if !q.isWatch() {
			open = append(open, &pending{question: q})
		}
	}
	all, said := len(open), began
	isTime := func() bool { return timed.Err() == nil && r.clock.Now().Sub(began) < askingPatience }
	for again := false; isTime(); {
		q := r.next(open, again)
		if q == nil {
			break
		}
		if now := r.clock.Now(); now.Sub(said) >= sayEvery {
			said = now
			r.say(words("progress", with{"took": now.Sub(began), "requests": r.requests, "answered": all - len(open), "all": all}))
		}
		if wait := q.due.Sub(r.clock.Now()); wait > 0 {
			_ = r.clock.Pause(timed, wait)
			continue
		}
		again = !q.isAsked
		isDone := r.put(timed, q.question)
		if q.isAsked, q.due = true, r.clock.Now().Add(lookEvery); isDone {
			open = slices.DeleteFunc(open, func(p *pending) bool { return p == q })
		}
	}
	r.isCut = !isTime()
	for _, q := range open {
		if why := r.lacksAny(q.question); q.isAsked || why.IsZero() {
			r.unclear(q.id, words("cut_short", nil))
		} else {
			r.unclear(q.id, why)
		}
	}
	probing, stop := context.WithTimeout(ctx, probingPatience)
	defer stop()
	if r.probeRest(probing); ctx.Err() != nil {
		return text.NewError("check.interrupted", nil)
	}
	return nil
}

// next is the question to ask now, or the first one to come. nil: none has what it needs.
func (r *run) next(open []*pending, again bool) *pending {
	var fresh, repeat *pending
	for _, q := range open {
		switch {
		case !q.isAsked && fresh != nil, !r.lacksAny(q.question).IsZero():
		case !q.isAsked:
			fresh = q
		case repeat == nil || q.due.Before(repeat.due):
			repeat = q
		}
	}
	if fresh != nil && (repeat == nil || !again || repeat.due.After(r.clock.Now())) {
		return fresh
	}
	return repeat
}

// access asks for what every service has.
func (r *run) access(ctx context.Context) error {
	a := r.ask(ctx, request{operation: "list_customers", query: firstPage()})
	if a.isRefusal() {
		r.copes("page_size_100", "page_refused", nil)
		a = r.ask(ctx, request{operation: "list_customers"})
	}
	switch {
	case a.ok():
		return nil
	case a.outcome() == "forbidden":
		return text.NewError("check.no_access", with{"status": a.Status})
	}
	return text.NewError("check.no_service", with{"reason": a.err.Error()})
}

func (r *run) fits(id, key string, with with) { r.note(id, holds, true, words(key, with)) }

// copes notes a difference that the provider copes with, breaks one that it does not cope with.
func (r *run) copes(id, key string, with with)  { r.note(id, differs, true, words(key, with)) }
func (r *run) breaks(id, key string, with with) { r.note(id, differs, false, words(key, with)) }
func (r *run) unclear(id string, why text.Text) { r.note(id, notSeen, true, why) }

// note adds to what was seen of an assumption. A difference replaces what fits, and both replace what is unclear.
func (r *run) note(id, verdict string, coped bool, seen text.Text) {
	if !slices.ContainsFunc(assumptions, func(a assumption) bool { return a.id == id }) {
		return
	}
	held := r.assumption(id)
	switch {
	case verdict == held.Verdict && (verdict != notSeen || held.Seen == ""):
	case verdict != held.Verdict && (verdict == differs || held.Verdict == notSeen):
		held.Verdict, held.Coped, held.Seen = verdict, true, ""
	default:
		return
	}
	held.Coped = held.Coped && coped
	if also := r.in(seen); !slices.Contains(strings.Split(held.Seen, "; "), also) {
		held.Seen = strings.TrimPrefix(held.Seen+"; "+also, "; ")
	}
}

func (r *run) assumption(id string) *assumptionResult {
	if r.assumptions[id] == nil {
		assumed, _ := r.assumed(id)
		r.assumptions[id] = &assumptionResult{id, assumed, notSeen, "", true}
	}
	return r.assumptions[id]
}

// assumed is an assumption in words, and what the provider does otherwise.
func (r *run) assumed(id string) (assumed, otherwise string) {
	assumed, otherwise, _ = strings.Cut(r.in(text.Of("assumption."+id, nil)), "\n\n")
	return assumed, otherwise
}

// tell notes a verdict on an operation. The first one counts, but "answers" replaces all others, and an object that
// exists replaces an unknown one.
func (r *run) tell(a answer, verdict string, note text.Text) {
	held := r.verdictOn(a.entry())
	if held == "" || held != answers && (verdict == answers || held == notTried) {
		basis := a.inTable().BasisFor(a.model)
		r.operations[a.entry()] = &operationResult{a.entry(), basis, verdict, a.Status, r.in(note)}
	}
}

// measure notes a figure or a manner of the service.
func (r *run) measure(id string, seen text.Text) {
	if m := (measurement{id, r.in(seen)}); !slices.Contains(r.measured, m) {
		r.measured = append(r.measured, m)
	}
}

// looks yields at once, and then from time to time for as long as there is patience.
func (r *run) looks(ctx context.Context, patience time.Duration) iter.Seq[int] {
	since := r.clock.Now()
	return func(yield func(int) bool) {
		for n := 0; yield(n) && ctx.Err() == nil && r.clock.Now().Sub(since) <= patience; n++ {
			_ = r.clock.Pause(ctx, lookEvery)
		}
	}
}

// say writes a line of progress.
func (r *run) say(t text.Text) { fmt.Fprintln(r.progress, r.in(t)) }

// lacksAny is what is missing for a question.
func (r *run) lacksAny(q question) text.Text {
	needs := q.says["needs"]
	if q.on != "" {
		needs = "made " + q.on + ";" + needs
	}
	for need := range strings.SplitSeq(needs, ";") {
		word, of, _ := strings.Cut(strings.TrimSpace(need), " ")
		if why := r.lacks(word, of); !why.IsZero() {
			return why
		}
	}
	return text.Text{}
}

// lacks returns what is missing for a need: a word, and what it is about.
func (r *run) lacks(word, of string) text.Text {
	t, k, why := r.things[of], r.kinds[of], text.Of("lacks."+word, nil)
	if t == nil {
		t = &thing{gone: true, splits: true, unread: mostUnread + 1}
	}
	switch word {
	case "answer", "items", "issued", "list":
		why = r.unasked(of)
	case "deleted":
		why = r.unasked("delete_" + of)
	case "made":
		why = r.unasked(request{operation: "create_" + k.Noun, model: k.Model}.entry())
	case "test":
		why = r.untried(request{operation: "create_invoice", model: of})
	case "created", "enqueued", "authorized", "rejected", "canceled", "decided":
		why = text.Of("lacks.state", with{"state": word, "of": of})
		isState := t.status == word || word == "decided" && (t.status == "authorized" || t.status == "rejected")
		if isState && !t.moving && r.lacks("test", t.Model).IsZero() {
			return text.Text{}
		}
	}
	is := map[string]bool{
		"": true, "write": !r.readOnly, "company": r.companyID != "", "unissued": len(r.production) == 0,
		"answer": r.answers[of].ok(), "items": len(r.answers[of].items()) > 0, "issued": isAuthorized(r.first(of)),
		"refused":  r.verdictOn(of) == refused,             // but there
		"invoiced": r.invoiced(of) != "",                   // an order that a list of invoices names
		"list":     r.verdictOn(of) == "" || r.canRead(of), // or not tried yet
		"made":     !t.gone, "listed": t.listed || t.id != "" && !r.canRead(k.entry()),
		"deleted": t.id != "" && t.gone && r.verdictOn("delete_"+of) == answers,
		"open":    t.isOpen() && t.unread <= mostUnread, "canceling": !t.asked.IsZero(),
		"whole": !t.splits, "first": r.posted[of] == "", // second POST in this state
	}
	// An order may issue where autoIssueMode is ignored. A test is the environment of a model.
	is["harmless"] = is["unissued"] && isTest(r.environments["service"])
	is["test"] = isTest(r.environments[of]) && !slices.Contains(r.production, of)
	is["tried"] = r.verdictOn(of) != "" || !is["harmless"] // an operation, if it can be
	if is[word] {
		return text.Text{}
	}
	return why
}

// unasked says why an entry has shown nothing: it was not tried, failed, or holds nothing.
func (r *run) unasked(entry string) text.Text {
	switch held := r.operations[entry]; {
	case held == nil:
		for _, q := range everyRequest {
			if q.entry() == entry {
				return r.untried(q)
			}
		}
	case held.Verdict != answers:
		return words("unusable", with{"operation": entry, "verdict": held.Verdict})
	case strings.HasPrefix(entry, "list_"):
		return words("empty_list", with{"list": entry, "unreadable": r.unreadable[entry]})
	}
	return text.Of("lacks.object", nil)
}

// untried says why an operation was not tried.
func (r *run) untried(q request) text.Text {
	isMade := q.operation == "create_invoice" || q.operation == "create_order"
	switch {
	case r.readOnly && !q.isRead():
		return text.Of("lacks.write", nil)
	case slices.Contains([]string{"create_company", "rotate_webhook_secret", "sync_inbound"}, q.operation):
		return words("never", nil)
	case r.isCut:
		return words("cut_short", nil)
	case r.companyID == "" && (isMade || strings.Contains(q.inTable().Path, "companies/")):
		return text.Of("lacks.company", nil)
	case isMade && q.model == "":
		return text.Of("lacks.harmless", nil)
	case isMade:
		return words("not_issued", with{"environment": cmp.Or(r.environments[q.model], "?")})
	}
	return text.Of("lacks.object", nil)
}
