package sandbox

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

const (
	// hiddenText stands for what the page does not show.
	hiddenText = "(hidden)"
	// leastHidden is how long a secret must be to be looked for inside of other texts: a shorter one is found in many
	// that have nothing to do with it.
	leastHidden = 6
)

// secretNames are the names of fields, at any depth of the settings, whose values the page hides.
var secretNames = regexp.MustCompile(`(?i)passw|senha|secret|csrt|^csc$|api_?key|token$|credential|private|auth_?number`)

// curtain hides the secrets of an account wherever they appear.
type curtain struct{ replace *strings.Replacer }

// curtain knows the secrets that the account has now. The caller holds the lock.
func (s *Server) curtain() *curtain {
	var pairs []string
	hide := func(secret string) {
		if len(secret) >= leastHidden {
			pairs = append(pairs, secret, hiddenText)
		}
	}
	for _, secret := range []string{s.signing.secret, s.signing.previous} {
		hide(secret)
		hide(strings.TrimPrefix(secret, secretPrefix))
	}
	for _, company := range s.latest(KindCompanies) {
		hide(text(company, "_apiKey"))
	}
	for _, certificate := range s.expected {
		hide(certificate.password)
	}
	for _, doc := range s.settings {
		for _, shape := range settingsBlocks {
			for _, field := range shape.fields {
				if field.secret {
					hide(text(doc[shape.name].values, field.name))
				}
			}
		}
	}
	return &curtain{strings.NewReplacer(pairs...)}
}

// show is a text without the account's secrets.
func (c *curtain) show(s string) string { return c.replace.Replace(s) }

// value is a value of a document, without what its name says is a secret.
func (c *curtain) value(name string, v any) string {
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
		panic("sandbox: a stored value cannot be encoded: " + err.Error())
	}
	return strings.TrimSpace(out.String())
}

// veiled is a copy of a value in which secrets are hidden, at every depth.
func (c *curtain) veiled(name string, v any) any {
	if v != nil && secretNames.MatchString(name) {
		if _, flag := v.(bool); !flag {
			return hiddenText
		}
	}
	switch v := v.(type) {
	case string:
		return c.show(v)
	case object:
		out := object{}
		for name, value := range v {
			out[c.show(name)] = c.veiled(name, value)
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

// hidden stands for a secret that is set.
func hidden(v any) any {
	if v == nil {
		return nil
	}
	return hiddenText
}

// maskedKey shows the first characters of a key, as the service does, and not how long it is.
func maskedKey(key string) string {
	if len(key) <= 2*visibleOfKey {
		return "****"
	}
	return key[:visibleOfKey] + "****"
}

// address is a webhook's URL without what may be a secret of its receiver.
func (c *curtain) address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "an address that is no URL"
	}
	shown := u.Scheme + "://" + u.Host + u.Path
	if u.RawQuery != "" {
		shown += "?…"
	}
	return c.show(shown)
}

// quoted is what Go's errors put between quotes, which is an address here, and may hold a secret.
var quoted = regexp.MustCompile(`"(\\.|[^"\\])*"?`)

// failure is why a try got no answer.
func (p *pageMaker) failure(reason string) string {
	return "no answer: " + p.show(strings.TrimPrefix(quoted.ReplaceAllString(reason, "…"), "Post …: "))
}
