package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The files of testdata/conversations hold what is sent, and below it what has to be answered. The first of them, by
// name, says how they are read.
func TestCertificates_areKeptAsSpecified(t *testing.T)    { t.Parallel(); converse(t, "certificates") }
func TestCompanies_areServedAsSpecified(t *testing.T)     { t.Parallel(); converse(t, "companies") }
func TestCustomers_areServedAsSpecified(t *testing.T)     { t.Parallel(); converse(t, "customers") }
func TestDeliveries_areMadeAsSpecified(t *testing.T)      { t.Parallel(); converse(t, "deliveries") }
func TestInvoices_areServedAsSpecified(t *testing.T)      { t.Parallel(); converse(t, "invoices") }
func TestLimits_areThoseOfTheSpecification(t *testing.T)  { t.Parallel(); converse(t, "limits") }
func TestOptions_changeOneAnswer(t *testing.T)            { t.Parallel(); converse(t, "options") }
func TestOrders_areServedAsSpecified(t *testing.T)        { t.Parallel(); converse(t, "orders") }
func TestPages_showTheAccount(t *testing.T)               { t.Parallel(); converse(t, "pages") }
func TestReceived_isServedAsSpecified(t *testing.T)       { t.Parallel(); converse(t, "received") }
func TestScripts_decideWhatTheAuthorityDoes(t *testing.T) { t.Parallel(); converse(t, "scripts") }
func TestSettings_areServedAsSpecified(t *testing.T)      { t.Parallel(); converse(t, "settings") }
func TestWebhooks_areServedAsSpecified(t *testing.T)      { t.Parallel(); converse(t, "webhooks") }

// conversation is with a sandbox of its own, in which time stands still at noon.
type conversation struct {
	*client

	at    string // the line of the file
	clock *ManualClock
	kept  map[string]object // answers and seeded documents, by their names in the file
	said  got
	hooks map[string]*receiver
}

// converse holds the conversations of a file, each in a subtest of its own. A line that begins with a space goes on
// with the one before.
func converse(t *testing.T, name string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "conversations", name+".txt"))
	expect.NoError(t, err)
	var titles []string
	var steps [][][2]string // where each stands, and what it says
	for i, line := range strings.Split(string(raw), "\n") {
		title, begins := strings.CutPrefix(line, "== ")
		last := len(titles) - 1
		switch {
		case begins:
			titles, steps = append(titles, title), append(steps, nil)
		case line == "" || line[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			steps[last][len(steps[last])-1][1] += "\n" + line
		default:
			steps[last] = append(steps[last], [2]string{fmt.Sprintf("%s.txt:%d", name, i+1), line})
		}
	}
	for i, title := range titles {
		rows.Case(t, title, func(t *testing.T) { held(t, steps[i]) })
	}
}

// held goes through the steps of a conversation.
func held(t *testing.T, steps [][2]string) {
	t.Helper()
	options := Options{}
	if given, ok := strings.CutPrefix(steps[0][1], "given "); ok {
		options, steps = optionsOf(t, given), steps[1:]
	}
	clock := NewManualClock(noon)
	options.Clock = clock
	v := &conversation{client: newIssuer(t, options), clock: clock, hooks: map[string]*receiver{}}
	v.kept = map[string]object{"owner": {"id": v.s.OwnerCompanyID()}}
	for i, step := range steps {
		v.at = step[0]
		v.step(v.expanded(step[1]))
		isSent := sending.MatchString(naming.ReplaceAllString(step[1], "$2"))
		if isSent && (i == len(steps)-1 || !strings.ContainsAny(steps[i+1][1][:1], "12345")) {
			v.answers(http.StatusOK, "") // Where nothing is said of it.
		}
	}
}

// optionsOf reads options by their names, where a duration may be a text such as "2s".
func optionsOf(t *testing.T, text string) (options Options) {
	t.Helper()
	fields, _ := decoded([]byte(text)).(object)
	for name, value := range fields {
		into := reflect.ValueOf(&options).Elem().FieldByName(name)
		if into.Type() == reflect.TypeFor[time.Duration]() {
			duration, err := time.ParseDuration(fmt.Sprint(value))
			expect.NoError(t, err)
			value = duration
		}
		raw, err := json.Marshal(value)
		expect.NoError(t, err)
		expect.NoError(t, json.Unmarshal(raw, into.Addr().Interface()))
	}
	return options
}

var (
	lengthy = regexp.MustCompile(`\{(\d+) ([^}]+)\}`)
	named   = regexp.MustCompile(`\$(\w+)((?:\.\w+)*)`)
	sending = regexp.MustCompile(`(?s)^(GET|POST|PUT|PATCH|DELETE) (\S+)( sound)?\s*(.*)$`)
	naming  = regexp.MustCompile(`(?s)^(\w+) = (.*)$`)
)

// expanded replaces {3 x} by xxx, $name by the id of what has this name, and $name.field by a field of it.
func (v *conversation) expanded(step string) string {
	step = lengthy.ReplaceAllStringFunc(step, func(found string) string {
		parts := lengthy.FindStringSubmatch(found)
		times, _ := strconv.Atoi(parts[1])
		return strings.Repeat(parts[2], times)
	})
	return named.ReplaceAllStringFunc(step, func(found string) string {
		parts := named.FindStringSubmatch(found)
		doc, ok := v.kept[parts[1]]
		if !ok {
			return found
		}
		return fmt.Sprint(valueAt(doc, strings.TrimPrefix(parts[2]+".", ".")+map[bool]string{true: "id"}[parts[2] == ""]))
	})
}

// valueAt is what stands at a path such as items.0.name; * is each element, and what is not there is "absent".
func valueAt(value any, path string) any {
	name, rest, _ := strings.Cut(path, ".")
	if name == "" {
		return value
	}
	switch v := value.(type) {
	case object:
		if member, ok := v[name]; ok {
			return valueAt(member, rest)
		}
	case []any:
		if name == "*" {
			all := []any{}
			for _, element := range v {
				all = append(all, valueAt(element, rest))
			}
			return all
		}
		if i, err := strconv.Atoi(name); err == nil && i < len(v) {
			return valueAt(v[i], rest)
		}
	}
	return "absent"
}

// value decodes JSON of the file.
func (v *conversation) value(text string) (value any) {
	v.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		v.t.Fatalf("%s: %v in %s", v.at, err, text)
	}
	return value
}

func (v *conversation) object(text string) object {
	v.t.Helper()
	if text == "" {
		return nil
	}
	return v.value(text).(object)
}

func (v *conversation) step(step string) {
	v.t.Helper()
	if parts := naming.FindStringSubmatch(step); parts != nil {
		v.step(parts[2])
		v.kept[parts[1]] = v.said.doc
		return
	}
	if parts := sending.FindStringSubmatch(step); parts != nil {
		v.sends(parts[1], parts[2], parts[4], parts[3] != "")
		return
	}
	verb := strings.Fields(step)[0]
	rest := strings.TrimSpace(strings.TrimPrefix(step, verb))
	if status, err := strconv.Atoi(verb); err == nil {
		v.answers(status, rest)
	} else if do := verbs[verb]; do != nil {
		do(v, rest)
	} else {
		v.t.Fatalf("%s: nobody knows how to %s", v.at, verb)
	}
}

// sends sends a body as it is written; a sound one is that of testdata, with other members.
func (v *conversation) sends(method, path, text string, isSound bool) {
	v.t.Helper()
	var content any
	if text != "" {
		content = text
	}
	if isSound {
		content = body(path, v.object(text))
	}
	if strings.HasPrefix(path, controlsPath) {
		v.said = v.control(method, path, text)
		return
	}
	v.said = v.do(method, path, content)
}

// answers compares the answer with the members of an object, or with problems, one a line.
func (v *conversation) answers(status int, want string) {
	v.t.Helper()
	if v.said.err != nil || v.said.status != status {
		v.t.Fatalf("%s: the answer is %d %s %v", v.at, v.said.status, v.said.raw, v.said.err)
	}
	if strings.HasPrefix(want, "{") {
		fields := v.object(want)
		wantSame(v.t, fields, pick(v.said.doc, fields), "%s: answer", v.at)
		return
	}
	if want != "" {
		problems := strings.Split(want, "\n")
		for i := range problems {
			problems[i] = strings.TrimSpace(problems[i])
		}
		wantSame(v.t, problems, v.said.problems(), "%s: problems", v.at)
	}
}

// likes compares documents, each with the members of what is wanted of it.
func (v *conversation) likes(what string, want []any, docs []object) {
	v.t.Helper()
	got := []any{}
	for i, doc := range docs {
		like, _ := want[min(i, len(want)-1)].(object)
		got = append(got, pick(doc, like))
	}
	wantSame(v.t, want, got, "%s: %s", v.at, what)
}

// verbs are what a line begins with that is no request and no status.
var verbs = map[string]func(v *conversation, rest string){
	// has, lacks and matches: texts of the answer.
	"has":   func(v *conversation, text string) { expect.Contains(v.t, v.said.raw, text, "%s", v.at) },
	"lacks": func(v *conversation, text string) { wantNoTexts(v.t, v.said.raw, text) },
	"matches": func(v *conversation, pattern string) {
		if !regexp.MustCompile(pattern).MatchString(v.said.raw) {
			v.t.Errorf("%s: %s is not in %s", v.at, pattern, v.said.raw)
		}
	},
	// is: the whole of what stands at a path of the answer.
	"is": func(v *conversation, rest string) {
		path, want, _ := strings.Cut(rest, " ")
		if want == "absent" {
			want = `"absent"`
		}
		wantSame(v.t, v.value(want), valueAt(v.said.doc, path), "%s: %s", v.at, path)
	},
	// same: the whole answer is what was answered before.
	"same": func(v *conversation, name string) { wantSame(v.t, v.kept[name], v.said.doc, "%s: answer", v.at) },
	"header": func(v *conversation, rest string) {
		name, want, _ := strings.Cut(rest, " ")
		expect.Is(v.t, v.said.header.Get(name), want, "%s: %s", v.at, name)
	},
	"clock": func(v *conversation, rest string) {
		duration, err := time.ParseDuration(rest)
		expect.NoError(v.t, err)
		v.clock.Advance(duration)
		v.s.Settle()
	},
	// again: what was answered is sent back.
	"again": func(v *conversation, rest string) {
		method, path, _ := strings.Cut(rest, " ")
		v.said = v.do(method, path, v.said.doc)
		v.answers(http.StatusOK, "")
	},
	// page, reads and hides: a page of the sandbox, and texts that it has or lacks without the markup.
	"page":  func(v *conversation, path string) { v.said = v.look("GET", path) },
	"reads": func(v *conversation, text string) { expect.Contains(v.t, readable(v.said.raw), text, "%s", v.at) },
	"hides": func(v *conversation, text string) { wantNoTexts(v.t, readable(v.said.raw), text) },
	// certificate and upload: the content of a file with its password, and the form of a company that sends them.
	"certificate": func(v *conversation, rest string) {
		file, password, _ := strings.Cut(rest, " ")
		v.s.ExpectCertificate([]byte(file), password, "CN=A", "CN=AC", noon.Add(time.Hour))
	},
	"upload": func(v *conversation, rest string) {
		form := strings.Fields(strings.ReplaceAll(rest, `""`, "-"))
		for i := range form {
			form[i] = strings.TrimPrefix(form[i], "-")
		}
		v.said = v.upload(form[0], form[1], form[2], form[3])
	},
	// receiver, emit, received and deliveries: somebody's server that answers statuses in turn, an event, how many
	// requests came there, and what stands at a path of all deliveries.
	"receiver": func(v *conversation, rest string) {
		var statuses []int
		name, _, _ := strings.Cut(rest, " ")
		for _, word := range strings.Fields(rest)[1:] {
			status, _ := strconv.Atoi(word)
			statuses = append(statuses, status)
		}
		v.hooks[name] = newReceiver(v.t, statuses...)
		v.kept[name] = object{"url": v.hooks[name].url}
	},
	"emit": func(v *conversation, event string) { v.happen(event, object{}) },
	"received": func(v *conversation, rest string) {
		name, want, _ := strings.Cut(rest, " ")
		r := v.hooks[name]
		if expect.Is(v.t, fmt.Sprint(r.count()), want, "%s: requests", v.at); want != "0" {
			v.said = got{header: r.headers[len(r.headers)-1], raw: r.bodies[len(r.bodies)-1]}
		}
	},
	"deliveries": func(v *conversation, rest string) {
		path, want, _ := strings.Cut(rest, " ")
		raw, _ := json.Marshal(v.s.Deliveries())
		all, _ := decoded(raw).([]any)
		events := map[any]json.Number{} // by the id of each
		for _, delivery := range objectsOf(all) {
			if _, isKnown := events[delivery["ID"]]; !isKnown {
				events[delivery["ID"]] = json.Number(strconv.Itoa(len(events)))
			}
			delivery["Nth"], v.kept["delivery"] = events[delivery["ID"]], delivery
		}
		wantSame(v.t, v.value(want), valueAt(all, path), "%s: deliveries", v.at)
	},
	// burst, fault and pending: how many of so many requests pass, what fails of the next ones, and how many faults are left.
	"burst": func(v *conversation, rest string) {
		words, passed := strings.Fields(rest), 0
		for n, _ := strconv.Atoi(words[0]); n > 0; n-- {
			if v.do("GET", "/customers", nil).status == http.StatusOK {
				passed++
			}
		}
		expect.Is(v.t, strconv.Itoa(passed), words[1], "%s: requests passed", v.at)
	},
	"fault": func(v *conversation, rest string) {
		var fault Fault
		expect.NoError(v.t, json.Unmarshal([]byte(rest), &fault))
		v.s.Inject(fault)
	},
	"pending": func(v *conversation, n string) { expect.Is(v.t, strconv.Itoa(len(v.s.PendingFaults())), n, "%s", v.at) },
	// clear: settings of the main company, secrets in clear.
	"clear": func(v *conversation, fields string) {
		wantFields(v.t, v.s.SettingsClear(v.s.OwnerCompanyID()), v.object(fields))
	},
	// as and key: another company asks from here on, or somebody with such a key.
	"as":  func(v *conversation, company string) { v.key = v.s.KeyOf(company) },
	"key": func(v *conversation, key string) { v.key = key },
	// seed, patch, status and settings: somebody else changes something.
	"seed": func(v *conversation, rest string) {
		kind, doc, _ := strings.Cut(rest, " ")
		v.said = got{doc: object{"id": v.s.Seed(kind, v.object(doc))}}
	},
	// sync: how a search of a company went.
	"sync": func(v *conversation, rest string) {
		company, status, _ := strings.Cut(rest, " ")
		v.s.SetSyncStatus(company, v.object(status))
	},
	// queue: the authority has a received invoice that no search has found yet.
	"queue": func(v *conversation, doc string) { v.s.QueueInbound(v.s.OwnerCompanyID(), v.object(doc)) },
	"patch": func(v *conversation, rest string) {
		parts := strings.SplitN(rest, " ", 3)
		expect.Is(v.t, v.s.Patch(parts[0], parts[1], v.object(parts[2])), true, "%s: %s was found", v.at, parts[1])
	},
	"status": func(v *conversation, rest string) {
		id, status, _ := strings.Cut(rest, " ")
		expect.Is(v.t, v.s.SetInvoiceStatus(id, status), true, "%s: %s was found", v.at, id)
	},
	"settings": func(v *conversation, rest string) {
		company, changes, isNamed := strings.Cut(rest, " {")
		if company[0] == '{' {
			company, changes, isNamed = v.s.OwnerCompanyID(), rest[1:], true
		}
		expect.Is(v.t, isNamed && v.s.SetSettings(company, v.object("{"+changes)), true, "%s: it was set", v.at)
	},
	// script: what the authority does with the invoices of an integrationId.
	"script": func(v *conversation, rest string) {
		id, outcomes, _ := strings.Cut(rest, " ")
		wantStatus(v.t, v.control("POST", "/_sandbox/script", `{"integrationId":"`+id+`","outcomes":`+outcomes+`}`), 200)
	},
	// history: what became of a document, each change with the time since noon.
	"history": func(v *conversation, rest string) {
		id, want, _ := strings.Cut(rest, " ")
		told := []any{}
		for _, kind := range kinds {
			if e := v.s.shelf(kind).byID[id]; e != nil {
				for _, h := range e.history {
					change := fmt.Sprintf("%s %s %s %s", h.At.Sub(noon), h.Status, h.Code, h.Message)
					told = append(told, strings.Join(strings.Fields(change), " "))
				}
			}
		}
		wantSame(v.t, v.value(want), told, "%s: history", v.at)
	},
	// codes: those of the events that the documents of a kind have.
	"codes": func(v *conversation, rest string) {
		kind, want, _ := strings.Cut(rest, " ")
		codes := []any{}
		v.s.locked(func() {
			for _, doc := range v.s.all(kind, func(object) bool { return true }) {
				for _, event := range objectsOf(doc["events"]) {
					codes = append(codes, event["eventCode"])
				}
			}
		})
		wantSame(v.t, v.value(want), codes, "%s: codes of events", v.at)
	},
	// corrections: those that the authority has of an invoice.
	"corrections": func(v *conversation, rest string) {
		invoice, want, _ := strings.Cut(rest, " ")
		v.likes("corrections", v.value(want).([]any), v.s.Corrections(invoice))
	},
	// subscribe: a webhook for each event. Its address is not on loopback: it is recorded, and nothing is sent.
	"subscribe": func(v *conversation, events string) {
		for _, event := range strings.Fields(events) {
			v.s.Seed(KindWebhooks, object{"event": event, "url": nowhere, "enabled": true})
		}
	},
	// announces: a webhook was told the answer.
	"announces": func(v *conversation, rest string) {
		n, _ := strconv.Atoi(rest)
		event, _ := decoded(v.s.Deliveries()[n].Body).(object)
		wantSame(v.t, v.said.doc, part(event, "data"), "%s: the announcement, beside the answer", v.at)
	},
	// finds: how many documents a list has by each filter, or their integrationIds, or the status of a refusal.
	"finds": func(v *conversation, rest string) {
		path, table, _ := strings.Cut(rest, " ")
		for query, want := range v.object(table) {
			g := v.do("GET", path+"?"+query, nil)
			if _, isNamed := want.([]any); isNamed {
				wantSame(v.t, want, valueAt(g.doc, "items.*.integrationId"), "%s: found by %s", v.at, query)
				continue
			}
			found := g.status
			if items, ok := g.doc["items"].([]any); ok {
				found = len(items)
			}
			wantSame(v.t, fmt.Sprint(want), fmt.Sprint(found), "%s: found by %s", v.at, query)
		}
	},
	// stored: what the service holds of a kind.
	"stored": func(v *conversation, rest string) {
		kind, want, _ := strings.Cut(rest, " ")
		v.likes(kind, v.value(want).([]any), v.s.Objects(kind))
	},
	// announced: what webhooks were told, an event and the status of its data where it is a text.
	"announced": func(v *conversation, rest string) {
		want, told := v.value(rest).([]any), []any{}
		for i, d := range v.s.Deliveries() {
			event, _ := decoded(d.Body).(object)
			if like, ok := want[min(i, len(want)-1)].(object); ok {
				told = append(told, pick(event, like))
			} else {
				told = append(told, strings.TrimSpace(text(event, "event")+" "+text(part(event, "data"), "status")))
			}
		}
		wantSame(v.t, want, told, "%s: announcements", v.at)
	},
	// unknown: the members that were sent and that the service does not know.
	"unknown": func(v *conversation, rest string) {
		told := []any{}
		for _, u := range v.s.UnknownFields() {
			told = append(told, u.Method+" "+u.Route+" "+u.Field)
		}
		slices.SortFunc(told, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		wantSame(v.t, v.value(rest), told, "%s: unknown members", v.at)
	},
}

// body is what is issued or created under a path, with other members.
func body(path string, more object) object {
	raw, err := os.ReadFile(filepath.Join("testdata", "sound.json"))
	if err != nil {
		panic(err)
	}
	all, _ := decoded(raw).(object)
	sound, ok := all[path].(object)
	if !ok { // A PUT sends what a POST to the collection sends.
		sound, _ = all["/"+strings.Split(path, "/")[1]].(object)
	}
	maps.Copy(sound, more)
	return sound
}
