package page

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// Hidden stands for what the page does not show.
const Hidden = "(hidden)"

// leastHidden is how long a secret must be to be looked for inside of other texts: a shorter one is found in many that
// have nothing to do with it.
const leastHidden = 6

// secretNames are the names of fields, at any depth of the settings, whose values the page hides.
var secretNames = regexp.MustCompile(`(?i)passw|senha|secret|csrt|^csc$|api_?key|token$|credential|private|auth_?number`)

// Curtain hides the secrets of an account wherever they appear.
type Curtain struct{ replace *strings.Replacer }

// NewCurtain hides these secrets.
func NewCurtain(secrets []string) *Curtain {
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= leastHidden {
			pairs = append(pairs, secret, Hidden)
		}
	}
	return &Curtain{strings.NewReplacer(pairs...)}
}

// Text is a text without the account's secrets.
func (c *Curtain) Text(s string) string { return c.replace.Replace(s) }

// Short is a text of at most so many letters without the account's secrets.
func (c *Curtain) Short(s string, most int) string {
	// A secret that is cut off is not found, so that it is hidden first.
	if letters := []rune(c.Text(s)); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return c.Text(s)
}

// Value is a value of a document, without what its name says is a secret.
func (c *Curtain) Value(name string, v any) string {
	v = c.veiled(name, v)
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

// veiled is a copy of a value in which secrets are hidden, at every depth.
func (c *Curtain) veiled(name string, v any) any {
	if v != nil && secretNames.MatchString(name) {
		if _, flag := v.(bool); !flag {
			return Hidden
		}
	}
	switch v := v.(type) {
	case string:
		return c.Text(v)
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[c.Text(name)] = c.veiled(name, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = c.veiled("", value)
		}
		return out
	default:
		return v
	}
}

// Address is a webhook's URL without what may be a secret of its receiver.
func (c *Curtain) Address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "an address that is no URL"
	}
	shown := u.Scheme + "://" + u.Host + u.Path
	if u.RawQuery != "" {
		shown += "?…"
	}
	return c.Text(shown)
}

// quoted is what Go's errors put between quotes, which is an address here, and may hold a secret.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"?`)

// Failure is why a delivery got no answer.
func (c *Curtain) Failure(reason string) string {
	return "no answer: " + c.Text(strings.TrimPrefix(quoted.ReplaceAllString(reason, "…"), "Post …: "))
}
