package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// FaultKind is a way in which an exchange fails.
type FaultKind string

const (
	// FaultDropBefore closes the connection; nothing was processed.
	FaultDropBefore FaultKind = "drop before"
	// FaultDropAfter processes the request and closes the connection without an answer.
	FaultDropAfter FaultKind = "drop after"
	// FaultStatus answers Status and Body, or Form and Message, instead of processing.
	FaultStatus FaultKind = "status"
	// FaultStatusAfter processes the request and then answers Status as FaultStatus does.
	FaultStatusAfter FaultKind = "status after"
	// FaultStall processes the request, sends the headers, and leaves the body open until the client disconnects or
	// Close is called.
	FaultStall FaultKind = "stall"
	// FaultTruncate processes the request and sends half the body under the Content-Length of the whole.
	FaultTruncate FaultKind = "truncate"
	// FaultGarbage processes the request and answers its status with a body that is no JSON.
	FaultGarbage FaultKind = "garbage"
	// FaultBody processes the request and answers Body, with Status where set, instead.
	FaultBody FaultKind = "body"
	// FaultRedirect answers a redirect to Location, with Status or 307, instead of processing.
	FaultRedirect FaultKind = "redirect"
	// FaultLarge processes the request and answers a valid JSON object of MiB mebibytes.
	FaultLarge FaultKind = "large"
)

// Fault declares a failure of coming requests. A request that the rate limit refuses does not use it up.
type Fault struct {
	Kind FaultKind
	// Method is exact, "" for any.
	Method string
	// Path is such as "/v1/customers/{id}": segments in braces match anything; "" matches every path.
	Path string
	// Contains restricts the fault to requests whose body contains it.
	Contains string
	// Skip is the number of matching requests that pass first.
	Skip int
	// Times is the number of requests that it hits: 0 means one, a negative value all, of which there must be one.
	Times int

	Status int
	Header http.Header
	// Body is JSON unless Header names a Content-Type.
	Body string
	// Form and Message make the body of a status if Body is empty.
	Form    ErrorForm
	Message string

	Location string
	MiB      int
}

func (f Fault) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", f.Kind, f.Method, f.Path)), " ")
}

type pendingFault struct {
	Fault
	hits int
}

// Inject declares a fault. Of several that match a request, the one declared first acts. One that was not used up fails
// a test begun with Start.
func (s *Server) Inject(f Fault) {
	if f.Kind == "" {
		panic("sandbox: a fault without a kind")
	}
	if f.Times == 0 {
		f.Times = 1
	}
	s.watch.Lock()
	defer s.watch.Unlock()
	s.faults = append(s.faults, &pendingFault{Fault: f})
}

// PendingFaults returns the faults that still wait for requests, with what remains of Skip and Times.
func (s *Server) PendingFaults() []Fault {
	s.watch.Lock()
	defer s.watch.Unlock()
	var out []Fault
	for _, f := range s.faults {
		if f.Times < 0 && f.hits > 0 {
			continue
		}
		out = append(out, f.Fault)
	}
	return out
}

// ClearFaults takes back every declared fault.
func (s *Server) ClearFaults() {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.faults = nil
}

func (s *Server) reportLeftovers(tb TB) {
	tb.Helper()
	if tb.Skipped() { // No request was expected.
		return
	}
	for _, f := range s.PendingFaults() {
		tb.Errorf("sandbox: fault %q was declared and never happened (skip %d, times %d left)", f, f.Skip, f.Times)
	}
	s.watch.Lock()
	defer s.watch.Unlock()
	for _, h := range s.hooks {
		tb.Errorf("sandbox: the hook before %q never ran", h)
	}
}

func (s *Server) takeFault(r *http.Request, body []byte) (Fault, bool) {
	s.watch.Lock()
	defer s.watch.Unlock()
	for i, f := range s.faults {
		if !matchRequest(f.Method, f.Path, r.Method, r.URL.Path) || !bytes.Contains(body, []byte(f.Contains)) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.hits++
		if f.Times > 0 {
			f.Times--
		}
		if f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f.Fault, true
	}
	return Fault{}, false
}

// serveFault answers a request that a fault hit.
func (s *Server) serveFault(w http.ResponseWriter, r *http.Request, body []byte, entry *Request, f Fault) {
	switch f.Kind {
	case FaultDropBefore:
		panic(http.ErrAbortHandler)
	case FaultStatus:
		s.sendOwn(w, entry, f, nil)
		return
	case FaultRedirect:
		f.Status = cmp.Or(f.Status, http.StatusTemporaryRedirect)
		w.Header().Set("Location", f.Location)
		s.sendOwn(w, entry, f, nil)
		return
	default:
		// The others process the request first.
	}

	a := s.dispatch(r, body)
	switch f.Kind {
	case FaultDropAfter:
		panic(http.ErrAbortHandler)
	case FaultStatusAfter, FaultBody:
		s.sendOwn(w, entry, f, a)
	case FaultGarbage:
		f.Body = "{\"id\": not json"
		s.sendOwn(w, entry, f, a)
	case FaultLarge:
		// The answer has a Content-Length; the client need not read it to the end.
		s.finish(entry, a.status)
		maps.Copy(w.Header(), a.header)
		begin, end, part := `{"padding":"`, `"}`, strings.Repeat("x", 1<<20)
		w.Header().Set("Content-Length", strconv.Itoa(len(begin)+f.MiB*len(part)+len(end)))
		w.WriteHeader(a.status)
		_, err := io.WriteString(w, begin)
		for n := 0; n < f.MiB && err == nil; n++ {
			_, err = io.WriteString(w, part)
		}
		_, _ = io.WriteString(w, end)
	case FaultTruncate, FaultStall:
		s.finish(entry, a.status)
		maps.Copy(w.Header(), a.header)
		if f.Kind == FaultTruncate {
			w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body.Bytes()[:a.body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		if f.Kind == FaultStall {
			select {
			case <-r.Context().Done():
			case <-s.ctx.Done():
			}
		}
		panic(http.ErrAbortHandler)
	default:
		panic("sandbox: there is no fault " + string(f.Kind))
	}
}

// sendOwn sends the fault's own answer; processed is the handler's, nil if it did not run.
func (s *Server) sendOwn(w http.ResponseWriter, entry *Request, f Fault, processed *answer) {
	status := f.Status
	if processed != nil {
		status = cmp.Or(status, processed.status)
	}
	status = cmp.Or(status, http.StatusInternalServerError)
	contentType, body := contentTypeJSON, []byte(f.Body)
	if f.Body == "" && f.Kind != FaultBody && f.Kind != FaultRedirect {
		var problems []problem
		if f.Message != "" {
			problems = []problem{{message: f.Message}}
		}
		contentType, body = f.Form.render(status, problems)
	}
	a := &answer{header: http.Header{}}
	a.set(status, contentType, body)
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
	s.finish(entry, status)
	send(w, a)
}
