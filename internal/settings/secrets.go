package settings

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
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

// secretForm is how the service shows a secret, beside the one that is configured. Which
// forms it uses is not specified.
type secretForm int

const (
	unset   secretForm = iota // null or "", or there is no object that could hold it
	absent                    // not in the answer, which says nothing
	same                      // in clear, the configured one
	masked                    // masked or cut: it may be the configured one, and must never be sent back
	another                   // in clear, and not the configured one
	short                     // another, or cut without a mask character: it must never be sent back
)

// shortest is the length below which a secret that is not configured may be cut.
const shortest = 8

// mayBeConfigured reports whether the service may hold the configured secret. How a secret is
// masked is not specified, so that no mask proves another one.
func (f secretForm) mayBeConfigured() bool { return f != unset && f != another && f != short }

// textForm compares a secret as the service shows it with a configured one, "" for none.
func textForm(raw json.RawMessage, configured string) secretForm {
	var shown einvoice.Text
	switch err := json.Unmarshal(raw, &shown); {
	case raw == nil:
		return absent
	case err != nil:
		return masked // It cannot be compared, and must not be overwritten.
	case shown == "":
		return unset
	case string(shown) == configured:
		return same
	case einvoice.IsMasked(string(shown)), strings.Contains(configured, string(shown)):
		return masked
	case len(shown) < shortest:
		return short
	}
	return another
}

func (s secretField) formIn(held document, configured string) secretForm {
	raw, err := s.in(held)
	if around := held[s.block()][s.keys[1]]; err != nil || raw == nil && around != nil && jsontree.IsNull(around) {
		return unset
	}
	if s.kind == secretJSON {
		return codesForm(raw, configured)
	}
	return textForm(raw, configured)
}

// hasCompanion reports whether the service holds the field that is of no use without the secret.
func (s secretField) hasCompanion(held document) bool {
	raw := held[s.block()][s.companion]
	return !jsontree.IsNull(raw) && string(raw) != `""`
}

// intent is what a configuration asks of a secret.
type intent int

const (
	unmanaged intent = iota // neither argument is configured
	stated                  // the argument that state keeps, as before
	restated                // that argument, with another value than in state
	written                 // the write-only argument, with the same version
	rewritten               // the write-only argument, with a new version
)

// action is what a write does about a secret. The service replaces its whole block.
type action int

const (
	leave   action = iota // the block goes back with what the service shows
	include               // the block takes the secret along, if it is written
	send                  // the block is written because of the secret
	refuse                // the block cannot be written: the secret would be lost
)

var actions = [...][6]action{
	//         unset    absent   same     masked   another  short
	unmanaged: {leave, refuse, leave, refuse, leave, refuse},
	stated:    {send, include, include, include, send, send},
	restated:  {send, send, include, send, send, send},
	written:   {include, include, include, include, leave, include},
	rewritten: {send, send, send, send, send, send},
}

// wantedSecret is what a configuration says about a secret.
type wantedSecret struct {
	secretField
	intent     intent
	value      types.String // null while unmanaged
	sentBefore bool         // this provider has sent the secret
}

// wantedSecrets lists what a configuration says about the secrets. state is the zero model
// while creating.
func (m *settingsModel) wantedSecrets(state settingsModel, notes secretNotes) []wantedSecret {
	var out []wantedSecret
	for _, s := range secretFields {
		wanted := wantedSecret{secretField: s, sentBefore: notes.of(s).Written}
		wanted.value = leafText(*m.block(s.parent), s.name)
		switch writeOnly := leafText(m.Secrets, s.writeOnly); {
		case !wanted.value.IsNull() && wanted.value.Equal(leafText(*state.block(s.parent), s.name)):
			wanted.intent = stated
		case !wanted.value.IsNull():
			wanted.intent = restated
		case writeOnly.IsNull():
		case leafText(m.Secrets, s.version()).Equal(leafText(state.Secrets, s.version())):
			wanted.intent, wanted.value = written, writeOnly
		default:
			wanted.intent, wanted.value = rewritten, writeOnly
		}
		out = append(out, wanted)
	}
	return out
}

// argument is where the value comes from, and what the state has of that.
func (s wantedSecret) argument() (at, inState path.Path) {
	if s.intent == written || s.intent == rewritten {
		return s.writeOnlyPath(), s.versionPath()
	}
	return s.at, s.at
}

// mayBeIn reports whether the service may hold what is configured.
func (s wantedSecret) mayBeIn(held document) bool {
	return s.intent == unmanaged || s.formIn(held, s.value.ValueString()).mayBeConfigured()
}

func (s wantedSecret) action(held document) action {
	form := s.formIn(held, s.value.ValueString())
	if s.intent == unmanaged && form == absent && !s.sentBefore && !s.hasCompanion(held) {
		return leave // It was never set.
	}
	return actions[s.intent][form]
}

// complete puts the secret into its block in what is about to be sent.
func (s wantedSecret) complete(next, held document) diag.Diagnostics {
	switch s.action(held) {
	case refuse:
		return diag.Diagnostics{unreadableSecret(s.secretField)}
	case include, send:
		if err := s.putInto(next, s.wire()); err != nil {
			return diag.Diagnostics{unexpectedSetting(s.writeOnlyPath(), err)}
		}
	case leave:
		if s.isMissing(held) {
			return diag.Diagnostics{doubtfulSecret(s.secretField)}
		}
	}
	return nil
}

// isMissing reports whether the service shows none, although it holds what is of no use without it.
func (s wantedSecret) isMissing(held document) bool {
	return s.intent == unmanaged && !s.sentBefore && s.formIn(held, "") == unset && s.hasCompanion(held)
}

// missingSecrets are warnings about the blocks that are not sent.
func missingSecrets(held, next document, secrets []wantedSecret) (diags diag.Diagnostics) {
	for _, s := range secrets {
		if next[s.block()] == nil && s.isMissing(held) {
			diags.Append(missingSecret(s.secretField))
		}
	}
	return diags
}

func (s wantedSecret) wire() json.RawMessage {
	if s.kind == secretJSON {
		return json.RawMessage(s.value.ValueString())
	}
	return wire(s.value)
}
