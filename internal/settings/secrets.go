package settings

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// secretField is a secret of the settings.
type secretField struct {
	place
	parent string // the attribute of its block
}

var (
	cscSecret      = secretOf(csc, "consumer_invoice")
	passwordSecret = secretOf(password, "service_invoice")
	csrtsSecret    = secretOf(csrts, "general", "technical_responsible")
	secretFields   = []secretField{cscSecret, passwordSecret, csrtsSecret}
)

// secretOf is a secret in a block, or in an object in it.
func secretOf(f field, objects ...string) secretField {
	var around place
	for _, name := range objects {
		around = around.inner(field{name: name})
	}
	return secretField{around.inner(f), objects[0]}
}

func (s secretField) version() string          { return s.writeOnly + "_version" }
func (s secretField) writeOnlyPath() path.Path { return path.Root("secrets").AtName(s.writeOnly) }
func (s secretField) versionPath() path.Path   { return path.Root("secrets").AtName(s.version()) }

// secretForm is how the service shows a secret. Which of these it does is not
// specified, so this provider is ready for each.
type secretForm int

const (
	secretUnset  secretForm = iota // null or ""
	secretAbsent                   // not in the answer, which says nothing
	secretMasked
	secretClear
)

func shownSecret(raw json.RawMessage) (string, secretForm) {
	var text einvoice.Text
	switch err := json.Unmarshal(raw, &text); {
	case raw == nil:
		return "", secretAbsent
	case err != nil:
		return "", secretMasked // It cannot be compared, and must not be overwritten.
	case text == "":
		return "", secretUnset
	case einvoice.IsMasked(string(text)):
		return string(text), secretMasked
	default:
		return string(text), secretClear
	}
}

func (s secretField) shownIn(held document) (string, secretForm) {
	raw, err := s.in(held)
	if around := held[s.block()][s.keys[1]]; err != nil || raw == nil && around != nil && jsontree.IsNull(around) {
		return "", secretUnset // There is no object that could hold it.
	}
	if s.kind == secretJSON {
		return shownCodes(raw)
	}
	return shownSecret(raw)
}

// mayHold tells whether the service may hold a secret, by what it shows.
func (s secretField) mayHold(secret string, held document) bool {
	shown, form := s.shownIn(held)
	if s.kind != secretJSON {
		return mayBe(secret, shown, form)
	}
	_, another := compareCodes(secret, shown)
	return form != secretUnset && !another
}

// showsLess tells whether the service shows nothing else than the secret, but not
// all of it: what it shows must not be sent back in its place.
func (s secretField) showsLess(secret string, held document) bool {
	shown, form := s.shownIn(held)
	if s.kind != secretJSON {
		return form == secretClear && isPart(shown, secret)
	}
	less, another := compareCodes(secret, shown)
	return less && !another
}

// mayBe is the same of a text. How a secret is masked is not specified, so that no mask
// proves another one.
func mayBe(secret, shown string, form secretForm) bool {
	switch form {
	case secretUnset:
		return false
	case secretClear:
		return shown == secret || isPart(shown, secret)
	default:
		return true
	}
}

// isPart reports whether a text may be a mask without a mask character: a part of the secret.
func isPart(shown, secret string) bool { return shown != secret && strings.Contains(secret, shown) }

// readSecret keeps a secret that is in state as long as the service may hold it. Another
// one in clear takes its place, so that the plan shows a change and apply repairs it.
func readSecret(prior types.String, raw json.RawMessage) types.String {
	shown, form := shownSecret(raw)
	if prior.IsNull() || mayBe(prior.ValueString(), shown, form) {
		return prior
	}
	return attribute.TextOrNull(shown)
}

// companionIn reads the companion; ok is false where it is not a text.
func (s secretField) companionIn(held document) (companion einvoice.Text, ok bool) {
	raw := held[s.block()][s.companion]
	return companion, jsontree.IsNull(raw) || json.Unmarshal(raw, &companion) == nil
}

// survives tells whether the service keeps the secret when its block is sent
// back as it was read. sent: this provider has sent the secret before.
func (s secretField) survives(held document, sent bool) bool {
	switch _, form := s.shownIn(held); form {
	case secretMasked:
		return false
	case secretAbsent:
		companion, ok := s.companionIn(held)
		return !sent && ok && companion == ""
	default:
		return true
	}
}

// wantedSecret is what a configuration says about a secret.
type wantedSecret struct {
	secretField
	value      types.String // null where neither argument is configured
	plain      bool         // value comes from the argument that is kept in state
	changed    bool         // that argument, or the version of the write-only one, has changed
	sentBefore bool
}

// wantedSecrets lists what a configuration says about the secrets. state is the
// zero model while creating.
func (m *companySettingsModel) wantedSecrets(state companySettingsModel, notes secretNotes) []wantedSecret {
	var out []wantedSecret
	for _, s := range secretFields {
		wanted := wantedSecret{secretField: s, plain: true, sentBefore: notes.of(s).Written}
		wanted.value = leafText(*m.block(s.parent), s.name)
		wanted.changed = !wanted.value.Equal(leafText(*state.block(s.parent), s.name))
		if writeOnly := leafText(m.Secrets, s.writeOnly); wanted.value.IsNull() && !writeOnly.IsNull() {
			wanted.value, wanted.plain = writeOnly, false
			wanted.changed = !leafText(m.Secrets, s.version()).Equal(leafText(state.Secrets, s.version()))
		}
		out = append(out, wanted)
	}
	return out
}

// argument is where the value comes from, and what the state has of that.
func (s wantedSecret) argument() (at, inState path.Path) {
	if s.plain {
		return s.at, s.at
	}
	return s.writeOnlyPath(), s.versionPath()
}

// mayBeIn tells whether the service may hold what is configured.
func (s wantedSecret) mayBeIn(held document) bool {
	return s.value.IsNull() || s.mayHold(s.value.ValueString(), held)
}

// mustBeSent tells whether the block has to be sent for the secret's sake alone.
// A write-only value is sent when its version changes, and only then.
func (s wantedSecret) mustBeSent(held document) bool {
	_, form := s.shownIn(held)
	switch {
	case s.value.IsNull():
		return false
	case s.plain && form == secretClear && !s.showsLess(s.value.ValueString(), held):
		return !s.mayBeIn(held)
	default:
		return s.changed || s.plain && !s.mayBeIn(held)
	}
}

// complete puts the configured secret into its block in what is about to be
// sent. Without one the block must have been read with the secret in clear, or
// nothing may be sent.
func (s wantedSecret) complete(next, held document) diag.Diagnostics {
	_, form := s.shownIn(held)
	companion, _ := s.companionIn(held)
	switch {
	case !s.value.IsNull() && (s.changed || s.plain || form != secretClear || s.showsLess(s.value.ValueString(), held)):
		if err := s.putInto(next, s.wire()); err != nil {
			return diag.Diagnostics{unexpectedSetting(s.writeOnlyPath(), err)}
		}
		return nil
	case !s.survives(next, s.sentBefore):
		return diag.Diagnostics{unreadableSecret(s.secretField)}
	case form == secretUnset && companion != "" && !s.sentBefore:
		return diag.Diagnostics{doubtfulSecret(s.secretField)}
	default:
		return nil
	}
}

func (s wantedSecret) wire() json.RawMessage {
	if s.kind == secretJSON {
		return json.RawMessage(s.value.ValueString())
	}
	return wire(s.value)
}

// secretNotes is what the private state remembers of the secrets, because a plan
// asks the service nothing. It holds no secret.
type secretNotes struct {
	CSC      secretNote `json:"csc"`
	Password secretNote `json:"password"`
	CSRTs    secretNote `json:"csrts"`
}

type secretNote struct {
	// Unset: the service certainly holds none.
	Unset bool `json:"unset"`
	// Unreadable: the service holds one, or may, that it does not show in clear.
	Unreadable bool `json:"unreadable"`
	// Written: this provider has sent one.
	Written bool `json:"written"`
	// Hidden: the service showed null right after one was written, so that null
	// says nothing about it.
	Hidden bool `json:"hidden"`
}

func (n *secretNotes) of(s secretField) *secretNote {
	switch s.name {
	case csc.name:
		return &n.CSC
	case csrts.name:
		return &n.CSRTs
	default:
		return &n.Password
	}
}

// observe notes what the service shows.
func (n *secretNotes) observe(held document) {
	for _, s := range secretFields {
		note := n.of(s)
		_, form := s.shownIn(held)
		if note.Unset = form == secretUnset; note.Unset {
			note.Written = false
		}
		note.Unreadable = !s.survives(held, note.Written)
	}
}

// dropHidden takes out of what was read every null that says nothing.
func (n *secretNotes) dropHidden(held document) {
	for _, s := range secretFields {
		note := n.of(s)
		if _, form := s.shownIn(held); form != secretUnset {
			note.Hidden = note.Hidden && form == secretAbsent
		} else if note.Hidden {
			s.takeOut(held)
		}
	}
}

// observeHidden notes the secrets that were sent and are shown as null although
// another field of their block was taken: a service that ignores a request shows
// null too. Each is a warning, because what is not shown cannot be verified.
func (n *secretNotes) observeHidden(before, after document, wanted []setting, sent []wantedSecret) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range sent {
		note := n.of(s.secretField)
		anotherTaken := slices.ContainsFunc(wanted, func(w setting) bool {
			heldBefore, _, _ := w.heldIn(before)
			heldAfter, _, _ := w.heldIn(after)
			return w.block() == s.block() && !heldBefore && heldAfter
		})
		_, form := s.shownIn(after)
		if anotherTaken && form == secretUnset && !s.value.IsNull() && note.Written && !note.Hidden {
			note.Hidden = true
			diags.Append(secretNotShown(s))
		}
	}
	n.dropHidden(after)
	return diags
}

const secretNotesKey = "secrets"

// readSecretNotes tells also whether there are any: there are none before the
// first refresh of an imported object.
func readSecretNotes(ctx context.Context, private session.PrivateState) (secretNotes, bool, diag.Diagnostics) {
	var notes secretNotes
	raw, diags := private.GetKey(ctx, secretNotesKey)
	if diags.HasError() || raw == nil {
		return notes, false, diags
	}
	if err := json.Unmarshal(raw, &notes); err != nil {
		return secretNotes{}, false, diags // From another version; the next refresh writes them anew.
	}
	return notes, true, diags
}

func (n *secretNotes) encoded() []byte {
	raw, _ := json.Marshal(n) // A struct of booleans always has a JSON form.
	return raw
}
