package settings

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// A block that is written takes its secret along: as the service shows it in clear, or as it is configured. A block
// whose secret is neither is refused.

// sight is how a read shows a secret. Which form a service uses is not specified.
type sight string

const (
	none    sight = ""       // null, or there is nothing that could hold it: the service has none
	inClear sight = "clear"  // as it is
	hidden  sight = "hidden" // masked, cut or left out
)

// sights are those of the last read, by the name of the secret. The private state keeps them for a plan, which does
// not ask the service.
type sights map[string]sight

const sightsKey = "secrets"

func readSights(ctx context.Context, private session.PrivateState) (sights, diag.Diagnostics) {
	last := sights{}
	raw, diags := private.GetKey(ctx, sightsKey)
	if raw != nil && json.Unmarshal(raw, &last) != nil {
		return sights{}, diags // The next refresh writes them anew.
	}
	return last, diags
}

func (l sights) encoded() []byte {
	raw, _ := json.Marshal(l) // Texts always have a JSON form.
	return raw
}

// after are the sights of a later read.
func (l sights) after(held document) sights {
	next := sights{}
	for _, s := range secrets {
		next[s.name] = s.sightIn(held, l[s.name])
	}
	return next
}

// sightIn is how a read shows a secret, after the last one. One that is left out was never set if neither was the
// field that is of no use without it.
func (p place) sightIn(held document, last sight) sight {
	block := held[p.block()]
	raw, err := p.in(held)
	around := block[p.keys[1]]
	isNull := err != nil || around != nil && jsontree.IsNull(around) || raw != nil && isEmpty(decoded(raw))
	switch {
	case len(block) == 0:
		return last // That says nothing about its secrets.
	case isNull, raw == nil && last != hidden && isEmpty(decoded(block[p.companion])):
		return none
	case raw == nil, mayHide(decoded(raw)):
		return hidden
	}
	return inClear
}

// shortest is the length below which a secret that is not configured may be cut.
const shortest = 8

// mayHide reports whether a secret may be masked or cut. A security code comes with its number (CSRT, idCSRT): an
// object without two values of which one is long hides one.
func mayHide(value any) bool {
	switch value := value.(type) {
	case string:
		return len(value) < shortest || einvoice.IsMasked(value)
	case []any:
		return slices.ContainsFunc(value, mayHide)
	case map[string]any:
		hasLong := false
		for _, member := range value {
			text, isText := member.(string)
			hasLong = hasLong || len(text) >= shortest
			if isText && (text == "" || einvoice.IsMasked(text)) || !isText && mayHide(member) {
				return true
			}
		}
		return len(value) < 2 || !hasLong
	}
	return value == nil
}

// mayBe reports whether a secret that a read shows may be the configured one: in clear, masked or cut. A mask of
// any form proves no other one.
func mayBe(raw json.RawMessage, configured string) bool {
	shown := decoded(raw)
	if text, isText := shown.(string); isText && text != "" {
		return einvoice.IsMasked(text) || strings.Contains(configured, text)
	}
	return !isEmpty(shown) && (mayHide(shown) || shows(raw, configured))
}

// shows reports whether a read shows the configured secret in clear, codes perhaps with more members.
func shows(raw json.RawMessage, configured string) bool {
	shown := decoded(raw)
	if text, isText := shown.(string); isText {
		return text == configured
	}
	sent, err := jsontree.Decode([]byte(configured))
	return err == nil && jsontree.Holds(shown, sent)
}

// mayHold reports whether the service may hold the configured secret, by how a read shows it.
func (s setting) mayHold(held document, as sight) bool {
	raw, _ := s.in(held)
	return as != none && (raw == nil || mayBe(raw, s.text()))
}

// asks reports whether the secret alone is a reason to write its block.
func (s setting) asks(held document, as sight) bool {
	raw, _ := s.in(held)
	return s.isChanged && !shows(raw, s.text()) || !s.isWriteOnly && !s.value.IsNull() && !s.mayHold(held, as)
}

// fill puts the secret into its block in what is about to be sent.
func (s setting) fill(ctx context.Context, next document, as sight) diag.Diagnostics {
	switch {
	case s.value.IsNull() && as == hidden:
		return unreadableSecret(ctx, s.place)
	case s.value.IsNull(), as == inClear && s.isWriteOnly && !s.isChanged:
		return nil // It goes back as it was read.
	}
	if err := s.putInto(next); err != nil {
		return unexpectedSetting(ctx, s.writeOnlyPath(), err)
	}
	return nil
}
