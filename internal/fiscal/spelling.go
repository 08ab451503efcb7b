package fiscal

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Exempt is what stands for a state tax number where the law exempts its
// holder from having one.
const Exempt = "ISENTO"

// NormalizeStateTaxNumber returns the digits of a state tax number without
// punctuation, or [Exempt] for that word in any case. Other text is returned
// unchanged.
func NormalizeStateTaxNumber(s string) string {
	if strings.EqualFold(strings.TrimSpace(s), Exempt) {
		return Exempt
	}
	return digitsOf(s)
}

// ValidStateTaxNumber reports whether s, in any spelling that
// [NormalizeStateTaxNumber] understands, is digits or [Exempt]. The service
// accepts other text at first; the document then fails at the authority. The
// length is not checked: it differs by resource.
func ValidStateTaxNumber(s string) bool {
	normalized := NormalizeStateTaxNumber(s)
	return normalized == Exempt || allDigits(normalized)
}

// NormalizePostalCode returns the digits of a postal code (CEP). A foreign
// code that has letters, and text without digits, are returned unchanged.
func NormalizePostalCode(s string) string { return digitsOf(s) }

// NormalizePhone returns the digits of a telephone number, without its
// punctuation and without a leading plus sign. Text that has letters or no
// digits is returned unchanged.
func NormalizePhone(s string) string {
	digits := digitsOf(strings.TrimPrefix(strings.TrimSpace(s), "+"))
	if allDigits(digits) {
		return digits
	}
	return s
}

// NormalizeState returns a state abbreviation as the service answers it: in
// lower case, without surrounding white space.
func NormalizeState(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// FoldPlace returns a form of a place name for comparison only: lower case,
// without accents, with single spaces. "  SÃO  Paulo" and "sao paulo" fold
// alike.
func FoldPlace(name string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ToValidUTF8(name, "\uFFFD"))) // A byte that is no text would hide the accent after it.
	return strings.Join(strings.Fields(folded), " ")
}

// digitsOf drops what people write between digits. Anything else in s could
// be part of the value, so that s is then returned as it is.
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
