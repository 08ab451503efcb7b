package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// Hidden stands for what the page does not show.
const Hidden = "(hidden)"

// leastHidden is the least length of a secret that is hidden inside other texts: shorter ones match many by chance.
const leastHidden = 6

// secretNames are the names of fields, at any depth of the settings, whose values the page hides.
var secretNames = regexp.MustCompile(
	`(?i)passw|senha|secret|csrt|^csc$|api_?key|token$|credential|private|auth_?number`,
)

// Redactor hides the secrets of an account wherever they appear.
type Redactor struct{ replace *strings.Replacer }

// NewRedactor hides these secrets.
func NewRedactor(secrets []string) *Redactor {
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= leastHidden {
			pairs = append(pairs, secret, Hidden)
		}
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text is a text without the account's secrets.
func (r *Redactor) Text(s string) string { return r.replace.Replace(s) }

// Short is a text of at most so many letters without the account's secrets.
func (r *Redactor) Short(s string, most int) string {
	// Secrets are hidden first: one that is cut off would not be found.
	if letters := []rune(r.Text(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return r.Text(s)
}

// Value is a value of a document, hidden if its name is that of a secret.
func (r *Redactor) Value(name string, v any) string {
	v = r.redacted(name, v)
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("page: a value cannot be encoded: " + err.Error())
	}
	return strings.TrimSpace(out.String())
}

// redacted is a copy of a value in which secrets are hidden, at every depth.
func (r *Redactor) redacted(name string, v any) any {
	if v != nil && secretNames.MatchString(name) {
		if _, flag := v.(bool); !flag {
			return Hidden
		}
	}
	switch v := v.(type) {
	case string:
		if strings.EqualFold(name, "url") && v != "" {
			return cmp.Or(r.Address(v), Hidden)
		}
		return r.Text(v)
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[r.Text(name)] = r.redacted(name, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = r.redacted("", value)
		}
		return out
	default:
		return v
	}
}

// Address is a webhook's URL without possible secrets of its receiver; empty if it is no URL.
func (r *Redactor) Address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return ""
	}
	shown := u.Scheme + "://" + u.Host + u.Path
	if u.RawQuery != "" {
		shown += "?…"
	}
	return r.Text(shown)
}

// quoted matches quoted parts of Go's errors: here an address, which may hold a secret.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"?`)

// Failure is why a delivery got no answer.
func (r *Redactor) Failure(reason string) string {
	return r.Text(strings.TrimPrefix(quoted.ReplaceAllString(reason, "…"), "Post …: "))
}
