package settings

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var (
	cscSecret      = secretIn(csc, "consumer_invoice")
	passwordSecret = secretIn(password, "service_invoice")
	csrtsSecret    = secretIn(csrts, "general", "technical_responsible")
	secrets        = []place{cscSecret, passwordSecret, csrtsSecret}
)

// secretIn is a secret in a block, or in an object in it.
func secretIn(f field, objects ...string) (p place) {
	for _, name := range objects {
		p = p.inner(field{name: name})
	}
	return p.inner(f)
}

func (p place) version() string          { return p.writeOnly + "_version" }
func (p place) writeOnlyPath() path.Path { return path.Root("secrets").AtName(p.writeOnly) }
func (p place) versionPath() path.Path   { return path.Root("secrets").AtName(p.version()) }

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

func (p place) formIn(held document, configured string) secretForm {
	raw, err := p.in(held)
	if around := held[p.block()][p.keys[1]]; err != nil || raw == nil && around != nil && jsontree.IsNull(around) {
		return unset
	}
	if p.kind == secretJSON {
		return codesForm(raw, configured)
	}
	return textForm(raw, configured)
}

// hasCompanion reports whether the service holds the field that is of no use without the secret.
func (p place) hasCompanion(held document) bool {
	raw := held[p.block()][p.companion]
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

// secret is what a configuration says about a secret.
func (m *settingsModel) secret(s place, state settingsModel, sentBefore bool) setting {
	wanted := setting{place: s, sentBefore: sentBefore}
	plain, writeOnly := leafText(*m.block(s.parent()), s.name), leafText(m.Secrets, s.writeOnly)
	switch wanted.value = plain; {
	case !plain.IsNull() && plain.Equal(leafText(*state.block(s.parent()), s.name)):
		wanted.intent = stated
	case !plain.IsNull():
		wanted.intent = restated
	case writeOnly.IsNull():
	case leafText(m.Secrets, s.version()).Equal(leafText(state.Secrets, s.version())):
		wanted.intent, wanted.value = written, writeOnly
	default:
		wanted.intent, wanted.value = rewritten, writeOnly
	}
	return wanted
}

// argument is where the value comes from, and what the state has of that.
func (s setting) argument() (at, inState path.Path) {
	if s.intent == written || s.intent == rewritten {
		return s.writeOnlyPath(), s.versionPath()
	}
	return s.at, s.at
}

func (s setting) action(held document) action {
	form := s.formIn(held, s.text())
	if s.intent == unmanaged && form == absent && !s.sentBefore && !s.hasCompanion(held) {
		return leave // It was never set.
	}
	return actions[s.intent][form]
}

// complete puts the secret into its block in what is about to be sent.
func (s setting) complete(next, held document) diag.Diagnostics {
	switch s.action(held) {
	case refuse:
		return diag.Diagnostics{unreadableSecret(s.place)}
	case include, send:
		if err := s.putInto(next, s.wire()); err != nil {
			return diag.Diagnostics{unexpectedSetting(s.writeOnlyPath(), err)}
		}
	case leave:
		if s.isMissing(held) {
			return diag.Diagnostics{doubtfulSecret(s.place)}
		}
	}
	return nil
}

// isMissing reports whether the service shows none, although it holds what is of no use without it.
func (s setting) isMissing(held document) bool {
	return s.intent == unmanaged && !s.sentBefore && s.formIn(held, "") == unset && s.hasCompanion(held)
}

// missingSecrets are warnings about the blocks that are not sent.
func missingSecrets(held, next document, wanted []setting) (diags diag.Diagnostics) {
	for _, s := range wanted {
		if next[s.block()] == nil && s.isMissing(held) {
			diags.Append(missingSecret(s.place))
		}
	}
	return diags
}
