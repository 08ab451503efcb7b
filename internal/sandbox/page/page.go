// Package page is the page for the browser on which the sandbox shows its account. The sandbox fills the view; how it
// is laid out, what of it is hidden, and how a browser follows it, is here.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"time"
)

// Path is the address of the page.
const Path = "/"

// The addresses of what the page loads.
const (
	eventsPath = "/_sandbox/events"
	stylePath  = "/_sandbox/page.css"
	scriptPath = "/_sandbox/page.js"
	iconPath   = "/_sandbox/page.svg"
)

// policy lets the page load its own style, script and icon and listen to its own events, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// tick is the least time between two events, in real time.
const tick = 250 * time.Millisecond

//go:embed page.html page.css page.js page.svg
var files embed.FS

var layout = template.Must(template.ParseFS(files, "page.html"))

var assets = map[string]struct{ file, contentType string }{
	stylePath:  {"page.css", "text/css; charset=utf-8"},
	scriptPath: {"page.js", "text/javascript; charset=utf-8"},
	iconPath:   {"page.svg", "image/svg+xml"},
}

// Requested says whether a request is for the page or for what it loads.
func Requested(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, asset := assets[r.URL.Path]
	return asset || r.URL.Path == Path || r.URL.Path == eventsPath
}

// Handler serves the page to those who asked for it; see Requested.
type Handler struct {
	// View is what there is to show now.
	View func() View
	// State differs when the view may differ.
	State func() string
	// Ended is closed when nobody is to follow any longer.
	Ended <-chan struct{}
}

// ServeHTTP serves the page, what it loads, or its events.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", policy)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	if r.URL.Path == eventsPath {
		h.follow(w, r)
		return
	}
	contentType, body := "text/html; charset=utf-8", []byte(nil)
	if asset, ok := assets[r.URL.Path]; ok {
		content, err := files.ReadFile(asset.file)
		if err != nil {
			panic("page: a file is missing: " + err.Error())
		}
		contentType, body = asset.contentType, content
	} else {
		var out bytes.Buffer
		view := h.View()
		view.BaseURL = "http://" + r.Host + "/v1"
		view.Reload = r.URL.Query().Has("reload")
		if err := layout.Execute(&out, view); err != nil {
			panic("page: it cannot be written: " + err.Error())
		}
		body = out.Bytes()
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// follow sends a server-sent event now, and then whenever the page has changed, until the follower goes or there is
// nothing to follow any longer.
func (h Handler) follow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	sent := ""
	for event := 1; ; {
		if now := h.State(); now != sent {
			sent = now
			if _, err := fmt.Fprintf(w, "retry: 1000\nid: %d\nevent: changed\ndata: %d\n\n", event, event); err != nil {
				return
			}
			if out.Flush() != nil {
				return
			}
			event++
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-h.Ended:
			return
		}
	}
}
