// Package plain makes texts from outside fit to be shown: those of the service, an
// authority, a proxy or a database. Nothing in them commands a terminal, or looks like
// a line of the provider's own.
package plain

import (
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
