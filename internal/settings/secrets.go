package settings

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// secretField is a secret inside a block of settings.
type secretField struct {
	block, field string // consumerInvoice, csc
	companion    string // tokenId: of no use without the secret, so where it is set, the secret is too
	plain        path.Path
	writeOnly    path.Path
	version      path.Path
}

var (
	cscSecret = secretField{
		block: einvoice.ModelConsumer, field: "csc", companion: "tokenId",
		plain:     path.Root("consumer_invoice").AtName("csc"),
		writeOnly: path.Root("secrets").AtName("csc_wo"),
		version:   path.Root("secrets").AtName("csc_wo_version"),
	}
	passwordSecret = secretField{
		block: einvoice.ModelService, field: "password", companion: "userName",
		plain:     path.Root("service_invoice").AtName("password"),
		writeOnly: path.Root("secrets").AtName("service_password_wo"),
		version:   path.Root("secrets").AtName("service_password_wo_version"),
	}
	secretFields = [...]secretField{cscSecret, passwordSecret}
)

// secretForm is how the service shows a secret. Whether it shows one in clear,
// masked or not at all is not specified, so each is borne.
type secretForm int

const (
	secretUnset  secretForm = iota // certainly not set: null or ""
	secretAbsent                   // not in the answer: nobody knows
	secretMasked
	secretClear
)

func (s secretField) shownIn(block einvoice.SettingsBlock) (string, secretForm) {
	raw, ok := block[s.field]
	if !ok {
		return "", secretAbsent
	}
	var text einvoice.Text
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", secretMasked // Whatever it is, it cannot be compared and must not be overwritten.
	}
	switch {
	case text == "":
		return "", secretUnset
	case einvoice.IsMaskedSecret(string(text)):
		return string(text), secretMasked
	default:
		return string(text), secretClear
	}
}

// companionIn reads the companion; ok is false where it is no text.
func (s secretField) companionIn(block einvoice.SettingsBlock) (companion einvoice.Text, ok bool) {
	err := json.Unmarshal(orNull(block[s.companion]), &companion)
	return companion, err == nil
}

// isReadable tells whether the secret survives when the block is sent back as
// it was read. written: this provider has sent the secret before.
func (s secretField) isReadable(block einvoice.SettingsBlock, written bool) bool {
	switch _, form := s.shownIn(block); form {
	case secretMasked:
		return false
	case secretAbsent:
		companion, ok := s.companionIn(block)
		return !written && ok && companion == ""
	default:
		return true
	}
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// wantedSecret is what a configuration says about a secret.
type wantedSecret struct {
	secretField
	value        types.String // null where neither argument is configured
	fromPlain    bool         // value comes from the argument that is kept in state
	changed      bool         // the argument, or the version of the write-only one, has changed
	writtenSince bool         // this provider has sent it before
}

// source is the argument that the value comes from.
func (s wantedSecret) source() path.Path {
	if s.fromPlain || s.value.IsNull() {
		return s.plain
	}
	return s.writeOnly
}

// mustSend tells whether the block has to be sent for the secret's sake alone.
// A write-only value is sent when its version changes, and only then.
func (s wantedSecret) mustSend(block einvoice.SettingsBlock) bool {
	if s.value.IsNull() {
		return false
	}
	if text, form := s.shownIn(block); s.fromPlain && form == secretClear {
		return text != s.value.ValueString()
	}
	return s.changed || s.fromPlain && !s.heldBy(block)
}

// heldBy tells whether the service may hold the configured value, as far as
// what it shows can tell.
func (s wantedSecret) heldBy(block einvoice.SettingsBlock) bool {
	if s.value.IsNull() {
		return true
	}
	switch text, form := s.shownIn(block); form {
	case secretUnset:
		return false
	case secretClear:
		return text == s.value.ValueString()
	case secretMasked:
		matches, proves := einvoice.MaskMatchesKey(text, s.value.ValueString())
		return matches || !proves
	default:
		return true
	}
}

// settle puts into a block that is about to be sent what it must say about the
// secret: the configured value, or what was read in clear. What is neither
// stops the request.
func (s wantedSecret) settle(block einvoice.SettingsBlock) diag.Diagnostics {
	_, form := s.shownIn(block)
	switch {
	case !s.value.IsNull() && (s.changed || s.fromPlain || form != secretClear):
		block[s.field] = jsontree.Text(s.value.ValueString())
		return nil
	case s.isReadable(block, s.writtenSince):
		return nil
	default:
		return diag.Diagnostics{unreadableSecret(s.secretField)}
	}
}

// doubt warns before a block is sent back without a secret that the service shows
// as null beside its companion, which is of no use without it.
func (s wantedSecret) doubt(held einvoice.SettingsBlock) diag.Diagnostics {
	if companion, ok := s.companionIn(held); !ok || companion == "" {
		return nil
	}
	if _, form := s.shownIn(held); form != secretUnset || !s.value.IsNull() || s.writtenSince {
		return nil
	}
	return diag.Diagnostics{doubtfulSecret(s.secretField)}
}

// secretNotes is what the private state remembers of the secrets, for plans,
// which ask the service nothing. It holds no secret.
type secretNotes struct {
	CSC      secretNote `json:"csc"`
	Password secretNote `json:"password"`
}

type secretNote struct {
	// Unset: the service certainly holds none.
	Unset bool `json:"unset"`
	// Unreadable: the service holds one, or may, that it does not show in clear.
	Unreadable bool `json:"unreadable"`
	// Written: this provider has sent one.
	Written bool `json:"written"`
	// Hidden: the service showed none right after one was written, so that null
	// says nothing about it.
	Hidden bool `json:"hidden"`
}

func (n *secretNotes) of(s secretField) *secretNote {
	if s.field == cscSecret.field {
		return &n.CSC
	}
	return &n.Password
}

// observe takes in what the service shows.
func (n *secretNotes) observe(held map[string]einvoice.SettingsBlock) {
	for _, s := range secretFields {
		note := n.of(s)
		_, form := s.shownIn(held[s.block])
		if note.Unset = form == secretUnset; note.Unset {
			note.Written = false
		}
		note.Unreadable = !s.isReadable(held[s.block], note.Written)
	}
}

// conceal takes the secrets out of what was read that the service is known to
// show as null, whether it holds them or not.
func (n *secretNotes) conceal(held map[string]einvoice.SettingsBlock) {
	for _, s := range secretFields {
		note := n.of(s)
		if _, form := s.shownIn(held[s.block]); form != secretUnset {
			note.Hidden = note.Hidden && form == secretAbsent
		} else if note.Hidden {
			delete(held[s.block], s.field)
		}
	}
}

// concealed notes the secrets that were sent and read back as null although
// another field of their block was taken: a service that ignores a request shows
// null too. It returns a warning for each, because what is not shown cannot be
// verified.
func (n *secretNotes) concealed(before, after map[string]einvoice.SettingsBlock, wanted []setting, secrets []wantedSecret) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, s := range secrets {
		note := n.of(s.secretField)
		if _, form := s.shownIn(after[s.block]); !note.Written || s.value.IsNull() || form != secretUnset || note.Hidden || !tookAnother(before, after, wanted, s.block) {
			continue
		}
		note.Hidden = true
		diags.Append(secretNotShown(s))
	}
	n.conceal(after)
	return diags
}

// tookAnother tells whether a setting of the block came to be held.
func tookAnother(before, after map[string]einvoice.SettingsBlock, wanted []setting, block string) bool {
	held := func(s setting, blocks map[string]einvoice.SettingsBlock) bool {
		raw, err := jsontree.At(blocks[block][s.field[0]], s.field[1:]...)
		if err != nil {
			return false
		}
		satisfied, err := s.satisfiedBy(raw)
		return err == nil && satisfied
	}
	return slices.ContainsFunc(wanted, func(s setting) bool { return s.block == block && !held(s, before) && held(s, after) })
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
	raw, err := json.Marshal(n)
	if err != nil {
		return []byte("null") // A struct of booleans always has a JSON form.
	}
	return raw
}
