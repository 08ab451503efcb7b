package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxRecorded is how many bytes of bodies are kept: the newest ones.
const maxRecorded = 64 << 20

// Request is one recorded request.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	// Header is as received, with X-Api-Key masked.
	Header http.Header
	// Key is the id of the company whose key was sent; empty for an unknown key.
	Key string
	// Body is nil if newer bodies have displaced it.
	Body []byte
	// Status is the status of the answer; 0 while the request is being processed, or if no answer was sent.
	Status int
	At     time.Time
}

func (s *Server) record(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	key := header.Get("X-Api-Key")
	if key != "" {
		header.Set("X-Api-Key", mask(key, visibleOfKey))
	}
	s.mu.Lock()
	company, _ := s.companyByKey(key)
	s.mu.Unlock()
	entry := &Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: header,
		Key: text(company, "id"), Body: body, At: s.clock.Now(),
	}
	s.watch.Lock()
	defer s.watch.Unlock()
	s.steps.Add(1)
	s.log = append(s.log, entry)
	for s.recorded += len(body); s.recorded > maxRecorded && s.stripped < len(s.log)-1; s.stripped++ {
		oldest := s.log[s.stripped]
		s.recorded -= len(oldest.Body)
		oldest.Body = nil
	}
	return entry
}

// finish records the status of an answer before it is sent, so that a client with the answer finds it.
func (s *Server) finish(entry *Request, status int) {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.steps.Add(1)
	entry.Status = status
}

// Requests returns all requests in the order of their arrival.
func (s *Server) Requests() []Request { return s.All("", "") }

// All returns the requests of a method, "" for any, and a path such as "/v1/customers/{id}", where segments in braces
// match anything and "" matches every path.
func (s *Server) All(method, pattern string) []Request {
	s.watch.Lock()
	defer s.watch.Unlock()
	var out []Request
	for _, r := range s.log {
		if matchRequest(method, pattern, r.Method, r.Path) {
			out = append(out, r.copied())
		}
	}
	return out
}

// Count returns how many requests All would.
func (s *Server) Count(method, pattern string) int { return len(s.All(method, pattern)) }

// Last returns the newest of the requests All would.
func (s *Server) Last(method, pattern string) (Request, bool) {
	all := s.All(method, pattern)
	if len(all) == 0 {
		return Request{}, false
	}
	return all[len(all)-1], true
}

// ResetRequests empties the log.
func (s *Server) ResetRequests() {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.steps.Add(1)
	s.log, s.recorded, s.stripped = nil, 0, 0
}

func (r *Request) copied() Request {
	out := *r
	out.Header = r.Header.Clone()
	out.Query = url.Values(http.Header(r.Query).Clone())
	out.Body = slices.Clone(r.Body)
	return out
}

type hook struct {
	method  string
	pattern string
	f       func()
}

// Before runs f once, when the next matching request has arrived and before it is processed: to change things while a
// client is at work. Method and pattern are as for All. A hook that never ran fails a test begun with Start.
func (s *Server) Before(method, pattern string, f func()) {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.hooks = append(s.hooks, &hook{method, pattern, f})
}

// OnRequest runs f at the arrival of every request from now on. It may run several times at once.
func (s *Server) OnRequest(f func(Request)) {
	s.watch.Lock()
	defer s.watch.Unlock()
	s.onRequest = append(s.onRequest, f)
}

// runHooks calls hooks without any lock held, because they use the server.
func (s *Server) runHooks(r *http.Request, entry *Request) {
	s.watch.Lock()
	seen := entry.copied()
	watchers := slices.Clone(s.onRequest)
	var due []*hook
	s.hooks = slices.DeleteFunc(s.hooks, func(h *hook) bool {
		match := matchRequest(h.method, h.pattern, r.Method, r.URL.Path)
		if match {
			due = append(due, h)
		}
		return match
	})
	s.watch.Unlock()
	for _, f := range watchers {
		f(seen)
	}
	for _, h := range due {
		h.f()
	}
}

func (h *hook) String() string {
	return strings.TrimSpace(h.method + " " + h.pattern)
}
