package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// fields reads the fields of a request object, collects what is wrong with them, and remembers which were read: the
// rest are unknown to the service. Readers return nil for an absent or null field, and what to store otherwise.
type fields struct {
	c        *call
	in       object
	path     string
	known    map[string]bool
	parts    []*fields
	problems *[]problem
	// unreadable is why the body could not be read at all.
	unreadable error
}

// at is the path of a field from the top of the request.
func (f *fields) at(name string) string {
	if f.path == "" {
		return name
	}
	return f.path + "." + name
}

func (f *fields) fail(name, format string, args ...any) {
	*f.problems = append(*f.problems, problem{f.at(name), fmt.Sprintf(format, args...)})
}

// check ends the reading of a request: it notes the unknown fields, which the service ignores silently, and returns the
// 400 with everything that was wrong, or why the body could not be read.
func (f *fields) check() error {
	if f.unreadable != nil {
		return f.unreadable
	}
	f.noteUnknown()
	if len(*f.problems) > 0 {
		return &refusal{status: 400, problems: *f.problems}
	}
	return nil
}

func (f *fields) noteUnknown() {
	for name := range f.in {
		if f.known[name] {
			continue
		}
		method, route, _ := strings.Cut(f.c.pattern, " ")
		u := UnknownField{method, route, f.at(name)}
		if s := f.c.s; !slices.Contains(s.unknown, u) {
			s.unknown = append(s.unknown, u)
		}
	}
	for _, p := range f.parts {
		p.noteUnknown()
	}
}

// noMore fails for each unknown field. The description of the service has a type without further fields for the body
// of a service invoice; that the service enforces it is assumed.
func (f *fields) noMore(dto string) {
	for _, name := range slices.Sorted(maps.Keys(f.in)) {
		if !f.known[name] {
			f.fail(name, "Could not find member '%s' on object of type '%s'. Path '%s'.", name, dto, f.at(name))
		}
	}
}

// own accepts fields that the service knows and ignores: its own, which a client sends back with the whole record,
// and others.
func (f *fields) own(names ...string) {
	for _, name := range append(names, ownFields...) {
		f.known[name] = true
	}
}

// extras copies the fields this account knows beyond the documented ones into doc, null where they are absent.
func (f *fields) extras(kind string, doc object) {
	for _, name := range f.c.s.opts.ExtraFields[kind] {
		doc[name] = f.raw(name)
	}
}

// has reports whether a field was sent, null included.
func (f *fields) has(name string) bool {
	_, ok := f.in[name]
	return ok
}

// raw returns a field untouched, with everything in it known.
func (f *fields) raw(name string) any {
	f.known[name] = true
	return f.in[name]
}

// text reads a string of at most limit characters, 0 for no limit; a number is taken for its digits.
func (f *fields) text(name string, limit int) any {
	var value string
	switch v := f.raw(name).(type) {
	case nil:
		return nil
	case string:
		value = v
	case json.Number:
		value = v.String()
	default:
		f.fail(name, "Error converting the value of '%s' to type 'System.String'.", f.at(name))
		return nil
	}
	if limit > 0 && utf8.RuneCountInString(value) > limit {
		f.fail(name, "The field %s must be a string with a maximum length of %d.", pascal(name), limit)
		return nil
	}
	return value
}

// required reads a string that must be there and not blank.
func (f *fields) required(name string, limit int) any {
	before := len(*f.problems)
	value := f.text(name, limit)
	if s, _ := value.(string); strings.TrimSpace(s) == "" && len(*f.problems) == before {
		f.fail(name, "The %s field is required.", pascal(name))
	}
	return value
}

// demand fails for each of the fields that is absent or null.
func (f *fields) demand(names ...string) {
	for _, name := range names {
		if f.in[name] == nil {
			f.fail(name, "The %s field is required.", pascal(name))
		}
	}
}

// sentence reads a string that must be there and have a length in between.
func (f *fields) sentence(name string, least, most int) string {
	value, _ := f.required(name, most).(string)
	if n := utf8.RuneCountInString(value); n > 0 && n < least {
		f.tooShort(name, least, most)
	}
	return value
}

func (f *fields) tooShort(name string, least, most int) {
	f.fail(name, "The field %s must be a string with a minimum length of %d and a maximum length of %d.",
		pascal(name), least, most)
}

// enum reads one of the allowed words, in any case, and stores it in the service's own.
func (f *fields) enum(name string, allowed ...string) any {
	value, ok := f.text(name, 0).(string)
	if !ok {
		return nil
	}
	for _, word := range allowed {
		if strings.EqualFold(word, value) {
			return word
		}
	}
	f.fail(name, "Error converting value \"%s\" to type '%s'. Path '%s'.", value, pascal(name), f.at(name))
	return nil
}

// number reads a decimal number, also from a string, and stores the digits that were sent.
func (f *fields) number(name string) any {
	n, sent := f.digits(name)
	if !sent {
		return nil
	}
	if !numeric.MatchString(n) {
		f.fail(name, "Could not convert the value of '%s' to decimal.", f.at(name))
		return nil
	}
	return json.Number(n)
}

// integer reads a whole number, also from a string.
func (f *fields) integer(name string) any {
	n, sent := f.digits(name)
	if !sent {
		return nil
	}
	whole, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		f.fail(name, "Could not convert the value of '%s' to integer.", f.at(name))
		return nil
	}
	return json.Number(strconv.FormatInt(whole, 10))
}

// digits returns the text of a number; "" for anything else.
func (f *fields) digits(name string) (written string, sent bool) {
	switch v := f.raw(name).(type) {
	case nil:
		return "", false
	case json.Number:
		return v.String(), true
	case string:
		return v, true
	default:
		return "", true
	}
}

// flag reads a boolean.
func (f *fields) flag(name string) any {
	switch v := f.raw(name).(type) {
	case nil:
		return nil
	case bool:
		return v
	default:
		f.fail(name, "Could not convert the value of '%s' to boolean.", f.at(name))
		return nil
	}
}

// moment reads a date-time; ok is false when it is absent or wrong.
func (f *fields) moment(name string) (t time.Time, ok bool) {
	value, sent := f.text(name, 0).(string)
	if !sent {
		return time.Time{}, false
	}
	t, ok = parseMoment(value)
	if !ok {
		f.fail(name, "Could not convert string to DateTime: %s. Path '%s'.", value, f.at(name))
	}
	return t, ok
}

// child opens an object field; nil when it is absent or null.
func (f *fields) child(name string) *fields {
	return f.open(name, f.at(name), f.raw(name))
}

// children opens the objects of a list field.
func (f *fields) children(name string) []*fields {
	v := f.raw(name)
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		f.fail(name, "Cannot deserialize the value of '%s': a JSON array is required.", f.at(name))
		return nil
	}
	var out []*fields
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", f.at(name), i)
		if p := f.open(name, at, item); p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (f *fields) open(name, at string, v any) *fields {
	if v == nil {
		return nil
	}
	doc, ok := v.(object)
	if !ok {
		f.fail(name, "Cannot deserialize the value of '%s': a JSON object is required.", at)
		return nil
	}
	p := &fields{c: f.c, in: doc, path: at, known: map[string]bool{}, problems: f.problems}
	f.parts = append(f.parts, p)
	return p
}

var (
	numeric        = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	cpfForm        = regexp.MustCompile(`^[0-9]{11}$`)
	cnpjForm       = regexp.MustCompile(`^[A-Z0-9]{12}[0-9]{2}$`)
	punctuation    = strings.NewReplacer(".", "", "-", "", "/", "", " ", "")
	phoneNoise     = strings.NewReplacer("(", "", ")", "", "+", "", "-", "", " ", "", ".", "")
	phoneForm      = regexp.MustCompile(`^[0-9]{8,15}$`)
	brazilPostal   = regexp.MustCompile(`^[0-9]{8}$`)
	stateTaxDigits = regexp.MustCompile(`^[0-9]*$`)
)

const stateTaxExempt = "ISENTO"

// taxNumber reads a tax number of at most limit characters as sent. CPF and CNPJ, the alphanumeric form included, are
// stored without punctuation; anything else is a foreign document and stays as it is.
//
//nolint:unparam // It reads a field by its name as its siblings do.
func (f *fields) taxNumber(name string, limit int) any {
	value, ok := f.text(name, limit).(string)
	if !ok {
		return nil
	}
	return plainTaxNumber(value)
}

func plainTaxNumber(value string) string {
	plain := strings.ToUpper(punctuation.Replace(value))
	if cpfForm.MatchString(plain) || cnpjForm.MatchString(plain) {
		return plain
	}
	return value
}

// stateTax reads a state registration: digits only, or ISENTO, which is stored in capitals.
func (f *fields) stateTax() any {
	const name, limit = "stateTaxNumber", 20
	value, ok := f.text(name, limit).(string)
	if !ok {
		return nil
	}
	if strings.EqualFold(value, stateTaxExempt) {
		return stateTaxExempt
	}
	if !stateTaxDigits.MatchString(value) {
		f.fail(name, "The field %s must contain digits only or %s.", pascal(name), stateTaxExempt)
		return nil
	}
	return value
}

// phone reads a phone number and stores its digits. Integrations report that the service refuses some, but not its
// rule.
func (f *fields) phone(name string, limit int) any {
	value, ok := f.text(name, limit).(string)
	if !ok || value == "" {
		return f.in[name]
	}
	digits := phoneNoise.Replace(value)
	if !phoneForm.MatchString(digits) {
		f.fail(name, "The field %s is invalid", pascal(name))
		return nil
	}
	return digits
}

// email reads an e-mail address.
//
//nolint:unparam // It reads a field by its name as its siblings do.
func (f *fields) email(name string, limit int) any {
	value, ok := f.text(name, limit).(string)
	if !ok {
		return nil
	}
	at := strings.Index(value, "@")
	if value != "" && (at < 1 || at != strings.LastIndex(value, "@") || at == len(value)-1) {
		f.fail(name, "The %s field is not a valid e-mail address.", pascal(name))
		return nil
	}
	return value
}

// postalCode reads a postal code and stores the eight digits of a Brazilian one; a foreign one stays as it is.
func (f *fields) postalCode(name string, limit int) any {
	value, ok := f.text(name, limit).(string)
	if !ok {
		return nil
	}
	if digits := punctuation.Replace(value); brazilPostal.MatchString(digits) {
		return digits
	}
	return value
}

// pascal is a field's name as the service spells it in messages: the last part, with a capital.
func pascal(path string) string {
	name := path[strings.LastIndex(path, ".")+1:]
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
