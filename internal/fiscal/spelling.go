package fiscal

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// exempt is written in the place of a state tax number by those whom the law exempts from having one.
const exempt = "ISENTO"

// NormalizeStateTaxNumber returns the digits of a state tax number without punctuation, or ISENTO for that word in any
// case. Other text is returned unchanged.
func NormalizeStateTaxNumber(s string) string {
	if strings.EqualFold(strings.TrimSpace(s), exempt) {
		return exempt
	}
	return digitsOf(s)
}

// ValidStateTaxNumber reports whether s is digits or ISENTO, in any spelling that [NormalizeStateTaxNumber]
// understands. The service accepts other text, but the authority then rejects the document. The length is not checked,
// because its limit is not the same for each resource.
func ValidStateTaxNumber(s string) bool {
	normalized := NormalizeStateTaxNumber(s)
	return normalized == exempt || allDigits(normalized)
}

// NormalizePostalCode returns the digits of a postal code (CEP). A foreign code
// with letters, and text without digits, are returned unchanged.
func NormalizePostalCode(s string) string { return digitsOf(s) }

// IsPostalCode reports whether a normalized text is a CEP.
func IsPostalCode(s string) bool { return len(s) == 8 && allDigits(s) }

// NormalizePhone returns the digits of a telephone number, after a leading plus sign
// where it has one. Text with letters, or without digits, is returned unchanged.
func NormalizePhone(s string) string {
	rest, international := strings.CutPrefix(strings.TrimSpace(s), "+")
	digits := digitsOf(rest)
	switch {
	case !allDigits(digits):
		return s
	case international:
		return "+" + digits
	}
	return digits
}

// PhoneDigits is NormalizePhone without the plus sign, for which tax documents have no
// place, and by which two numbers are compared.
func PhoneDigits(s string) string {
	normal := NormalizePhone(s)
	if digits, ok := strings.CutPrefix(normal, "+"); ok && allDigits(digits) {
		return digits
	}
	return normal
}

// NormalizeState returns the abbreviation of a state as the service writes it: in
// lower case, without white space around it.
func NormalizeState(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// FoldPlace returns a form of a place name for comparison only: lower case, without accents, with single spaces. It is
// the same for "  SÃO  Paulo" and "sao paulo".
func FoldPlace(name string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ToValidUTF8(name, "\uFFFD"))) // An invalid byte would hide the accent after it.
	return strings.Join(strings.Fields(folded), " ")
}

// digitsOf removes the punctuation that people write between digits. Where s has
// other characters, which could be part of the value, it is returned unchanged.
func digitsOf(s string) string {
	var digits strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case r == '.', r == '/', r == '(', r == ')', unicode.Is(unicode.Pd, r), unicode.IsSpace(r):
		default:
			return s
		}
	}
	if digits.Len() == 0 {
		return s
	}
	return digits.String()
}
