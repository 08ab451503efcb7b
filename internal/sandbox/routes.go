package sandbox

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

const (
	contentTypeJSON = "application/json; charset=utf-8"
	maxRequestBody  = 32 << 20
)

// handler answers one request while it alone has the lock. What it returns is the body of a 200, or a *reply for
// anything else that succeeds, or a *refusal as the error.
type handler func(c *call) (any, error)

// call is one request at its handler.
type call struct {
	s       *Server
	r       *http.Request
	body    []byte
	pattern string
	// company is the one whose key came with the request: the issuer of what is issued.
	company object
}

// reply is a successful answer that is not a JSON object with status 200.
type reply struct {
	status      int
	header      http.Header
	contentType string
	body        []byte
}

func (c *call) id() string        { return strings.ToLower(c.r.PathValue("id")) }
func (c *call) companyID() string { return text(c.company, "id") }

// filter returns a list's filter, which an account with IgnoreFilters does not know.
func (c *call) filter(name string) string {
	if c.s.opts.IgnoreFilters {
		return ""
	}
	return c.r.URL.Query().Get(name)
}

// filters returns a filter of several values, repeated or separated by commas: the form is not documented.
func (c *call) filters(name string) []string {
	if c.s.opts.IgnoreFilters {
		return nil
	}
	var out []string
	for _, v := range c.r.URL.Query()[name] {
		for one := range strings.SplitSeq(v, ",") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// document answers a PDF or XML in the form the account has: the specification shows a JSON string and leaves its
// encoding open, integrations read raw bytes.
func (c *call) document(content []byte, contentType string) any {
	switch c.s.opts.DocumentForm {
	case DocumentRaw:
		return &reply{contentType: contentType, body: content}
	case DocumentBase64:
		return base64.StdEncoding.EncodeToString(content)
	default:
		return string(content)
	}
}

// route registers the handler of an endpoint, for those whose key has access, and lists it.
func (s *Server) route(pattern string, who access, h handler) {
	if s.opts.withholds(pattern) {
		s.handle(pattern, func(*call) (any, error) { return notOffered(), nil })
		return
	}
	s.list(pattern)
	s.handle(pattern, func(c *call) (any, error) {
		company, ok := s.companyByKey(c.r.Header.Get("X-Api-Key"))
		isOwner := text(company, "id") == s.ownerID
		if !ok || !isOwner && (who == ownerKey || who == sharedKey && s.opts.InvoiceKeys) {
			return nil, forbidden()
		}
		c.company = company
		return h(c)
	})
}

// handle registers a handler under a ServeMux pattern with a method.
func (s *Server) handle(pattern string, h handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		a, ok := w.(*answer)
		if !ok {
			panic("sandbox: a route was not served by dispatch")
		}
		a.routed = true
		result, err := h(&call{s: s, r: r, body: a.requestBody, pattern: pattern})
		s.render(a, result, err)
	})
}

// answer collects the answer to a request, so that a fault can still change or withhold it.
type answer struct {
	requestBody []byte
	routed      bool
	status      int
	header      http.Header
	body        bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *answer) set(status int, contentType string, body []byte) {
	a.status = status
	a.header.Del("Content-Type")
	if contentType != "" {
		a.header.Set("Content-Type", contentType)
	}
	a.body.Reset()
	a.body.Write(body)
}

// dispatch processes a request as one step.
func (s *Server) dispatch(r *http.Request, body []byte) *answer {
	a := &answer{requestBody: body, header: http.Header{}}
	s.locked(func() {
		// Trace ids do not use the seeded source: identifiers then depend only on what is created, not on reads.
		s.traces++
		a.header.Set("x-trace-id", fmt.Sprintf("%032x", s.traces))
		if path.Clean(r.URL.Path) != r.URL.Path {
			s.render(a, notOffered(), nil)
			return
		}
		s.mux.ServeHTTP(a, r)
		if a.routed {
			return
		}
		if a.status == http.StatusMethodNotAllowed && !s.opts.OnlySpecified {
			a.header.Del("X-Content-Type-Options")
			a.set(http.StatusMethodNotAllowed, "", nil)
			return
		}
		a.header = http.Header{"X-Trace-Id": a.header["X-Trace-Id"]}
		s.render(a, notOffered(), nil)
	})
	return a
}

// notOffered is the answer to a request that no endpoint serves.
func notOffered() *reply {
	return &reply{
		status: http.StatusNotFound, contentType: "text/html; charset=utf-8",
		body: htmlPage(http.StatusNotFound, "Not Found"),
	}
}

// render writes a handler's result into the answer.
func (s *Server) render(a *answer, result any, err error) {
	if err != nil {
		var no *refusal
		if !errors.As(err, &no) {
			no = &refusal{status: http.StatusInternalServerError}
		}
		maps.Copy(a.header, no.header)
		if no.body != nil {
			a.set(no.status, contentTypeJSON, mustJSON(no.body))
			return
		}
		contentType, body := FormErrors.render(no.status, no.problems)
		a.set(no.status, contentType, body)
		return
	}
	if raw, ok := result.(*reply); ok {
		maps.Copy(a.header, raw.header)
		a.set(cmp.Or(raw.status, http.StatusOK), raw.contentType, raw.body)
		return
	}
	shown := visible(result)
	if s.opts.CapitalStatuses {
		capitalStatuses(shown)
	}
	if _, isObject := shown.(object); isObject && s.opts.WrapResults {
		shown = object{"result": shown}
	}
	a.set(http.StatusOK, contentTypeJSON, mustJSON(shown))
}

// visible leaves out the sandbox's own fields, at every depth.
func visible(v any) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for name, value := range v {
			if !strings.HasPrefix(name, "_") {
				out[name] = visible(value)
			}
		}
		return out
	case []object:
		return visibleAll(v)
	case []any:
		return visibleAll(v)
	default:
		return v
	}
}

func capitalStatuses(v any) {
	switch v := v.(type) {
	case object:
		for name, value := range v {
			if word, isText := value.(string); isText && name == "status" && word != "" {
				v[name] = strings.ToUpper(word[:1]) + word[1:]
			}
			capitalStatuses(value)
		}
	case []any:
		for _, value := range v {
			capitalStatuses(value)
		}
	}
}

func visibleAll[T any](list []T) []any {
	out := make([]any, len(list))
	for i, value := range list {
		out[i] = visible(value)
	}
	return out
}

// success is the answer of boolean operations.
func success() object { return object{"success": true} }

// ServeHTTP takes a request through log, hooks, limit, faults and its handler, in this order. The page and the
// controls are not part of the service: only their handler sees them.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if page.Requested(r) {
		s.servePage(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, controlsPath) {
		s.serveControl(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody))
	if err != nil {
		http.Error(w, "request body could not be read", http.StatusBadRequest)
		return
	}
	entry := s.record(r, body)
	s.runHooks(r, entry)

	limit, refused := s.admit(r.Header.Get("X-Api-Key"))
	maps.Copy(w.Header(), limit)
	if refused != "" {
		s.finish(entry, http.StatusTooManyRequests)
		a := &answer{header: http.Header{}}
		s.render(a, nil, refuse(http.StatusTooManyRequests, "", "%s", refused))
		send(w, a)
		return
	}
	if f, ok := s.takeFault(r, body); ok {
		s.serveFault(w, r, body, entry, f)
		return
	}
	a := s.dispatch(r, body)
	s.finish(entry, a.status)
	send(w, a)
}

func send(w http.ResponseWriter, a *answer) {
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

// acceptsJSON reports whether a content type is one of those that the specification lists under Endpoints.
func acceptsJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case "application/json-patch+json", "application/json", "text/json":
		return true
	}
	return strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

// input decodes the body of a request that must have one. The error of a body that cannot be read comes from check.
func (c *call) input() *fields {
	in := c.optionalInput()
	if len(bytes.TrimSpace(c.body)) == 0 {
		in.unreadable = invalid("", "A non-empty request body is required.")
	}
	return in
}

// optionalInput decodes the body of a request that may come without; it then reads as an empty object.
func (c *call) optionalInput() *fields {
	in := &fields{c: c, in: object{}, known: map[string]bool{}, problems: &[]problem{}}
	if len(bytes.TrimSpace(c.body)) == 0 {
		return in
	}
	if !acceptsJSON(c.r.Header.Get("Content-Type")) {
		in.unreadable = refuse(http.StatusUnsupportedMediaType, "", "Unsupported Media Type")
		return in
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		in.unreadable = invalid("", "Unexpected end or character when reading the request body: %s.", err)
	} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
		in.unreadable = invalid("", "Additional text encountered after finished reading JSON content.")
	} else if doc, ok := v.(object); ok {
		in.in = doc
	} else {
		in.unreadable = invalid("", "Error converting the request body: an object is expected.")
	}
	return in
}

// UnknownField is a request field that the service does not know and silently ignores. Tests find an invented one
// here.
type UnknownField struct {
	Method string
	Route  string
	// Field is its path, such as "address.zip".
	Field string
}

// UnknownFields returns the unknown request fields of all requests so far, each once, in the order they were met.
func (s *Server) UnknownFields() []UnknownField {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]UnknownField(nil), s.unknown...)
}

var pathParameter = regexp.MustCompile(`\{[^/]*\}`)

// matchPath reports whether a path matches a pattern. Segments in braces match anything; "" matches every path.
func matchPath(pattern, actual string) bool {
	matched, err := path.Match(pathParameter.ReplaceAllString(pattern, "*"), actual)
	return pattern == "" || err == nil && matched
}

// matchRequest reports whether a request has a method, "" for any, and a path that matches a pattern.
func matchRequest(method, pattern, gotMethod, gotPath string) bool {
	return (method == "" || method == gotMethod) && matchPath(pattern, gotPath)
}
