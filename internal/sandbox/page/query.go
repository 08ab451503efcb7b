package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// longestSearch is how many letters of a search count.
const longestSearch = 100

// Which requests are shown, besides all.
const (
	RequestsRefused = "refused"
	RequestsChanges = "changes"
)

// Query is what somebody asked to see. It stands in the address, so that it can be kept, sent and returned to.
type Query struct {
	Search, Model, Status, Requests string
	// Invoice is the id of the one invoice to show with all that belongs to it.
	Invoice  string
	Language Language
	Reload   bool

	values url.Values
}

// asked reads the address. The language is the one that was chosen, or else the browser's.
func asked(r *http.Request) Query {
	values := r.URL.Query()
	q := Query{
		Search: strings.TrimSpace(values.Get("q")), Model: values.Get("model"), Status: values.Get("status"),
		Requests: values.Get("requests"), Invoice: values.Get("invoice"), Reload: values.Has("reload"),
		values: url.Values{},
	}
	if letters := []rune(q.Search); len(letters) > longestSearch {
		q.Search = string(letters[:longestSearch])
	}
	if q.Reload {
		values.Set("reload", "on")
	}
	for _, name := range []string{"q", "model", "status", "requests", "invoice", "lang", "reload"} {
		if value := values.Get(name); value != "" {
			q.values.Set(name, value)
		}
	}
	for preferred := range strings.SplitSeq(values.Get("lang")+","+r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(preferred)), "-")
		tag, _, _ = strings.Cut(tag, ";")
		at := slices.IndexFunc(languages[:], func(l struct{ Tag, Markup, Name string }) bool { return l.Tag == tag })
		if at >= 0 {
			q.Language = Language(at)
			break
		}
	}
	return q
}

// Link is the address of this page with one part of the query changed; "" takes it out.
func (q Query) Link(name, value string) string { return q.to(Path, name, value) }

// At is the address of a part of the page, which is on another page while a single invoice is shown.
func (q Query) At(part string) string {
	if q.Invoice == "" {
		return "#" + part
	}
	return q.Link("invoice", "") + "#" + part
}

// Document is the address of an invoice's printed document.
func (q Query) Document(id string) string {
	return Query{values: q.kept("lang")}.to(documentsPath+url.PathEscape(id), "", "")
}

// XML is the address of an invoice's XML.
func (q Query) XML(id string) string { return documentsPath + url.PathEscape(id) + xmlSuffix }

// Back is the address of an invoice, seen from its document.
func (q Query) Back(id string) string { return Query{values: q.kept("lang")}.Link("invoice", id) }

func (q Query) kept(name string) url.Values {
	values := url.Values{}
	if value := q.values.Get(name); value != "" {
		values.Set(name, value)
	}
	return values
}

func (q Query) to(path, name, value string) string {
	if with := q.with(name, value); with != "" {
		return path + "?" + with
	}
	return path
}

// with is the query with one part changed.
func (q Query) with(name, value string) string {
	values := maps.Clone(q.values)
	values.Del(name)
	if value != "" {
		values.Set(name, value)
	}
	return values.Encode()
}
