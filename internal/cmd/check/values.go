package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// object is a JSON object as the service sent it. Its numbers are json.Number.
type object map[string]any

func decoded(body []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func encoded(v any) []byte {
	body, _ := json.Marshal(v)
	return body
}

// parsed is the body of an answer: an object, or else a list, with its entries and the members beside them. form is the
// key of a text about the list, "" for none.
type parsed struct {
	of, around object
	wrapped    bool // below "result"
	items      []object
	form       string
}

func bodyOf(body []byte) *parsed {
	var p parsed
	p.of, _ = decoded(body).(map[string]any)
	if inner, ok := p.of["result"].(map[string]any); ok && p.of["id"] == nil {
		p.of, p.wrapped = inner, true
	}
	entries, problem := einvoice.ListIn(body)
	for _, entry := range entries {
		of, _ := decoded(entry).(map[string]any)
		p.items = append(p.items, of)
	}
	switch {
	case problem != "":
	case p.of == nil:
		p.form = "list_array"
	case p.of["items"] != nil:
		p.form, p.around = "list_page", p.of
	case p.of["id"] != nil:
		p.form = "list_object"
	default:
		p.form, p.around = "list_named", p.of
	}
	return &p
}

// goesOn reports whether another page follows, by the members beside the items.
func goesOn(around object, seen, onPage int) bool {
	if next, isTold := around["hasNext"].(bool); isTold {
		return next
	}
	if total, err := strconv.Atoi(around.text("totalCount")); err == nil {
		return seen < total
	}
	return around != nil && onPage >= 100
}

// plain is a scalar as text, "" for anything else.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func (o object) text(name string) string { return plain(o[name]) }

func (o object) part(name string) object {
	of, _ := o[name].(map[string]any)
	return of
}

// without is an object without some members.
func without(of object, names ...string) object {
	of = maps.Clone(of)
	for _, name := range names {
		delete(of, name)
	}
	return of
}

// member is a value below an object as JSON, "" for none: a.b.0.c.
func (o object) member(path string) string {
	var value any = map[string]any(o)
	for part := range strings.SplitSeq(path, ".") {
		if array, isArray := value.([]any); isArray {
			if at, _ := strconv.Atoi(part); at < len(array) {
				value = array[at]
				continue
			}
		}
		of, _ := value.(map[string]any)
		member, has := of[part]
		if value = member; !has {
			return ""
		}
	}
	return string(encoded(value))
}

var (
	decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	// something is a value in JSON: not null, "", or an object or array of such.
	something = regexp.MustCompile(`(^|:|\[)("[^"]|[\d-]|true|false)`)
	// longDigits are tax numbers, access keys and the like, also with their punctuation.
	longDigits = regexp.MustCompile(`\d[\d./-]{6,}\d`)
	stamps     = regexp.MustCompile(`(?i)stamp|modif|updat|revision|version|etag`)
	datetime   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d`)
)

func isEmpty(v any) bool { return !something.Match(encoded(v)) }

// isUnset reports whether a value may be that of a member without one: an enumeration is 0 then.
func isUnset(v any) bool { return isEmpty(v) || plain(v) == "0" || v == false }

// movesByItself reports whether the service changes a member by itself: a stamp, a version or a date.
func movesByItself(name string, value any) bool {
	return stamps.MatchString(name) || datetime.MatchString(plain(value))
}

// same reports whether a stored value is what was sent, however it is spelled.
func same(sent, stored any) bool { return canonical(sent) == canonical(stored) }

func canonical(v any) string {
	s := plain(v)
	if decimal.MatchString(s) && strings.Contains(s, ".") {
		return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "" {
		return string(encoded(v))
	}
	return s
}

// compared sorts the members that were sent as they were read by what became of them. The service itself changes one
// that has got another value, such as a stamp. One that is empty now is lost.
func compared(before, after object) (kept, moved, lost []string) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch was, is := before[name], after[name]; {
		case same(was, is) || isEmpty(was) && isEmpty(is):
			kept = append(kept, name)
		case isUnset(is) && !movesByItself(name, was):
			lost = append(lost, name)
		default:
			moved = append(moved, name)
		}
	}
	return kept, moved, lost
}

// randomCPF is a tax number with right check digits. It names nobody.
func randomCPF() string {
	for {
		number := fmt.Sprintf("%011d", rand.Int64N(1e11)) //nolint:gosec // No secret.
		if fiscal.CheckTaxNumber(number) == nil {
			return number
		}
	}
}

func firstPage() url.Values { return url.Values{"page": {"1"}, "pageSize": {"100"}} }
