// Package plain cleans texts from outside before somebody reads them: those of the service, an authority, a proxy or
// a database. Nothing in them commands a terminal, or looks like a line of the provider's own, and no secret is left.
package plain

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes one line of printable text.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(s), " ")
}

// Excerpt makes one line of at most limit bytes of printable text.
func Excerpt(s string, limit int) string {
	const more = "..."
	if s = Line(s); len(s) <= limit {
		return s
	}
	cut := limit - len(more)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + more
}

// Without puts word in the place of secrets. Errors of transports quote what came, and addresses are escaped.
func Without(s, word string, secrets ...string) string {
	for _, secret := range secrets {
		quoted := strings.Trim(strconv.Quote(secret), `"`)
		for _, form := range []string{secret, quoted, url.PathEscape(secret), url.QueryEscape(secret)} {
			if form != "" {
				s = strings.ReplaceAll(s, form, word)
			}
		}
	}
	return s
}

// Error is an error with another text, a clean one.
func Error(err error, text string) error { return &cleaned{text, err} }

type cleaned struct {
	text  string
	cause error
}

func (e *cleaned) Error() string { return e.text }
func (e *cleaned) Unwrap() error { return e.cause }
