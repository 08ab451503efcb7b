package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// secretNotes is what the private state remembers of the secrets for a plan, which does not
// ask the service. It holds no secret.
type secretNotes map[string]*secretNote // by the name of the field; by its place where it has no attribute

type secretNote struct {
	Unset      bool `json:"unset"`      // the service certainly holds none
	Alone      bool `json:"alone"`      // the service holds no companion of it
	Unreadable bool `json:"unreadable"` // the service holds one, or may, that it does not show in clear
	Written    bool `json:"written"`    // this provider has sent one
	Hidden     bool `json:"hidden"`     // the service showed null right after one was sent, so null says nothing
	Lost       bool `json:"lost"`       // a write has lost it, and it was not set since
}

func (n secretNotes) of(p place) *secretNote {
	key := p.key()
	if p.isSecret() {
		key = p.name
	}
	if n[key] == nil {
		n[key] = &secretNote{}
	}
	return n[key]
}

// places are the secrets, and what else a write has lost: all that is known of that is whether it is lost.
func (n secretNotes) places() []place {
	all := slices.Clone(secrets)
	for _, at := range slices.Sorted(maps.Keys(n)) {
		if keys := strings.Split(at, "."); len(keys) > 1 {
			all = append(all, place{keys: keys})
		}
	}
	return all
}

// observe notes what the service shows, and takes every null that says nothing out of it.
func (n secretNotes) observe(held document) {
	for _, p := range n.places() {
		note := n.of(p)
		if !p.isSecret() {
			raw, _ := p.in(held)
			note.Lost = note.Lost && isEmpty(decoded(raw))
			continue
		}
		if len(held[p.block()]) == 0 {
			continue // That says nothing about its secrets.
		}
		form := p.formIn(held, "")
		note.Lost = note.Lost && (form == unset || form == absent)
		note.Hidden = note.Hidden && (form == unset || form == absent)
		if note.Hidden && form == unset {
			p.removeFrom(held)
			form = absent
		}
		note.Unset, note.Alone = form == unset, !p.hasCompanion(held)
		note.Written = note.Written && !note.Unset
		note.Unreadable = setting{place: p, sentBefore: note.Written}.action(held) == refuse
	}
}

// lost are the secrets that a write has lost, and that are not configured.
func (n secretNotes) lost(config settingsModel) []place {
	return slices.DeleteFunc(n.places(), func(p place) bool {
		return !n.of(p).Lost || p.isSecret() && isConfigured(config, p)
	})
}

// observeHidden notes the secrets that were sent and are shown as null although the service took
// another field of their block: one that ignores a request shows null too. Each is a warning.
func (n secretNotes) observeHidden(before, after document, wanted []setting) (diags diag.Diagnostics) {
	for _, s := range wanted {
		if s.intent == unmanaged {
			continue
		}
		note := n.of(s.place)
		isBlockWritten := slices.ContainsFunc(wanted, func(w setting) bool {
			heldBefore, _, _ := w.heldIn(before)
			heldAfter, _, _ := w.heldIn(after)
			return !w.isSecret() && w.block() == s.block() && !heldBefore && heldAfter
		})
		if note.Written && isBlockWritten && !note.Hidden && s.formIn(after, "") == unset {
			note.Hidden = true
			diags.Append(secretNotShown(s))
		}
	}
	return diags
}

const secretNotesKey = "secrets"

// readSecretNotes reports also whether there are any: there are none before the first refresh
// of an imported object.
func readSecretNotes(ctx context.Context, private session.PrivateState) (secretNotes, bool, diag.Diagnostics) {
	notes := secretNotes{}
	raw, diags := private.GetKey(ctx, secretNotesKey)
	if diags.HasError() || raw == nil {
		return notes, false, diags
	}
	if err := json.Unmarshal(raw, &notes); err != nil {
		return secretNotes{}, false, diags // From another version; the next refresh writes them anew.
	}
	return notes, true, diags
}

func (n secretNotes) encoded() []byte {
	raw, _ := json.Marshal(n) // Booleans always have a JSON form.
	return raw
}
