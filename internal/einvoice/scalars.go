package einvoice

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Text is a string on the wire that the service also sends as a number, a boolean or null: a city code is text on
// customers and an integer on invoices. null reads as "". It holds nothing that could steer a terminal.
type Text string

// Enum is a Text that is one of the service's words, as the specification spells it, whatever its case in an answer.
// An enum that was never set is the number 0, which reads as "".
type Enum string

// TaxNumber is a Text that is a CPF, a CNPJ or a document of another country. A number has no leading zeros on the
// wire, and those of a CPF or CNPJ are given back.
type TaxNumber string

// PostalCode is a Text that is a CEP or a code of another country. A CEP that is a number has its leading zero back.
type PostalCode string

// Int is a whole number: 5, "5" and 5.0 are the same value.
type Int int64

// Number is a decimal number: 10.5 and "10.5" are the same value. The fiscal
// amounts of the service have at most ten digits after the point.
type Number float64

// Flag is a boolean: true, "true" and 1 are the same value.
type Flag bool

// UnmarshalJSON accepts a string, a number, a boolean or null.
func (t *Text) UnmarshalJSON(raw []byte) error {
	s, err := scalar(raw)
	if err == nil {
		*t = Text(harmless(s))
	}
	return err
}

// UnmarshalJSON accepts what Text accepts; the bare number 0 reads as "".
func (e *Enum) UnmarshalJSON(raw []byte) error {
	s, err := scalar(raw)
	if err != nil {
		return err
	}
	if bareNumber(raw) == "0" {
		s = ""
	}
	*e = Enum(spelled(harmless(s)))
	return nil
}

// UnmarshalJSON accepts what Text accepts.
func (n *TaxNumber) UnmarshalJSON(raw []byte) error {
	var text Text
	if err := text.UnmarshalJSON(raw); err != nil {
		return err
	}
	*n = TaxNumber(text)
	number := bareNumber(raw)
	if _, err := strconv.ParseUint(number, 10, 64); err == nil {
		*n = cmp.Or(TaxNumber(fiscal.TaxNumberOf(number)), *n)
	}
	return nil
}

// cepWithoutZero is a CEP as a number: none has two leading zeros.
var cepWithoutZero = regexp.MustCompile(`^[1-9][0-9]{6}$`)

// UnmarshalJSON accepts what Text accepts.
func (c *PostalCode) UnmarshalJSON(raw []byte) error {
	var text Text
	if err := text.UnmarshalJSON(raw); err != nil {
		return err
	}
	if cepWithoutZero.MatchString(bareNumber(raw)) {
		text = "0" + text
	}
	*c = PostalCode(text)
	return nil
}

// spelled is a word as the specification spells it. One that is not known here begins
// with a small letter, as all of them do.
func spelled(word string) string {
	switch known := knownWords[strings.ToLower(word)]; {
	case known != "":
		return known
	case !oneWord.MatchString(word):
		return word
	case strings.ToUpper(word) == word:
		return strings.ToLower(word)
	}
	return strings.ToLower(word[:1]) + word[1:]
}

// knownWords are the service's words by their small letters.
var knownWords = func() map[string]string {
	known := map[string]string{}
	for _, word := range slices.Concat(
		InvoiceStatuses, Models, EnvironmentTypes, InvoiceIssueTypes, AutoIssueModes, WebhookEvents,
	) {
		known[strings.ToLower(word)] = word
	}
	return known
}()

var oneWord = regexp.MustCompile(`^[A-Za-z]+$`)

// UnmarshalJSON accepts a whole number, also written as a string or with a fraction of zero.
func (i *Int) UnmarshalJSON(raw []byte) error {
	return decodeScalar(raw, i, func(s string) (Int, bool) {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return Int(n), true
		}
		f, err := strconv.ParseFloat(s, 64)
		return Int(f), err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63
	})
}

// UnmarshalJSON accepts a number, also written as a string.
func (n *Number) UnmarshalJSON(raw []byte) error {
	return decodeScalar(raw, n, func(s string) (Number, bool) {
		f, err := strconv.ParseFloat(s, 64)
		return Number(f), err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	})
}

// UnmarshalJSON accepts a boolean, also written as a string or as 0 and 1.
func (f *Flag) UnmarshalJSON(raw []byte) error {
	return decodeScalar(raw, f, func(s string) (Flag, bool) {
		s = strings.ToLower(s)
		return s == "true" || s == "1", slices.Contains([]string{"true", "1", "false", "0"}, s)
	})
}

// decodeScalar reads a scalar whose text parse understands; "" reads as the zero value.
func decodeScalar[T any](raw []byte, v *T, parse func(string) (T, bool)) error {
	text, err := scalar(raw)
	if err != nil {
		return err
	}
	var read T
	if text = strings.TrimSpace(text); text != "" {
		var ok bool
		if read, ok = parse(text); !ok {
			return wrongShape(raw)
		}
	}
	*v = read
	return nil
}

// scalar returns the text of a JSON string, number or boolean, and "" for null.
func scalar(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	switch raw[0] {
	case '{', '[':
		return "", wrongShape(raw)
	case '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", wrongShape(raw)
		}
		return s, nil
	default:
		return bareNumber(raw), nil
	}
}

// bareNumber is a code as a number, as it is written without a fraction of zero: 10001.0 is the series 10001.
func bareNumber(raw []byte) string {
	written := string(bytes.TrimSpace(raw))
	if whole, fraction, _ := strings.Cut(written, "."); strings.Trim(fraction, "0") == "" {
		return whole
	}
	return written
}

// steering finds what controls a terminal or the direction of text, and ends of lines.
var steering = regexp.MustCompile(`\r\n|[\x00-\x08\x0b-\x1f\x7f-\x{9f}` +
	`\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// harmless replaces what steers a terminal by spaces. Tabs and ends of lines stay: addresses have them. Letters with
// accents are one character, as core writes them: data from a Mac may have two.
func harmless(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0 {
		return s
	}
	return steering.ReplaceAllStringFunc(norm.NFC.String(s), func(found string) string {
		if found == "\r\n" {
			return found
		}
		return " "
	})
}

// wrongShape is the decoder's own error type: the decoder adds the path of the field to no
// other. It shows the kind of the value, never the value, which may be a secret.
func wrongShape(raw []byte) error {
	kinds := map[byte]string{'{': "object", '[': "array", '"': "string", 't': "bool", 'f': "bool"}
	kind := cmp.Or(kinds[bytes.TrimSpace(raw)[0]], "number")
	return &json.UnmarshalTypeError{Value: kind, Type: reflect.TypeFor[Text]()}
}

// blankValue finds a member whose value is "". No text can hold this: the quote would end it.
var blankValue = regexp.MustCompile(`:\s*""`)

// blankToNull replaces every member's "" by null. The service writes an absent number, date
// or object as "" in places, and null is what leaves an optional field nil.
func blankToNull(raw []byte) []byte { return blankValue.ReplaceAll(raw, []byte(":null")) }
