package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

// The service reports success also for settings that it ignores, and may reset what it was not asked to change: only
// reading the settings back proves a write.

// ignoredSetting is what was sent, and what is held in its place.
type ignoredSetting struct {
	setting
	held json.RawMessage
}

// verify compares what was sent with what the service holds afterwards: the configured settings that it did not take,
// and errors and warnings about everything else. It notes in now which secrets the service does not show.
func (w *writing) verify(now sights) (ignored []ignoredSetting, diags diag.Diagnostics) {
	asked, isTaken := map[string]bool{}, map[string]bool{}
	for _, s := range w.config.wanted(w.state) { // The secrets come last.
		before, _ := s.in(w.first)
		sent, _ := s.in(w.sent)
		held, _ := s.in(w.after)
		isNew := string(sent) != string(before)
		if w.sent[s.block()] == nil || s.isSecret() && (s.value.IsNull() || !isNew) {
			continue
		}
		asked[s.key()] = true
		var isHeld bool
		if s.isSecret() {
			var unsure diag.Diagnostics
			isHeld, unsure = s.verifySecret(held, isTaken[s.block()], now)
			diags.Append(unsure...)
		} else {
			isHeld, _ = s.isHeld(w.after) // What cannot be read is not what was sent.
			isTaken[s.block()] = isTaken[s.block()] || isHeld && isNew
		}
		if !isHeld {
			ignored = append(ignored, ignoredSetting{s, held})
		}
	}
	return ignored, append(diags, w.sideEffects(asked)...)
}

// verifySecret reports whether the service may hold a secret that was sent. A service that shows none does not show
// secrets if it has taken the rest of the block.
func (s setting) verifySecret(held json.RawMessage, isTaken bool, now sights) (bool, diag.Diagnostics) {
	switch {
	case held == nil, isEmpty(decoded(held)) && now[s.name] == silent:
		now[s.name] = silent
		return true, nil
	case !isEmpty(decoded(held)):
		return mayBe(held, s.text()), nil
	case !isTaken:
		return false, nil
	}
	now[s.name] = silent
	return true, diag.Diagnostics{secretNotShown(s)}
}

// sideEffects are errors about values that are other ones than before although they were not asked for.
func (w *writing) sideEffects(asked map[string]bool) (diags diag.Diagnostics) {
	companyID := w.config.CompanyID.ValueString()
	expected := maps.Clone(w.first)
	maps.Copy(expected, w.sent)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if shown, _ := jsontree.At(w.raw, name); shown == nil {
			diags.Append(blockWrittenUnseen(name, companyID))
		}
		if former := changedIn(root.member(name), expected[name], w.after[name], asked); len(former) > 0 {
			diags.Append(blockChanged(name, companyID, w.sent[name] != nil, former))
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
		isGone := isEmpty(is) || is == json.Number("0") && (wasText || inner.kind == nextNumber)
		isOwn := inner.name == "" || inner.isSecret() || inner.isRaised(was, is)
		shown := "`" + strings.Join(inner.keys[1:], ".") + "`"
		switch isNothing := isBlank(was) || isEmpty(was) || was == false && isGone; {
		case asked[inner.key()], isNothing, jsontree.Same(was, is), isOwn && !isGone:
		case inner.isSecret():
			former = append(former, shown+" (a secret)")
		default:
			former = append(former, shown+" = "+string(old[name]))
		}
	}
	return former
}

// inUTC reports whether the service holds the instant that was sent, in UTC and without an offset,
// and whether the date was sent with one.
func inUTC(sent, held any) (isSame, hasOffset bool) {
	sentText, _ := sent.(string)
	heldText, _ := held.(string)
	instant, isDate := einvoice.ParseTime(sentText)
	now, _ := einvoice.ParseTimeIn(heldText, time.UTC)
	alone, _ := einvoice.ParseTimeIn(sentText, time.UTC)
	return isDate && instant.Equal(now), instant.Equal(alone)
}
