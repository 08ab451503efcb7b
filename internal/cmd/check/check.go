package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
)

// namePrefix begins the names of all objects that the program makes.
const namePrefix = "einvoice-check-"

// check is one run.
type check struct {
	config    einvoice.Config
	client    *einvoice.Client
	readOnly  bool
	companyID string // whose settings are read; found where it is not given
	now       func() time.Time
	pause     func(context.Context, time.Duration) error
	progress  io.Writer

	requests     atomic.Int64
	name         string // of all that this run makes
	operations   map[string]*operationResult
	assumptions  map[string]*assumptionResult
	instead      map[string]string // operations that another method or path answered
	posted       time.Time         // when the last creation was answered
	made         []made
	removed      []string // labels
	left         []string
	lingering    []string // what was removed and lists still show
	changed      []string // settings that could not be put back
	doubts       []doubt
	unreadable   map[string]bool // lists, by entry
	invoiced     []string        // ids of orders that invoices name
	wrote        bool
	isCut        bool              // it did not ask everything
	environments map[string]string // by word of {model}
	production   []string          // models that are not issued
	reissued     bool              // a second POST of an authorized invoice was tried
	draftsStay   bool              // a draft was still there after its deletion
	noSuchPath   string            // the answer to a path that no service has
	noSuchID     string            // the answer to an id that no object has
}

// made is something at the service that is to be removed.
type made struct {
	label  string
	remove func(context.Context) bool
}

// question is an operation with what it is asked.
type question struct {
	operation string
	model     string // the word of {model}
	ids       []string
	query     url.Values
	body      any
}

// answer is what came of a question.
type answer struct {
	einvoice.Response

	err *einvoice.Error
}

func (a answer) ok() bool { return a.err == nil }

// isNone reports whether the status is that of an operation that is not there.
func (a answer) isNone() bool {
	return slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, a.Status)
}

func (a answer) isForbidden() bool {
	return a.Status == http.StatusForbidden || a.Status == http.StatusUnauthorized
}

// isRefusal reports whether the service understood the question and refused it.
func (a answer) isRefusal() bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusConflict}, a.Status)
}

// said is the service's own reason, without numbers that may be personal data.
func (a answer) said() string {
	if a.err == nil {
		return ""
	}
	words := a.err.Text
	if a.Status == 0 {
		words = "no readable answer"
	}
	if len(a.err.Messages) > 0 {
		words = strings.TrimSpace(a.err.Messages[0].Path + " " + a.err.Messages[0].Message)
	}
	if runes := []rune(words); len(runes) > 120 {
		words = string(runes[:120]) + "..."
	}
	return longDigits.ReplaceAllString(words, "(number)")
}

// signature tells one kind of refusal from another, whatever id it is about.
func (a answer) signature() string {
	if a.err == nil {
		return "none"
	}
	words := a.said()
	return fmt.Sprint(a.Status, len(a.err.Messages) > 0, a.err.Text != "", words[:min(len(words), 12)])
}

func newCheck(config einvoice.Config) (*check, error) {
	c := &check{
		config: config, now: time.Now, pause: poll.Pause, progress: io.Discard,
		operations: map[string]*operationResult{}, assumptions: map[string]*assumptionResult{},
		instead: map[string]string{}, environments: map[string]string{}, unreadable: map[string]bool{},
	}
	random := make([]byte, 4)
	_, _ = rand.Read(random)
	c.name = namePrefix + hex.EncodeToString(random)
	c.config.Wrap = func(next http.RoundTripper) http.RoundTripper { return counted{next, &c.requests} }
	var err error
	c.client, err = einvoice.New(c.config)
	return c, err
}

// counted counts the requests that leave.
type counted struct {
	http.RoundTripper

	requests *atomic.Int64
}

func (t counted) RoundTrip(r *http.Request) (*http.Response, error) {
	t.requests.Add(1)
	return t.RoundTripper.RoundTrip(r)
}

// until looks until it is the last look, or for as long as it has patience.
func (c *check) until(ctx context.Context, since time.Time, patience time.Duration, look func() (isLast bool)) {
	for !look() && ctx.Err() == nil && c.now().Sub(since) <= patience {
		_ = c.pause(ctx, lookEvery)
	}
}

// look asks without drawing a conclusion about the operation.
func (c *check) look(ctx context.Context, q question) answer { return c.lookWith(ctx, c.client, q) }

func (c *check) lookWith(ctx context.Context, client *einvoice.Client, q question) answer {
	o := c.tableEntry(q.operation)
	if c.readOnly && o.Method != http.MethodGet {
		return answer{err: &einvoice.Error{Err: errors.New("nothing is written")}}
	}
	c.wrote = c.wrote || o.Method != http.MethodGet
	values := q.ids
	if o.Models != "" {
		values = append([]string{q.model}, q.ids...)
	}
	got, err := client.Try(ctx, q.operation, values, q.query, q.body)
	a := answer{Response: got}
	errors.As(err, &a.err)
	c.noteDoubt(q, a)
	if a.ok() {
		c.seeLimit(a.Header)
	}
	return a
}

func (c *check) tableEntry(name string) einvoice.Operation {
	at := slices.IndexFunc(einvoice.Operations, func(o einvoice.Operation) bool { return o.Name == name })
	return einvoice.Operations[at]
}

// ask asks about a collection, or an object that is known to be there, and notes whether
// the service has the operation. Where it has not, it is asked as integrations report it.
func (c *check) ask(ctx context.Context, q question) answer {
	return c.judge(ctx, q, c.look(ctx, q))
}

func (c *check) judge(ctx context.Context, q question, a answer) answer {
	switch {
	case a.ok() && strings.HasPrefix(q.operation, "list_"):
		c.tell(q, answers, a.Status, c.seeItems(ctx, q, a.Body))
	case a.ok():
		c.tell(q, answers, a.Status, "")
	case a.Status == 0 && (c.readOnly || ctx.Err() != nil):
	case a.isNone():
		if other, way := c.askOtherwise(ctx, q); other.ok() && way != "" {
			c.instead[q.operation] = way
			c.tell(q, missing, a.Status, way+" answers instead; see operations below")
			return other
		}
		c.tell(q, missing, a.Status, without(q.entry()))
	case a.isForbidden():
		c.tell(q, refused, a.Status, "not allowed for this key, or not in this account's plan")
	case a.Status == 0:
		c.tell(q, notTried, 0, a.said())
	default:
		c.tell(q, refused, a.Status, a.said())
	}
	return a
}

// seeItems looks whether a list can be read, and returns what a reader should know of it.
func (c *check) seeItems(ctx context.Context, q question, body []byte) string {
	problem := c.hidden(ctx, q, body)
	if problem == "" {
		c.holds("lists_have_items", "the lists can be read")
		return ""
	}
	c.unreadable[q.entry()] = true
	c.differs("lists_have_items", false, q.entry()+" cannot be read: "+problem)
	return "it cannot be read: " + problem
}

// hidden says why the items of a list cannot be read, "" if they can.
func (c *check) hidden(ctx context.Context, q question, body []byte) (problem string) {
	entries, problem := einvoice.ListIn(body)
	around, _ := objectIn(body)
	total := around.text("totalCount")
	if problem != "" || len(entries) > 0 || q.query.Get("page") != "1" || total == "0" {
		return problem
	}
	q.query = maps.Clone(q.query)
	q.query.Set("page", "0")
	switch before, _, _ := itemsIn(c.look(ctx, q).Body); {
	case len(before) > 0:
		return "its first page is page 0"
	case total != "":
		return "page 1 is empty, and totalCount is " + total
	}
	return ""
}

// canRead reports whether the service has a list that can be read.
func (c *check) canRead(list question) bool {
	return c.hasAnswered(list.entry()) && !c.unreadable[list.entry()]
}

// lookOtherwise is look, and asks as integrations report the operation where it is not there.
func (c *check) lookOtherwise(ctx context.Context, q question) answer {
	a := c.look(ctx, q)
	if a.isNone() {
		if other, way := c.askOtherwise(ctx, q); way != "" {
			return other
		}
	}
	return a
}

// reported are the other methods and paths by which integrations know an operation.
var reported = map[string]string{
	"cancel_invoice":    "POST /v1/{model}-invoices/{id}/cancel",
	"list_disablements": "GET /v1/{model}-invoices/disablement",
}

func (c *check) askOtherwise(ctx context.Context, q question) (a answer, way string) {
	o := c.tableEntry(q.operation)
	way = reported[q.operation]
	if way == "" && o.Method == http.MethodPut {
		way = http.MethodPatch + " " + o.Path
	}
	if way == "" || o.BasisFor(q.model) == einvoice.Shown {
		return answer{}, ""
	}
	return c.lookWith(ctx, c.client.Asking(map[string]string{q.operation: way}), q), way
}

// unknownID is the note on an operation that was tried on no object.
const unknownID = "asked with an unknown id"

// probe asks with an id that no object has. It tells an operation that is there from one
// that is not where the service answers the two differently.
func (c *check) probe(ctx context.Context, q question) {
	for range einvoice.Placeholders(c.tableEntry(q.operation).Path) {
		q.ids = append(q.ids, uuid.NewString())
	}
	if c.tableEntry(q.operation).Models != "" {
		q.ids = q.ids[1:]
	}
	switch q.operation {
	case "get_inbound_document":
		q.ids[1] = "xml"
	case "cancel_invoice":
		q.body = object{"reason": reason}
	default:
		if c.tableEntry(q.operation).Method != http.MethodGet {
			q.body = object{}
		}
	}
	a := c.look(ctx, q)
	isTelling := c.noSuchID != c.noSuchPath
	switch like := a.signature(); {
	case a.ok() || a.isRefusal() || a.Status == http.StatusUnsupportedMediaType || isTelling && like == c.noSuchID:
		c.tell(q, answers, a.Status, unknownID)
	case a.Status == http.StatusNotFound && !(isTelling && like == c.noSuchPath):
		c.tell(q, notTried, a.Status, unknownID+": a missing operation would get the same answer")
	default:
		c.judge(ctx, q, a)
	}
}

// learnRefusals asks for a path that no service has, and for an id that no object has.
func (c *check) learnRefusals(ctx context.Context) {
	client := c.client.Asking(map[string]string{"list_orders": "GET /v1/" + c.name})
	c.noSuchPath = c.lookWith(ctx, client, question{operation: "list_orders"}).signature()
	a := c.look(ctx, question{operation: "get_invoice", model: "product", ids: []string{uuid.NewString()}})
	c.noSuchID = a.signature()
	switch {
	case a.Status == http.StatusNotFound:
		c.holds("statuses_mean_http", "the answer to an unknown id is 404")
	case a.Status == http.StatusBadRequest || a.ok():
		c.differs("statuses_mean_http", false, fmt.Sprintf("the answer to an unknown id is %d", a.Status))
	}
	if a.err != nil && len(a.err.Messages) > 0 {
		c.holds("errors_have_messages", "a message with a 404")
	}
}

// keep remembers what was made until it is removed.
func (c *check) keep(label string, remove func(context.Context) bool) {
	if !slices.ContainsFunc(c.made, func(m made) bool { return strings.EqualFold(m.label, label) }) {
		c.made = append(c.made, made{label, remove})
	}
}

// gone notes that something that was made needs no removal any more.
func (c *check) gone(label string) {
	c.made = slices.DeleteFunc(c.made, func(m made) bool { return m.label == label })
}

// cleanUp removes what is still there, the newest first.
func (c *check) cleanUp(ctx context.Context) {
	if !c.wrote {
		return
	}
	c.say("removing the objects that were made")
	c.settleDoubts(ctx)
	c.removeMade(ctx)
	c.sweep(ctx)
	c.removeMade(ctx)
}

func (c *check) removeMade(ctx context.Context) {
	kept := c.made
	c.made = nil // An order that is canceled may show invoices to be canceled next.
	for _, m := range slices.Backward(kept) {
		if !m.remove(ctx) {
			c.left = append(c.left, m.label)
		}
	}
}

// say writes a line of progress.
func (c *check) say(format string, values ...any) {
	fmt.Fprintf(c.progress, format+"\n", values...)
}
