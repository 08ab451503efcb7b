package sandbox

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// The addresses of the page and of what it loads.
const (
	pagePath   = "/"
	eventsPath = "/_sandbox/events"
	stylePath  = "/_sandbox/page.css"
	scriptPath = "/_sandbox/page.js"
	iconPath   = "/_sandbox/page.svg"
)

// pagePolicy lets the page load its own style, script and icon and listen to its own events, and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// pageTick is how often a follower is told at most, in real time.
const pageTick = 250 * time.Millisecond

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page/page.html"))

var pageAssets = map[string]struct{ file, contentType string }{
	stylePath:  {"page/page.css", "text/css; charset=utf-8"},
	scriptPath: {"page/page.js", "text/javascript; charset=utf-8"},
	iconPath:   {"page/page.svg", "image/svg+xml"},
}

// PageRequest says whether a request is for the page that shows the account, or for what the page loads. Such a request
// is not recorded, counts in no limit, and meets no fault and no hook.
func PageRequest(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, asset := pageAssets[r.URL.Path]
	return asset || r.URL.Path == pagePath || r.URL.Path == eventsPath
}

// PageURL is the address of the page; empty before Listen.
func (s *Server) PageURL() string {
	if s.address == "" {
		return ""
	}
	return "http://" + s.address + pagePath
}

func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	if !fromThisMachine(r) {
		http.Error(w, "The page of the sandbox is for this machine, by its own name: localhost, 127.0.0.1 or [::1].", http.StatusForbidden)
		return
	}
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	if r.URL.Path == eventsPath {
		s.follow(w, r)
		return
	}
	contentType, body := "text/html; charset=utf-8", []byte(nil)
	if asset, ok := pageAssets[r.URL.Path]; ok {
		content, err := pageFiles.ReadFile(asset.file)
		if err != nil {
			panic("sandbox: the page lacks a file: " + err.Error())
		}
		contentType, body = asset.contentType, content
	} else {
		var out bytes.Buffer
		view := s.view()
		view.BaseURL = "http://" + r.Host + "/v1"
		view.Reload = r.URL.Query().Has("reload")
		if err := pageTemplate.Execute(&out, view); err != nil {
			panic("sandbox: the page cannot be written: " + err.Error())
		}
		body = out.Bytes()
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// fromThisMachine says whether a browser here asked, and by a name of this machine: a page from elsewhere whose own name
// suddenly means 127.0.0.1 must not read this one.
func fromThisMachine(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && onLoopback("http://"+r.Host)
}

// follow sends a server-sent event now, and then whenever the page has changed, until the follower goes or the server
// closes.
func (s *Server) follow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	ticker := time.NewTicker(pageTick)
	defer ticker.Stop()
	told := ""
	for event := 1; ; {
		if now := s.pageState(); now != told {
			told = now
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
		case <-s.ctx.Done():
			return
		}
	}
}

// pageState is another when the page may be another: after steps of the server, and when a limit has been let go of by
// time alone.
func (s *Server) pageState() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	var minutes, seconds int
	for _, w := range s.windows {
		inMinute, inSecond, _ := w.seen(now, s.opts)
		minutes += inMinute
		seconds += inSecond
	}
	return fmt.Sprint(s.steps.Load(), " ", minutes, " ", seconds)
}
