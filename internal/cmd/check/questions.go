package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

//go:embed questions.txt
var questionsFile string

// question is one thing that a run finds out: a block of questions.txt. It is asked as soon as there is what it needs.
type question struct {
	id   string            // of an assumption, or else a name
	on   string            // the label of the object that it is about, "" for none
	says map[string]string // its lines by their first word: needs, send, from, call, watch, then
	rows []row
}

// row is one line of a judgement: all conditions, and what follows from them.
type row struct {
	conditions []condition
	verdict    string
	key, word  string
}

type condition struct {
	subject string
	is      bool
	pattern *regexp.Regexp
}

// readQuestions reads the list. It is a part of the program: a test has read it.
func readQuestions() (all []question) {
	for block := range strings.SplitSeq(strings.TrimSpace(questionsFile), "\n\n") {
		var lines []string
		var cases [][]string
		for line := range strings.SplitSeq(block, "\n") {
			of, isCase := strings.CutPrefix(strings.TrimSpace(line), "for")
			switch {
			case strings.HasPrefix(line, "#"):
			case isCase:
				cases = append(cases, strings.Split(of, "|"))
			default:
				lines = append(lines, line)
			}
		}
		if len(cases) == 0 {
			cases = [][]string{nil}
		}
		for _, values := range cases {
			if q := questionIn(lines, values); q.id != "" {
				all = append(all, q)
			}
		}
	}
	return all
}

func questionIn(lines, values []string) question {
	q := question{says: map[string]string{}}
	for i, line := range lines {
		for n, value := range values {
			line = strings.ReplaceAll(line, fmt.Sprintf("{%d}", n+1), strings.TrimSpace(value))
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case i == 0:
			q.id, q.on, _ = strings.Cut(line, " on ")
		case word == "when":
			q.rows = append(q.rows, rowIn(rest))
		default:
			q.says[word] = rest
		}
	}
	return q
}

func rowIn(line string) (row row) {
	conditions, then, _ := strings.Cut(line, " -> ")
	for each := range strings.SplitSeq(conditions, " & ") {
		subject, rest, _ := strings.Cut(each, " ")
		how, pattern, _ := strings.Cut(rest, " ")
		row.conditions = append(row.conditions, condition{subject, how == "~", regexp.MustCompile(pattern)})
	}
	row.verdict, then, _ = strings.Cut(then, " ")
	row.key, row.word, _ = strings.Cut(then, " ")
	return row
}

// put asks a question. isDone is false if it is to be asked again.
func (r *run) put(ctx context.Context, q question) (isDone bool) {
	t, a, isDone := r.things[q.on], r.answers[q.says["from"]], true
	if name, argument, _ := strings.Cut(q.says["call"], " "); name != "" {
		a, isDone = calls[name](ctx, r, t, argument)
	} else if send := q.says["send"]; send != "" {
		if a = r.ask(ctx, r.requestIn(send, t)); q.says["then"] != "" && a.ok() {
			a = r.reread(ctx, t)
		}
	}
	return isDone && (a.operation != "" && a.Status == 0 && ctx.Err() != nil || r.judge(q, t, a))
}

// judge notes what the first row that applies says of an answer. It reports false if the question is to be asked again.
func (r *run) judge(q question, t *thing, a answer) bool {
	at := slices.IndexFunc(q.rows, func(row row) bool {
		return !slices.ContainsFunc(row.conditions, func(c condition) bool {
			return c.pattern.MatchString(r.subject(c.subject, t, a)) != c.is
		})
	})
	if at < 0 {
		return true
	}
	if t == nil {
		t = &thing{}
	}
	row := q.rows[at]
	seen := words(row.key, with{
		"word": row.word, "on": q.on, "status": a.Status, "said": a.said(), "left": a.Header.Get("x-rate-limit-remaining"),
		"operation": a.operation, "size": a.object().text("pageSize"), "items": len(a.items()), "state": t.status, "did": t.did,
		"took": r.clock.Now().Sub(t.asked),
	})
	switch row.verdict {
	case "fits":
		r.note(q.id, holds, true, seen)
	case "copes", "breaks":
		r.note(q.id, differs, row.verdict == "copes", seen)
	case "unclear":
		r.unclear(q.id, seen)
	case "measure":
		r.measure(q.id, seen)
	}
	return row.verdict != "again"
}

func (q question) isWatch() bool {
	_, is := q.says["watch"]
	return is
}

// watch judges what every answer may show. The limit is told of once.
func (r *run) watch(a answer) {
	for _, q := range r.questions {
		if q.isWatch() && (q.id != "limit_per_key" || r.assumption(q.id).Verdict == notSeen) {
			r.judge(q, nil, a)
		}
	}
}

// subject is what a row looks at: a member of the answer as JSON, "" for none, or something about the answer.
func (r *run) subject(name string, t *thing, a answer) string {
	name, of, _ := strings.Cut(name, ".")
	if !strings.HasPrefix(name, "@") {
		return a.object().member(strings.TrimSuffix(name+"."+of, "."))
	}
	about := map[string]func() string{
		"@operation": func() string { return a.operation },
		"@method":    func() string { return a.inTable().Method },
		"@outcome":   a.outcome,
		"@status":    func() string { return strconv.Itoa(a.Status) },
		"@said":      a.said,
		"@query":     func() string { return a.query.Encode() },
		"@items": func() string { // "" for what is no list
			return map[bool]string{true: strconv.Itoa(len(a.items()))}[a.whole().problem == ""]
		},
		"@wrapped": func() string { return strconv.FormatBool(a.whole().wrapped) },
		"@body":    func() string { return string(a.Body) },
		"@header":  func() string { return a.Header.Get(of) },
		"@verdict": func() string { return r.assumption(of).Verdict },
		"@state":   func() string { return t.status },
		"@did":     func() string { return t.did.Key },
		"@waited":  func() string { return strconv.FormatBool(r.clock.Now().Sub(t.asked) > decidePatience) },
		"@masked": func() string { // "" for a value that is not shown
			key, _ := decoded([]byte(a.object().member(of))).(string)
			return map[bool]string{true: strconv.FormatBool(einvoice.IsMasked(key))}[key != ""]
		},
		"@ago": func() string { // of a date without an offset, as if it were UTC, in hours
			date := a.object().text("issuedOn")
			at, _ := time.Parse("2006-01-02T15:04:05", date[:min(len(date), 19)])
			return r.clock.Now().Sub(at).Round(time.Hour).String()
		},
	}
	return about[name]()
}

var ofList = regexp.MustCompile(`\{(first|order):(\w+)\}`)

// requestIn is the request of a line, about an object or else the company.
func (r *run) requestIn(line string, t *thing) request {
	line = ofList.ReplaceAllStringFunc(line, func(of string) string {
		word := ofList.FindStringSubmatch(of)
		if word[1] == "order" {
			return r.invoiced(word[2])
		}
		return r.first(word[2]).text("id")
	})
	line, body, hasBody := strings.Cut(r.fill(line), " body ")
	fields := strings.Fields(line)
	q := request{query: url.Values{}}
	q.operation, q.model, _ = strings.Cut(fields[0], ":")
	for _, field := range fields[1:] {
		if name, value, isQuery := strings.Cut(field, "="); isQuery {
			q.query.Set(name, value)
		} else {
			q.ids = append(q.ids, field)
		}
	}
	if hasBody {
		q.body = json.RawMessage(body)
	}
	return r.about(q, t)
}

// first is the first authorized entry of a list, or else the first.
func (r *run) first(entry string) object {
	items := r.answers[entry].items()
	at := slices.IndexFunc(items, isAuthorized)
	if len(items) == 0 {
		return nil
	}
	return items[max(at, 0)]
}

// invoiced is the id of an order that an invoice of a list names, "" for none.
func (r *run) invoiced(entry string) (id string) {
	for _, invoice := range r.answers[entry].items() {
		id = cmp.Or(id, invoice.part("order").text("id"))
	}
	return id
}

func isAuthorized(of object) bool { return strings.EqualFold(of.text("status"), "authorized") }

// fill fills in what is the run's own.
func (r *run) fill(template string) string {
	now := r.clock.Now()
	return strings.NewReplacer(
		"{run}", r.name, "{cpf}", r.cpf, "{cnpj}", r.cnpj, "{now}", now.Format(time.RFC3339),
		"{past}", now.AddDate(0, 0, -30).UTC().Format(time.RFC3339), "{future}", now.AddDate(0, 0, 1).UTC().Format(time.RFC3339),
	).Replace(template)
}
