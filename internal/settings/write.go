package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The service resets the fields that a sent block lacks: companies have left the test environment
// or lost their numbering that way. So this provider sends only blocks that change, each with all
// that was read of it and the managed fields.

// writing is one write of what is configured and planned. Its reads and requests fill the second part.
type writing struct {
	config, state settingsModel
	last          sights

	first document        // what the first read has shown
	raw   json.RawMessage // the same, as it is written
	sent  document        // the blocks that were sent
	after document        // what the last read has shown
}

// refusal is the error of settings that must not be sent.
type refusal struct{ diags diag.Diagnostics }

func (r *refusal) Error() string { return "the settings that were read cannot be written" }

// write makes the service hold what is configured, and reads it back where something was sent. Nothing is issued
// meanwhile: a write may change environments, also those that it does not send.
func (r *settingsResource) write(ctx context.Context, w *writing, schema message.PathSchema) diag.Diagnostics {
	defer r.Environments.Write()()
	companyID := w.config.CompanyID.ValueString()
	err := rewriteSettings(ctx, r.Client, companyID, w.change)
	refused := &refusal{}
	switch {
	case errors.As(err, &refused):
		return refused.diags
	case err != nil && w.first != nil:
		return message.APIError(ctx, "update company settings", err, schema)
	case errors.Is(err, einvoice.ErrNotFound):
		return message.CompanyNotFound(companyID, err)
	case err != nil:
		return message.APIError(ctx, "read company settings", err, nil)
	case len(w.sent) == 0:
		return nil
	}
	held, err := r.Client.CompanySettings(ctx, companyID)
	if err != nil {
		return message.APIError(ctx, "verify company settings", err, nil)
	}
	w.after = held.Blocks
	return nil
}

// change is what to send to a service that holds these settings. A repetition asks again: what the service held
// before the first request stays what the result is compared with.
func (w *writing) change(held *einvoice.Settings) (map[string]einvoice.SettingsBlock, error) {
	companyID := w.config.CompanyID.ValueString()
	next, diags := merge(held.Blocks, w.config.wanted(w.state), w.last)
	if hidden := w.state.hiddenSettings(held.Blocks, next); len(hidden) > 0 {
		diags.Append(hiddenSettings(hidden, companyID))
	}
	diags.Append(w.config.checkContingency(held.Blocks, w.last)...)
	if w.first == nil {
		w.first, w.raw, w.sent, w.after = held.Blocks, held.Raw, document{}, held.Blocks
	}
	if diags.HasError() {
		return nil, &refusal{diags}
	}
	maps.Copy(w.sent, next)
	return next, nil
}

// merge returns the blocks to send so that the service holds what is wanted: those that change. Every other field in
// them stays byte for byte as it was read.
func merge(held document, wanted []setting, last sights) (document, diag.Diagnostics) {
	var diags diag.Diagnostics
	next, changed := document{}, map[string]bool{}
	for _, s := range wanted {
		if next[s.block()] == nil {
			next[s.block()] = einvoice.SettingsBlock{}
			maps.Copy(next[s.block()], held[s.block()])
		}
	}
	for _, s := range wanted { // The secrets come last.
		if s.isSecret() {
			as := s.sightIn(held, last[s.name])
			if changed[s.block()] = changed[s.block()] || s.asks(held, as); changed[s.block()] {
				diags.Append(s.fill(next, as)...)
			}
			continue
		}
		isHeld, err := s.isHeld(next)
		if err == nil && !isHeld {
			changed[s.block()] = true
			err = s.putInto(next)
		}
		if err != nil {
			diags.Append(unexpectedSetting(s.at, err))
		}
	}
	maps.DeleteFunc(next, func(block string, _ einvoice.SettingsBlock) bool { return !changed[block] })
	for _, at := range masksIn(next, wanted) {
		diags.Append(maskedUnknown(at))
	}
	return next, diags
}

// masksIn are the places of the masked texts that nothing wanted replaces, such as a.b[0].c: to write a mask back
// would make it the value.
func masksIn(next document, wanted []setting) (masks []string) {
	raw, _ := json.Marshal(next) // Each value of it comes from JSON.
	for _, at := range masksAt("", decoded(raw)) {
		list, _, _ := strings.Cut(at, "[") // It is written as a whole.
		if !slices.ContainsFunc(wanted, func(s setting) bool { return s.key() == list }) {
			masks = append(masks, at)
		}
	}
	return masks
}

func masksAt(at string, value any) (masks []string) {
	switch value := value.(type) {
	case string: // One asterisk may stand in any text that is no secret.
		if strings.Contains(value, "***") || strings.Contains(value, "•••") || strings.Contains(value, "●●●") {
			return []string{at}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			masks = append(masks, masksAt(strings.TrimPrefix(at+"."+name, "."), value[name])...)
		}
	case []any:
		for i, element := range value {
			masks = append(masks, masksAt(fmt.Sprintf("%s[%d]", at, i), element)...)
		}
	}
	return masks
}
