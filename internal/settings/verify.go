package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// The service reports success also for settings that it ignores, and may reset what it was not asked to change: only
// reading the settings back proves a write.

// verify compares what the service holds after a write with what was sent and with what it held before. It notes in
// now which secrets the service leaves out although they were sent.
func (w *writing) verify(after document, now sights) (diags diag.Diagnostics) {
	asked := map[string]bool{}
	for _, s := range w.wanted() {
		before, _ := s.in(w.first)
		sent, _ := s.in(w.sent)
		if w.sent[s.block()] == nil || s.isSecret() && (s.value.IsNull() || string(sent) == string(before)) {
			continue
		}
		asked[s.key()] = true
		isHeld, _ := s.isHeld(after) // What cannot be read is not what was sent.
		if s.isSecret() {
			now[s.name] = s.sightIn(after, hidden)
			isHeld = s.mayHold(after, now[s.name])
		}
		if held, _ := s.in(after); !isHeld {
			diags.Append(settingIgnored(s, string(held), w.companyID()))
		}
	}
	expected := maps.Clone(w.first)
	maps.Copy(expected, w.sent)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if former := changedIn(root.member(name), expected[name], after[name], asked); len(former) > 0 {
			diags.Append(blockChanged(name, w.companyID(), w.sent[name] != nil, former))
		}
	}
	return diags
}

// changedIn lists the members of an object that are other ones now, each as it was. A service may change what has no
// attribute, show a secret in any form, and raise a next number: of these counts only what is gone.
func changedIn(p place, old, now map[string]json.RawMessage, asked map[string]bool) (former []string) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		inner, was, is := p.member(name), decoded(old[name]), decoded(now[name])
		if _, isObject := was.(map[string]any); isObject && !inner.isSecret() {
			members, _ := jsontree.Members(old[name])
			left, _ := jsontree.Members(now[name])
			former = append(former, changedIn(inner, members, left, asked)...)
			continue
		}
		_, wasText := was.(string)
		isZero := is == json.Number("0") && (wasText || inner.kind == nextNumber) // So is an enumeration without a value.
		isGone := isEmpty(is) || isZero
		isNothing := isEmpty(was) || was == json.Number("0") || was == false && isGone
		isFree := inner.name == "" || inner.isSecret() || inner.kind == nextNumber && isHigher(is, was)
		shown := "`" + strings.Join(inner.keys[1:], ".") + "`"
		switch {
		case asked[inner.key()], isNothing, jsontree.Same(was, is), isFree && !isGone:
		case inner.isSecret():
			former = append(former, shown+" (a secret)")
		default:
			former = append(former, shown+" = "+string(old[name]))
		}
	}
	return former
}

func isHigher(a, b any) bool {
	number, _ := a.(json.Number)
	than, _ := b.(json.Number)
	n, _ := number.Int64()
	m, _ := than.Int64()
	return n > m
}

func decoded(raw json.RawMessage) any {
	value, _ := jsontree.Decode(raw) // Nothing where it is gone.
	return value
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return value == nil
}
