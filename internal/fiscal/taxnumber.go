package fiscal

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Kind is the kind of document that a tax number has the form of.
type Kind string

// The kinds of a tax number. A text that has neither the form of a CPF nor that of a CNPJ counts as a foreign document.
const (
	KindCPF     Kind = "cpf"
	KindCNPJ    Kind = "cnpj"
	KindForeign Kind = "foreign"
)

const (
	cpfLength  = 11
	cnpjLength = 14
)

// TaxNumberKind returns the kind of a tax number. Punctuation (". - /" and white space), the case of letters and the
// check digits do not matter. For check digits see [CheckTaxNumber].
func TaxNumberKind(s string) Kind {
	kind, _ := classifyTaxNumber(s)
	return kind
}

// NormalizeTaxNumber returns the form that is sent: the digits of a CPF, or the digits and upper-case letters of a
// CNPJ. Of a foreign document only the white space around it is removed, because its punctuation may be part of it.
func NormalizeTaxNumber(s string) string {
	_, normalized := classifyTaxNumber(s)
	return normalized
}

// CheckTaxNumber returns an error for a CPF or CNPJ with wrong check digits, and for one digit repeated, which is
// nobody's number although its check digits may be right. It returns nil for a foreign document. Where a foreign
// document of the same form is possible, the error should be shown as a warning.
func CheckTaxNumber(s string) error {
	kind, number := classifyTaxNumber(s)
	if kind == KindForeign {
		return nil
	}
	name := strings.ToUpper(string(kind))
	if strings.Count(number, number[:1]) == len(number) {
		return text.NewError("tax_number.repeated", text.With{"kind": name, "number": number})
	}
	stem, given := number[:len(number)-2], number[len(number)-2:]
	maxWeight := 9
	if kind == KindCPF {
		// The weights of a CPF do not repeat: the longest stem has ten digits.
		maxWeight = 11
	}
	expected := string(checkDigit(stem, maxWeight))
	expected += string(checkDigit(stem+expected, maxWeight))
	if given != expected {
		return text.NewError("tax_number.check_digits", text.With{
			"kind": name, "number": number, "given": given, "wanted": expected,
		})
	}
	return nil
}

// TaxNumberLength counts the characters of a tax number without its punctuation.
func TaxNumberLength(s string) int { return utf8.RuneCountInString(strippedTaxNumber(s)) }

// WithLeadingZeros returns the CPF or CNPJ that a number of fewer digits becomes with zeros before it, as a spreadsheet
// drops them, or "". The check digits must be right, because documents of other countries have such lengths too: of
// those, one of a hundred fits by chance.
func WithLeadingZeros(s string) string {
	kind, number := classifyTaxNumber(digitsOf(strings.TrimSpace(s)))
	if !allDigits(number) || kind == KindCNPJ || kind == KindCPF && CheckTaxNumber(number) == nil {
		return ""
	}
	for length, least := range map[int]int{cpfLength: 9, cnpjLength: cpfLength} {
		if len(number) < least || len(number) >= length {
			continue
		}
		if padded := strings.Repeat("0", length-len(number)) + number; CheckTaxNumber(padded) == nil {
			return padded
		}
	}
	return ""
}

// TaxNumberOf returns the CPF, or else the CNPJ, that a number without its leading zeros stands for, or "". Up to eight
// digits before the check digits can be either: [FoldTaxNumber] makes both one.
func TaxNumberOf(number string) string {
	for _, length := range []int{cpfLength, cnpjLength} {
		if padded := strings.Repeat("0", max(0, length-len(number))) + number; len(padded) == length &&
			CheckTaxNumber(padded) == nil {
			return padded
		}
	}
	return ""
}

// FoldTaxNumber returns a form of a tax number for comparison only: a CPF has the zeros of a CNPJ before it, and a
// foreign document has no punctuation.
func FoldTaxNumber(s string) string {
	kind, number := classifyTaxNumber(s)
	switch kind {
	case KindCPF:
		return strings.Repeat("0", cnpjLength-cpfLength) + number
	case KindForeign:
		return strippedTaxNumber(s)
	default:
		return number
	}
}

// ParseTaxNumber returns the normalized form of a CPF or CNPJ. It returns an error for a character that is not allowed,
// with its position in s counted from 1, for another length, and where [CheckTaxNumber] returns one.
func ParseTaxNumber(s string) (string, error) {
	var positions []int // of the digits and letters
	position := 0
	for _, r := range upperASCII(s) {
		position++
		switch {
		case isTaxPunctuation(r):
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z':
			positions = append(positions, position)
		default:
			return "", text.NewError("tax_number.character", text.With{"position": position, "character": strconv.QuoteRune(r)})
		}
	}
	number, from, kind := strippedTaxNumber(s), 0, KindCPF
	switch len(number) {
	case cpfLength:
	case cnpjLength:
		from, kind = cnpjLength-2, KindCNPJ
	default:
		if padded := WithLeadingZeros(s); padded != "" {
			return "", text.NewError("tax_number.zeros", text.With{"length": len(number), "number": FormatTaxNumber(padded)})
		}
		return "", text.NewError("tax_number.length", text.With{"length": len(number)})
	}
	for i := from; i < len(number); i++ {
		if number[i] > '9' {
			return "", text.NewError("tax_number.letter", text.With{
				"position": positions[i], "character": strconv.QuoteRune(rune(number[i])), "kind": string(kind),
			})
		}
	}
	if err := CheckTaxNumber(s); err != nil {
		return "", text.NewError("tax_number.wrong", text.With{"problem": err})
	}
	return NormalizeTaxNumber(s), nil
}

// FormatTaxNumber returns a CPF or CNPJ as people write it: "529.982.247-25", "12.ABC.345/01DE-35". Of a foreign
// document only the white space around it is removed.
func FormatTaxNumber(s string) string {
	kind, n := classifyTaxNumber(s)
	switch kind {
	case KindCPF:
		return n[:3] + "." + n[3:6] + "." + n[6:9] + "-" + n[9:]
	case KindCNPJ:
		return n[:2] + "." + n[2:5] + "." + n[5:8] + "/" + n[8:12] + "-" + n[12:]
	default:
		return n
	}
}

func strippedTaxNumber(s string) string {
	return strings.Map(func(r rune) rune {
		if isTaxPunctuation(r) {
			return -1
		}
		return r
	}, upperASCII(s))
}

func isTaxPunctuation(r rune) bool { return r == '.' || r == '-' || r == '/' || unicode.IsSpace(r) }

// upperASCII writes the letters a to z in upper case, and no other ones.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}, s)
}

var (
	cpfForm  = regexp.MustCompile(`^[0-9]{11}$`)
	cnpjForm = regexp.MustCompile(`^[0-9A-Z]{12}[0-9]{2}$`)
)

func classifyTaxNumber(s string) (Kind, string) {
	switch stripped := strippedTaxNumber(s); {
	case cpfForm.MatchString(stripped):
		return KindCPF, stripped
	case cnpjForm.MatchString(stripped):
		return KindCNPJ, stripped
	}
	return KindForeign, strings.TrimSpace(s)
}

// checkDigit computes the modulus 11 digit of s. From right to left the characters have the weights 2 to maxWeight, and
// then 2 again. The value of a character is its ASCII code minus 48: 0 to 9 for digits, 17 for A, 42 for Z.
func checkDigit(s string, maxWeight int) byte {
	sum, weight := 0, 2
	for i := len(s) - 1; i >= 0; i-- {
		sum += int(s[i]-'0') * weight
		if weight++; weight > maxWeight {
			weight = 2
		}
	}
	if r := sum % 11; r >= 2 {
		return byte('0' + 11 - r)
	}
	return '0'
}

// allDigits reports whether s is digits alone, and not empty.
func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
