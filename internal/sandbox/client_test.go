package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// noon is when manual clocks of these tests begin.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// client talks to a sandbox as anybody would, with the main company's key unless key is changed.
type client struct {
	t   *testing.T
	s   *Server
	key string
}

// got is an answer; err is set where there was none.
type got struct {
	status int
	header http.Header
	raw    string
	doc    object
	err    error
}

func newClient(t *testing.T, opts Options) *client {
	t.Helper()
	s := Start(t, opts)
	return &client{t: t, s: s, key: s.OwnerKey()}
}

// do sends body, a string as it is and anything else as JSON, to a path below /v1.
func (c *client) do(method, path string, body any) got {
	c.t.Helper()
	return c.send(method, path, body, nil)
}

func (c *client) send(method, path string, body any, header http.Header) got {
	c.t.Helper()
	return c.exchange(method, c.s.BaseURL()+path, body, header)
}

func (c *client) exchange(method, address string, body any, header http.Header) got {
	c.t.Helper()
	resp, err := c.begin(method, address, body, header)
	if err != nil {
		return got{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	g := got{status: resp.StatusCode, header: resp.Header, raw: string(raw), err: err}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&g.doc) != nil {
		g.doc = nil
	}
	return g
}

// begin is exchange for an answer that is not read to its end.
func (c *client) begin(method, address string, body any, header http.Header) (*http.Response, error) {
	c.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		expect.NoError(c.t, err)
		content = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, address, content)
	expect.NoError(c.t, err)
	req.Header.Set("X-Api-Key", c.key)
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	// One connection per request: a closed one is then never mistaken for an idle one and silently tried again.
	return (&http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}).Do(req)
}

// must is do where anything but a 200 ends the test.
func (c *client) must(method, path string, body any) object {
	c.t.Helper()
	g := c.do(method, path, body)
	if g.err != nil || g.status != http.StatusOK {
		c.t.Fatalf("%s %s = %d %s %v, want 200", method, path, g.status, g.raw, g.err)
	}
	return g.doc
}

// items are those that a list shows.
func (c *client) items(path string) []any {
	c.t.Helper()
	items, _ := c.must("GET", path, nil)["items"].([]any)
	return items
}

// as is a client with another company's key.
func (c *client) as(company string) *client { return &client{t: c.t, s: c.s, key: c.s.KeyOf(company)} }

// finds lists by filters, each of which finds so many, and by others that are refused.
func (c *client) finds(path string, want map[string]int, refused ...string) {
	c.t.Helper()
	for query, n := range want {
		wantSame(c.t, n, len(c.items(path+"?"+query)), "number found by %s", query)
	}
	for _, query := range refused {
		wantStatus(c.t, c.do("GET", path+"?"+query, nil), http.StatusBadRequest)
	}
}

// in is the same client in a subtest.
func (c *client) in(t *testing.T) *client { return &client{t: t, s: c.s, key: c.key} }

// refused sends what is answered 400 with these problems.
func (c *client) refused(method, path string, body any, want ...string) {
	c.t.Helper()
	g := c.do(method, path, body)
	wantStatus(c.t, g, http.StatusBadRequest)
	wantSame(c.t, want, g.problems(), "%s %s %v: problems", method, path, body)
}

// badBody is one that is answered 400 with these problems.
type badBody struct {
	name string
	body any
	want []string
}

// refuses sends the bodies to a route, each in a subtest of its own.
func (c *client) refuses(method, path string, bad []badBody) {
	for _, tt := range bad {
		rows.Case(c.t, tt.name, func(t *testing.T) {
			c.in(t).refused(method, path, tt.body, tt.want...)
		})
	}
}

// refusedFor sends what is answered 400 with a message that has a word.
func (c *client) refusedFor(word, method, path string, body any) {
	c.t.Helper()
	g := c.do(method, path, body)
	wantStatus(c.t, g, http.StatusBadRequest)
	if !strings.Contains(g.raw, word) {
		c.t.Errorf("%s %s = %s, want %s", method, path, g.raw, word)
	}
}

// problems are the "path: message" of an answer in the usual error form.
func (g got) problems() []string {
	out := []string{}
	list, _ := g.doc["errors"].([]any)
	for _, e := range list {
		e := e.(object)
		out = append(out, fmt.Sprintf("%v: %v", e["path"], e["message"]))
	}
	return out
}

// pick is the wanted fields of a document, for comparing without what the service adds.
func pick(doc object, like object) object {
	out := object{}
	for name, want := range like {
		value, ok := doc[name]
		if !ok {
			continue
		}
		if sub, ok := want.(object); ok {
			if inner, ok := value.(object); ok {
				value = pick(inner, sub)
			}
		}
		out[name] = value
	}
	return out
}

// wantSame compares two values; format and args say what they are.
func wantSame(t *testing.T, want, got any, format string, args ...any) {
	t.Helper()
	expect.Same(t, want, got, "%s differs", fmt.Sprintf(format, args...))
}

// wantTexts wants others in a text.
func wantTexts(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		expect.Contains(t, text, w)
	}
}

func wantNoTexts(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(text, u) {
			t.Errorf("%q is in %s", u, text)
		}
	}
}

func wantFields(t *testing.T, doc, want object) {
	t.Helper()
	wantSame(t, want, pick(doc, want), "document")
}

func wantStatus(t *testing.T, g got, status int) {
	t.Helper()
	if g.err != nil || g.status != status {
		t.Fatalf("answer = %d %s %v, want status %d", g.status, g.raw, g.err, status)
	}
}
