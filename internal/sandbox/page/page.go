// Package page is the sandbox's page for the browser. The sandbox fills the view; this package lays it out, hides
// secrets, and lets a browser follow the changes.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Path is the address of the page.
const Path = "/"

// The addresses of what the page loads.
const (
	eventsPath  = "/_sandbox/events"
	stylePath   = "/_sandbox/page.css"
	scriptPath  = "/_sandbox/page.js"
	buttonsPath = "/_sandbox/buttons.js"
	iconPath    = "/_sandbox/page.svg"
	printPath   = "/_sandbox/document.css"
	// documentsPath is followed by the id of an invoice, for its printed document, and by xmlSuffix, for its XML.
	documentsPath = "/_sandbox/documents/"
	xmlSuffix     = ".xml"
)

const contentTypeHTML = "text/html; charset=utf-8"

// policy lets the page load its own style, script and icon and listen to its own events, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// tick is the least time between two events, in real time.
const tick = 250 * time.Millisecond

//go:embed *.html *.css *.js *.svg
var files embed.FS

// layouts are the page by language, each with the texts of its own.
var layouts = func() (all [len(languages)]*template.Template) {
	for l := range all {
		language := Language(l)
		all[l] = template.Must(template.New("page").Funcs(template.FuncMap{
			"say": language.say, "count": language.count, "word": language.word, "states": language.states,
			"moment": language.moment, "dated": language.dated,
			"model": modelName, "reais": language.reais, "whole": language.whole, "numbered": language.numbered,
			"taxnumber": taxNumber, "fours": fours, "label": label, "list": func(all ...string) []string { return all },
			"tell": language.tell, "odd": func(n int) bool { return n%2 == 1 },
		}).ParseFS(files, "*.html"))
	}
	return all
}()

var assets = map[string]struct{ file, contentType string }{
	stylePath:   {"page.css", "text/css; charset=utf-8"},
	printPath:   {"document.css", "text/css; charset=utf-8"},
	scriptPath:  {"page.js", "text/javascript; charset=utf-8"},
	buttonsPath: {"buttons.js", "text/javascript; charset=utf-8"},
	iconPath:    {"page.svg", "image/svg+xml"},
}

// Requested reports whether a request is for the page or for a file that it loads.
func Requested(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	_, asset := assets[r.URL.Path]
	return asset || r.URL.Path == Path || r.URL.Path == eventsPath || strings.HasPrefix(r.URL.Path, documentsPath)
}

// Handler serves the requests that Requested names.
type Handler struct {
	// View returns the current content of the page.
	View func(Query) View
	// Document returns the printed document of an invoice, if it has one. Otherwise the result may still hold the
	// invoice.
	Document func(id string) (Document, bool)
	// State differs when the view may differ.
	State func() string
	// Ended is closed when events are to end.
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
	if asset, ok := assets[r.URL.Path]; ok {
		content, err := files.ReadFile(asset.file)
		if err != nil {
			panic("page: a file is missing: " + err.Error())
		}
		write(w, http.StatusOK, asset.contentType, content)
		return
	}
	query := asked(r)
	if id, ok := strings.CutPrefix(r.URL.Path, documentsPath); ok {
		h.print(w, query, id)
		return
	}
	view := h.View(query)
	view.Query, view.BaseURL = query, "http://"+r.Host+"/v1"
	write(w, http.StatusOK, contentTypeHTML, render(query.Language, "page.html", view))
}

// print serves the document of an invoice or its XML.
func (h Handler) print(w http.ResponseWriter, query Query, id string) {
	id, wantsXML := strings.CutSuffix(id, xmlSuffix)
	document, ok := h.Document(id)
	document.Query = query
	switch {
	case !ok:
		write(w, http.StatusNotFound, contentTypeHTML, render(query.Language, "nothing.html", document))
	case wantsXML:
		name := strconv.Quote(notInFileNames.ReplaceAllString(id, "-") + xmlSuffix)
		w.Header().Set("Content-Disposition", "attachment; filename="+name)
		write(w, http.StatusOK, "application/xml; charset=utf-8", []byte(document.XML))
	default:
		write(w, http.StatusOK, contentTypeHTML, render(query.Language, "document.html", document))
	}
}

// notInFileNames matches the characters that file names must not contain.
var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func render(l Language, name string, data any) []byte {
	var out bytes.Buffer
	if err := layouts[l].ExecuteTemplate(&out, name, data); err != nil {
		panic("page: it cannot be written: " + err.Error())
	}
	return out.Bytes()
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// follow sends a server-sent event now and whenever the page has changed, until the browser disconnects or Ended is
// closed.
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
