package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The service of the model test: no more of the interface than issuing uses, in
// memory, on the clock of its bubble. It is written from the specification, and
// does on purpose what that leaves open.

// habits are what services differ in.
type habits struct {
	Merges     bool      // a POST with a known integrationId changes that invoice
	ListLag    rows.Span // how long a new invoice is missing in the list
	ListStale  rows.Span // how long the list shows an invoice as it was
	ReadLag    rows.Span // how long a new invoice is not found by its id
	IgnoresKey bool      // the list does not filter
	Spelling   spelling  // of the integrationId in answers
	Bare       bool      // the answer to a POST shows the id alone
}

type spelling string

const (
	asSent    spelling = ""
	upperCase spelling = "upperCase"
	trimmed   spelling = "trimmed"
)

func (s spelling) of(id string) string {
	switch s {
	case upperCase:
		return strings.ToUpper(id)
	case trimmed:
		return strings.TrimSpace(id)
	default:
		return id
	}
}

// verdict is what the authority makes of an invoice that it is sent.
type verdict string

const (
	authorizes       verdict = ""
	authorizesSlowly verdict = "authorizesSlowly"
	rejects          verdict = "rejects"
	denies           verdict = "denies"
	stays            verdict = "stays"          // enqueued until somebody asks the authority, then authorized
	staysLong        verdict = "staysLong"      // enqueued for longer than anybody waits, then authorized
	rejectsWrongly   verdict = "rejectsWrongly" // rejected at the service, authorized at the authority
)

// document is one invoice at the service.
type document struct {
	id, name string
	content  int
	status   string
	code     string
	on       time.Time // of the last word
	made     time.Time
	was      string // its status before
	verdict  verdict
	judged   time.Time // when the verdict comes; zero for none
	leaving  time.Time // when a cancellation comes through; zero for none
}

func (d *document) ended() bool {
	switch d.status {
	case "authorized", "canceled", "denied", "removed", "disabled":
		return true
	}
	return false
}

// alive is an invoice that is or may become valid.
func (d *document) alive() bool {
	switch d.status {
	case "enqueued", "received", "authorized", "inContingent":
		return true
	}
	return d.status == "rejected" && d.verdict == rejectsWrongly
}

// outage is what happens to one request that changes something.
type outage string

const (
	none           outage = ""
	lostBefore     outage = "lostBefore"     // on the way there
	lostAfter      outage = "lostAfter"      // on the way back
	killedBefore   outage = "killedBefore"   // the process is killed; the request was lost
	killedAfter    outage = "killedAfter"    // the process is killed; the request was processed
	killedLater    outage = "killedLater"    // the process is killed by the time of its next request
	failsAfter     outage = "failsAfter"     // processed, then answered 502
	failsBefore    outage = "failsBefore"    // answered 503
	refuses        outage = "refuses"        // answered 400
	killedAtEnd    outage = "killedAtEnd"    // the process is killed before what it knows is in a state
	conflictsAfter outage = "conflictsAfter" // processed, then answered 409
)

type modelService struct {
	habits
	documents []*document
	verdict   verdict  // of the next invoice that is sent to the authority
	outages   []outage // of the next requests that change something, in turn
	wrong     []string
	theirs    bool // all that is there is a draft of somebody else, which shows
	mu        sync.Mutex
}

// latency of a request. It also gives two processes an order.
const latency = 10 * time.Millisecond

// process is one run of a CLI: what reaches the service from it.
type process struct {
	*modelService
	content int    // that it is to issue
	kill    func() // ends its context
	dead    bool
}

func (s *modelService) violated(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// becomes gives an invoice another status.
func (d *document) becomes(status, code string, at time.Time) {
	d.was, d.status, d.code, d.on = d.status, status, code, at
}

// pass brings every invoice to where it is by now.
func (s *modelService) pass() {
	now := time.Now()
	for _, d := range s.documents {
		if !d.judged.IsZero() && !now.Before(d.judged) {
			switch d.verdict {
			case rejects, rejectsWrongly:
				d.becomes("rejected", "539", d.judged)
			case denies:
				d.becomes("denied", "302", d.judged)
			default:
				d.becomes("authorized", "100", d.judged)
			}
			d.judged = time.Time{}
		}
		if !d.leaving.IsZero() && !now.Before(d.leaving) {
			d.becomes("canceled", "135", d.leaving)
			d.leaving = time.Time{}
		}
	}
}

// live are the invoices that are or may become valid, also by what the authority
// knows and the service does not.
func (s *modelService) live() (live []*document) {
	for _, d := range s.documents {
		if d.alive() {
			live = append(live, d)
		}
	}
	return live
}

func (s *modelService) find(id string) *document {
	for _, d := range s.documents {
		if d.id == id {
			return d
		}
	}
	return nil
}

// RoundTrip answers one request, or loses it.
func (s *process) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(latency)
	s.mu.Lock()
	defer s.mu.Unlock()
	httptrace.ContextClientTrace(r.Context()).GetConn("service.example:443")
	if s.dead {
		return nil, errors.New("the process is gone")
	}
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	s.pass()
	what := none
	if len(s.outages) > 0 {
		what = s.outages[0]
	}
	changes := r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/check-status")
	if what == killedLater && !changes || changes && len(s.outages) > 0 && what != killedLater {
		s.outages = s.outages[1:]
	} else {
		what = none
	}
	switch what {
	case killedBefore, killedLater:
		s.dead = true
		s.kill()
		return nil, io.ErrUnexpectedEOF
	case lostBefore:
		return nil, io.ErrUnexpectedEOF
	case failsBefore:
		return answer(http.StatusServiceUnavailable, nil), nil
	case refuses:
		return answer(http.StatusBadRequest, map[string]any{"errors": []any{map[string]any{"message": "not today"}}}), nil
	default:
	}
	resp := s.serve(r, body)
	switch what {
	case killedAfter:
		s.dead = true
		s.kill()
		return nil, io.ErrUnexpectedEOF
	case lostAfter:
		return nil, io.ErrUnexpectedEOF
	case failsAfter:
		return answer(http.StatusBadGateway, nil), nil
	case conflictsAfter:
		return answer(http.StatusConflict, nil), nil
	default:
		return resp, nil
	}
}

func answer(status int, body any) *http.Response {
	raw := []byte{}
	if body != nil {
		raw, _ = json.Marshal(body)
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(raw)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

func (s *process) serve(r *http.Request, body []byte) *http.Response {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	if len(parts) == 1 {
		if r.Method == http.MethodPost {
			return s.post(body)
		}
		return s.list(r.URL.Query())
	}
	d := s.find(parts[1])
	if d == nil || r.Method == http.MethodGet && rows.Span(time.Since(d.made)) < s.ReadLag {
		return answer(http.StatusNotFound, nil)
	}
	switch {
	case len(parts) == 3 && parts[2] == "issue":
		if d.ended() || d.status == "enqueued" {
			return answer(http.StatusBadRequest, map[string]any{"message": "SPD004"})
		}
		if d.content != s.content {
			s.violated("draft %s of content %d was issued for content %d", d.id, d.content, s.content)
		}
		s.send(d)
	case len(parts) == 3 && parts[2] == "check-status":
		switch {
		case d.verdict == rejectsWrongly && d.status == "rejected":
			d.becomes("authorized", "100", time.Now())
		case d.status == "enqueued" && d.verdict == stays:
			d.judged = time.Now()
			s.pass()
		case d.status == "enqueued":
			return answer(http.StatusBadRequest, map[string]any{"message": "SPD006"})
		}
	case r.Method == http.MethodDelete:
		if d.status != "authorized" {
			return answer(http.StatusBadRequest, map[string]any{"message": "SPD004"})
		}
		d.leaving = time.Now().Add(2 * time.Second)
	}
	return answer(http.StatusOK, s.shown(d))
}

// drafted is a draft that somebody else makes.
func (s *modelService) drafted(content int) {
	id := fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", len(s.documents)+1)
	s.documents = append(s.documents, &document{id: id, name: saleName, content: content, status: "created", on: time.Now(), made: time.Now()})
}

func (s *modelService) post(body []byte) *http.Response {
	if s.theirs {
		s.violated("an invoice was sent beside a draft of somebody else")
	}
	var sent struct {
		IntegrationID string `json:"integrationId"`
		Issue         *bool  `json:"issue"`
		Description   int    `json:"description"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return answer(http.StatusBadRequest, map[string]any{"message": err.Error()})
	}
	draft := sent.Issue != nil && !*sent.Issue
	var d *document
	if s.Merges {
		for _, earlier := range s.documents {
			switch {
			case earlier.status == "created", earlier.status == "rejected" && earlier.verdict != rejectsWrongly:
				d = earlier
			default:
				return answer(http.StatusBadRequest, map[string]any{"message": "SPD004"})
			}
		}
	}
	if d == nil {
		d = &document{id: fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", len(s.documents)+1), made: time.Now()}
		for _, earlier := range s.documents {
			if earlier.ended() {
				s.violated("invoice %s was sent although %s is %s", d.id, earlier.id, earlier.status)
			}
		}
		s.documents = append(s.documents, d)
	}
	d.name, d.content = sent.IntegrationID, sent.Description
	d.becomes("created", "", time.Now())
	if !draft {
		s.send(d)
	}
	if s.Bare {
		return answer(http.StatusOK, map[string]any{"id": d.id})
	}
	return answer(http.StatusOK, s.shown(d))
}

// send brings an invoice to the authority.
func (s *modelService) send(d *document) {
	d.becomes("enqueued", "", time.Now())
	d.verdict, s.verdict = s.verdict, authorizes
	switch d.verdict {
	case authorizesSlowly:
		d.judged = d.on.Add(40 * time.Second)
	case staysLong:
		d.judged = d.on.Add(time.Hour)
	case stays:
	default:
		d.judged = d.on.Add(2 * time.Second)
	}
}

func (s *modelService) list(filter url.Values) *http.Response {
	items := []any{}
	name := strings.TrimSpace(filter.Get("integrationId"))
	since, _ := time.Parse(time.RFC3339, filter.Get("effectiveDateStart")) // None is the beginning of time.
	for _, d := range s.documents {
		isOther := name != "" && !strings.EqualFold(strings.TrimSpace(d.name), name) || d.on.Before(since)
		if rows.Span(time.Since(d.made)) < s.ListLag || !s.IgnoresKey && isOther {
			continue
		}
		listed := *d
		if d.was != "" && rows.Span(time.Since(d.on)) < s.ListStale {
			listed.status, listed.code = d.was, ""
		}
		items = append(items, s.shown(&listed))
	}
	if s.IgnoresKey {
		items = append(items, map[string]any{"id": "00000000-0000-0000-0000-000000000000", "integrationId": "another sale", "status": "authorized"})
	}
	return answer(http.StatusOK, map[string]any{"items": items, "totalCount": len(items), "hasNext": false})
}

// hidesSome tells that the service does not show all there is, or as it is.
func (s *modelService) hidesSome() bool {
	return slices.ContainsFunc(s.documents, func(d *document) bool {
		return rows.Span(time.Since(d.made)) < max(s.ListLag, s.ReadLag) || rows.Span(time.Since(d.on)) < s.ListStale
	})
}

func (s *modelService) shown(d *document) map[string]any {
	shown := map[string]any{"id": d.id, "integrationId": s.Spelling.of(d.name), "status": d.status, "amount": amountOf(d.content), "issuedOn": d.on.Format(time.RFC3339Nano)}
	if d.code != "" {
		shown["processingDetail"] = map[string]any{"status": "success", "code": d.code, "on": d.on.Format(time.RFC3339Nano)}
	}
	return shown
}

// amountOf is the same for two contents: an invoice does not show all of its payload.
func amountOf(content int) int { return 100 * (1 + content/2) }

// client is the client of a process.
func client(key string, transport http.RoundTripper) *einvoice.Client {
	c, err := einvoice.New(einvoice.Config{
		BaseURL: "https://service.example/v1", APIKey: key, RequestTimeout: 10 * time.Second, MaxRetries: 2,
		Wrap: func(http.RoundTripper) http.RoundTripper { return transport },
	})
	if err != nil {
		panic(err)
	}
	return c
}
