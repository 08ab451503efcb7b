package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// look gets something of a page with nothing on it.
func look(t *testing.T, method, path string) (status int, header http.Header, body string) {
	t.Helper()
	server := httptest.NewServer(Handler{
		View:     func(Query) View { return View{} },
		Document: func(id string) (Document, bool) { return Document{Invoice: Invoice{ID: id}}, id == "held" },
	})
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	expect.NoError(t, err)
	resp, err := server.Client().Do(req)
	expect.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	expect.NoError(t, err)
	return resp.StatusCode, resp.Header, string(raw)
}

func TestPage_allowsItsOwnPartsAlone(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"/": "text/html; charset=utf-8", "/_sandbox/page.css": "text/css; charset=utf-8",
		"/_sandbox/page.js": "text/javascript; charset=utf-8", "/_sandbox/page.svg": "image/svg+xml", "/_sandbox/events": "text/event-stream",
		"/_sandbox/buttons.js": "text/javascript; charset=utf-8", "/_sandbox/document.css": "text/css; charset=utf-8",
		"/_sandbox/documents/held": "text/html; charset=utf-8", "/_sandbox/documents/held.xml": "application/xml; charset=utf-8",
	}
	for path, contentType := range want {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			if r := httptest.NewRequestWithContext(t.Context(), method, path, nil); !Requested(r) {
				t.Errorf("%s %s is not for the page", method, path)
			}
		}
		status, header, body := look(t, http.MethodHead, path)
		if status != http.StatusOK || body != "" || header.Get("Content-Type") != contentType {
			t.Errorf("HEAD %s = %d %q", path, status, header.Get("Content-Type"))
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", path, name, got, want)
			}
		}
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") {
			t.Errorf("the policy %q is not strict", policy)
		}
	}
	_, _, page := look(t, http.MethodGet, "/")
	_, _, document := look(t, http.MethodGet, "/_sandbox/documents/held")
	for _, found := range regexp.MustCompile(`(?:href|src)="(/[^"#?]*)`).FindAllStringSubmatch(page+document, -1) {
		if want[found[1]] == "" {
			t.Errorf("the page refers to %s", found[1])
		}
	}
	if strings.Contains(page, "http-equiv") || !strings.Contains(page, `<a href="/?reload=on">`) {
		t.Error("the page reloads although nobody asked for it, or does not offer to")
	}
	if _, _, page := look(t, http.MethodGet, "/?reload"); !strings.Contains(page, `<noscript><meta http-equiv="refresh" content="10"></noscript>`) {
		t.Error("the page does not reload when asked to")
	}
}
