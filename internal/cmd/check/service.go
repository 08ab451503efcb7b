package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// request is an operation with what it is asked.
type request struct {
	operation string
	model     string // the word of {model}
	ids       []string
	query     url.Values
	body      any
}

// answer is what came of a request.
type answer struct {
	einvoice.Response
	request

	parsed *parsed
	err    *einvoice.Error
}

func (a answer) ok() bool { return a.operation != "" && a.err == nil }

// outcome is an answer in one word. "none" is the answer of an operation or of an object that is not there.
func (a answer) outcome() string {
	switch {
	case a.ok():
		return "ok"
	case a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusNotImplemented:
		return "none"
	case a.Status == http.StatusBadRequest || a.Status == http.StatusUnprocessableEntity || a.Status == http.StatusConflict:
		return "refused"
	case a.Status == http.StatusForbidden || a.Status == http.StatusUnauthorized:
		return "forbidden"
	case a.Status == 0:
		return "silence"
	}
	return "failed"
}

func (a answer) isNone() bool    { return a.outcome() == "none" }
func (a answer) isRefusal() bool { return a.outcome() == "refused" }

// isAmbiguous reports whether the service may have done what it was asked, without a response that says so.
func (a answer) isAmbiguous() bool { return a.err != nil && errors.Is(a.err, einvoice.ErrAmbiguous) }

func (a answer) whole() *parsed {
	if a.parsed == nil {
		return bodyOf(a.Body)
	}
	return a.parsed
}

func (a answer) object() object { return a.whole().of }

func (a answer) items() []object { return a.whole().items }

// said is the service's own reason, without numbers that may be personal data.
func (a answer) said() string {
	if a.err == nil {
		return ""
	}
	said := a.err.Text
	if len(a.err.Messages) > 0 {
		said = strings.TrimSpace(a.err.Messages[0].Path + " " + a.err.Messages[0].Message)
	}
	return longDigits.ReplaceAllString(fmt.Sprintf("%.120s", said), "(...)")
}

// signature tells one kind of refusal from another, whatever id it is about.
func (a answer) signature() string {
	if a.err == nil {
		return "none"
	}
	return fmt.Sprintf("%d %t %t %.12s", a.Status, len(a.err.Messages) > 0, a.err.Text != "", a.said())
}

// entry is the name of an operation in the report: list_consumer_invoices.
func (q request) entry() string {
	if q.model == "" {
		return q.operation
	}
	if before, after, found := strings.Cut(q.operation, "invoice"); found {
		return before + q.model + "_invoice" + after
	}
	at := strings.LastIndex(q.operation, "_") + 1
	return q.operation[:at] + q.model + "_" + q.operation[at:]
}

func (q request) inTable() einvoice.Operation {
	at := slices.IndexFunc(einvoice.Operations, func(o einvoice.Operation) bool { return o.Name == q.operation })
	return einvoice.Operations[at]
}

// needsID reports whether the path names an object.
func (q request) needsID() bool {
	return strings.Contains(strings.ReplaceAll(q.inTable().Path, "{model}", ""), "{")
}

func (q request) isRead() bool { return q.inTable().Method == http.MethodGet }

// about fills in the ids that a request lacks: those of an object, or else of the company.
func (r *run) about(q request, t *thing) request {
	switch {
	case len(q.ids) > 0 || !q.needsID():
	case t == nil:
		q.ids = []string{r.companyID}
	default:
		if q.ids = []string{t.id}; q.inTable().Models != "" {
			q.model = t.Model
		}
	}
	return q
}

// everyRequest has an entry for each operation and model.
var everyRequest = func() (all []request) {
	for _, o := range einvoice.Operations {
		if o.Name == "preview_invoice" || strings.HasPrefix(o.Name, "get_correction_") {
			continue // A draft and a letter would be needed, and they are read by one data source alone.
		}
		if o.Models == "" {
			all = append(all, request{operation: o.Name})
		}
		for model := range strings.FieldsSeq(o.Models) {
			all = append(all, request{operation: o.Name, model: model})
		}
	}
	return all
}()

// look sends a request and draws no conclusion about its operation.
func (r *run) look(ctx context.Context, q request) answer { return r.lookWith(ctx, r.client, q) }

func (r *run) lookWith(ctx context.Context, client *einvoice.Client, q request) answer {
	if r.readOnly && !q.isRead() {
		return answer{request: q, err: &einvoice.Error{Err: errors.New("nothing is written")}}
	}
	values := q.ids
	if q.inTable().Models != "" {
		values = append([]string{q.model}, q.ids...)
	}
	got, err := client.Try(ctx, q.operation, values, q.query, q.body)
	r.requests++
	a := answer{Response: got, request: q, parsed: bodyOf(got.Body)}
	if errors.As(err, &a.err); a.ok() {
		r.watch(a)
	}
	return a
}

// ask sends a request about a collection, or an object that is known to exist, and notes whether the service has the
// operation. If it has not, the request is sent as integrations report it.
func (r *run) ask(ctx context.Context, q request) answer { return r.conclude(ctx, r.look(ctx, q)) }

func (r *run) conclude(ctx context.Context, a answer) answer {
	isList, entry, outcome := strings.HasPrefix(a.operation, "list_"), a.entry(), a.outcome()
	if a.ok() && (len(a.items()) > 0 || !r.answers[entry].ok() || !isList) {
		r.answers[entry] = a
	}
	switch {
	case a.ok() && isList:
		r.tell(a, answers, r.noteList(ctx, a))
	case a.ok(), a.isRefusal() && a.operation == "check_invoice_status":
		r.tell(a, answers, text.Text{})
	case outcome == "silence" && (r.readOnly || ctx.Err() != nil):
	case outcome == "none":
		if other, way := r.askOtherwise(ctx, a.request); other.ok() {
			r.instead[a.operation] = way
			r.tell(a, missing, words("way", with{"way": way}))
			return other
		}
		note := words("without_fails", nil)
		if text.Has("without." + entry) {
			note = text.Of("without."+entry, nil)
		}
		r.tell(a, missing, note)
	case outcome == "forbidden":
		r.tell(a, refused, words("forbidden", nil))
	case outcome == "silence":
		r.tell(a, notTried, words("no_answer", nil))
	default:
		r.tell(a, refused, words("said", with{"said": a.said()}))
	}
	return a
}

// noteList looks whether the provider can read a list, and returns what a reader should know of it.
func (r *run) noteList(ctx context.Context, a answer) (problem text.Text) {
	total := a.object().text("totalCount")
	switch isFirst := len(a.items()) == 0 && a.query.Get("page") == "1" && total != "0"; {
	case a.whole().problem != "":
		problem = words("list_problem", with{"problem": a.whole().problem})
	case isFirst:
		q := a.request
		q.query = maps.Clone(q.query)
		q.query.Set("page", "0")
		if before := r.look(ctx, q); len(before.items()) > 0 {
			problem = words("page_zero", nil)
		} else if total != "" {
			problem = words("page_empty", with{"total": total})
		}
	}
	if problem.IsZero() {
		r.fits("lists_have_items", "lists_read", nil)
	} else {
		r.unreadable[a.entry()] = true
		r.breaks("lists_have_items", "list_unreadable", with{"list": a.entry(), "problem": problem})
	}
	return problem
}

// canRead reports whether the service has a list that can be read.
func (r *run) canRead(entry string) bool {
	return r.verdictOn(entry) == answers && !r.unreadable[entry]
}

// verdictOn is "" for an operation that was not asked for.
func (r *run) verdictOn(entry string) string {
	if held := r.operations[entry]; held != nil {
		return held.Verdict
	}
	return ""
}

// reported are the other methods and paths by which integrations know an operation.
var reported = map[string]string{
	"cancel_invoice":    "POST /v1/{model}-invoices/{id}/cancel",
	"list_disablements": "GET /v1/{model}-invoices/disablement",
}

func (r *run) askOtherwise(ctx context.Context, q request) (a answer, way string) {
	o := q.inTable()
	way = reported[q.operation]
	if way == "" && o.Method == http.MethodPut {
		way = http.MethodPatch + " " + o.Path
	}
	if way == "" || o.BasisFor(q.model) == einvoice.Shown {
		return answer{}, ""
	}
	return r.lookWith(ctx, r.client.Asking(map[string]string{q.operation: way}), q), way
}

// askUnknown asks for a path that no service has, and then for an id that no object has.
func askUnknown(ctx context.Context, r *run, _ *thing, _ string) (answer, bool) {
	client := r.client.Asking(map[string]string{"list_orders": "GET /v1/" + r.name})
	r.noSuchPath = r.lookWith(ctx, client, request{operation: "list_orders"}).signature()
	a := r.look(ctx, request{operation: "get_invoice", model: "product", ids: []string{uuid.NewString()}})
	r.noSuchID = a.signature()
	return a, true
}

// probeRest asks for the operations that were not tried yet, with ids that no object has. It tells an operation that
// is there from one that is not if the service answers the two differently.
func (r *run) probeRest(ctx context.Context) {
	for _, q := range everyRequest {
		if r.operations[q.entry()] != nil || !q.needsID() || r.readOnly && !q.isRead() || ctx.Err() != nil {
			continue
		}
		q.ids = []string{uuid.NewString()}
		if q.operation == "get_inbound_document" {
			q.ids = append(q.ids, "xml")
		}
		if !q.isRead() {
			q.body = object{"reason": reason}
		}
		a := r.look(ctx, q)
		isTelling := r.noSuchID != r.noSuchPath
		switch like := a.signature(); {
		case a.ok() || a.isRefusal() || a.Status == http.StatusUnsupportedMediaType || isTelling && like == r.noSuchID:
			r.tell(a, answers, words("unknown_id", nil))
		case a.Status == http.StatusNotFound && !(isTelling && like == r.noSuchPath):
			r.tell(a, notTried, words("unknown_id_same", nil))
		default:
			r.conclude(ctx, a)
		}
	}
}

// object is a JSON object as the service sent it. Its numbers are json.Number.
type object map[string]any

func decoded(body []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func encoded(v any) []byte {
	body, _ := json.Marshal(v)
	return body
}

// parsed is the body of an answer: an object, or a list with its entries.
type parsed struct {
	of      object
	wrapped bool // below "result"
	items   []object
	problem string // why it is no list
}

func bodyOf(body []byte) *parsed {
	var p parsed
	p.of, _ = decoded(body).(map[string]any)
	if inner, ok := p.of["result"].(map[string]any); ok && p.of["id"] == nil {
		p.of, p.wrapped = inner, true
	}
	var entries []json.RawMessage
	entries, p.problem = einvoice.ListIn(body)
	for _, entry := range entries {
		of, _ := decoded(entry).(map[string]any)
		p.items = append(p.items, of)
	}
	return &p
}

// plain is a scalar as text, "" for anything else.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (o object) text(name string) string { return plain(o[name]) }

func (o object) part(name string) object {
	of, _ := o[name].(map[string]any)
	return of
}

// without is an object without some members.
func without(of object, names ...string) object {
	of = maps.Clone(of)
	for _, name := range names {
		delete(of, name)
	}
	return of
}

// member is a value below an object as JSON, "" for none: a.b.0.c.
func (o object) member(path string) string {
	var value any = map[string]any(o)
	for part := range strings.SplitSeq(path, ".") {
		if array, isArray := value.([]any); isArray {
			if at, _ := strconv.Atoi(part); at < len(array) {
				value = array[at]
				continue
			}
		}
		of, _ := value.(map[string]any)
		member, has := of[part]
		if value = member; !has {
			return ""
		}
	}
	return string(encoded(value))
}

var (
	decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	// something is a value in JSON: not null, "", or an object or array of such.
	something = regexp.MustCompile(`(^|:|\[)("[^"]|[\d-]|true|false)`)
	// longDigits are tax numbers, access keys and the like, also with their punctuation.
	longDigits = regexp.MustCompile(`\d[\d./-]{6,}\d`)
	stamps     = regexp.MustCompile(`(?i)stamp|modif|updat|revision|version|etag`)
	datetime   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d`)
)

func isEmpty(v any) bool { return !something.Match(encoded(v)) }

// isUnset reports whether a value may be that of a member without one: an enumeration is 0 then.
func isUnset(v any) bool { return isEmpty(v) || plain(v) == "0" || v == false }

// movesByItself reports whether the service changes a member by itself: a stamp, a version or a date.
func movesByItself(name string, value any) bool {
	return stamps.MatchString(name) || datetime.MatchString(plain(value))
}

// same reports whether a stored value is what was sent, however it is spelled.
func same(sent, stored any) bool { return canonical(sent) == canonical(stored) }

func canonical(v any) string {
	s := plain(v)
	if decimal.MatchString(s) && strings.Contains(s, ".") {
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "" {
		return string(encoded(v))
	}
	return s
}

// compared sorts the members that were sent as they were read by what became of them. The service itself changes one
// that has got another value, such as a stamp. One that is empty now is lost.
func compared(before, after object) (kept, moved, lost []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch was, is := before[name], after[name]; {
		case same(was, is) || isEmpty(was) && isEmpty(is):
			kept = append(kept, name)
		case isUnset(is) && !movesByItself(name, was):
			lost = append(lost, name)
		default:
			moved = append(moved, name)
		}
	}
	return kept, moved, lost
}

// randomTaxNumber is a CPF or CNPJ with right check digits. It names nobody.
func randomTaxNumber(length int) (number string) {
	for number == "" || fiscal.CheckTaxNumber(number) != nil {
		number = fmt.Sprintf("%019d", rand.Int64())[19-length:] //nolint:gosec // No secret.
	}
	return number
}

func firstPage() url.Values { return url.Values{"page": {"1"}, "pageSize": {"100"}} }
