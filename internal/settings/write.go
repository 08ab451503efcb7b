package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// The service resets the fields that a sent block lacks: companies have left the test environment
// or lost their numbering that way. So this provider sends only blocks that change, each with all
// that was read of it and the managed fields.

// writing is one write of what is configured and planned.
type writing struct {
	config, plan, state settingsModel // state is the zero model while creating
	last                sights

	first document // what the first read has shown
	sent  document // the blocks that were sent
}

// refusal is the error of settings that must not be sent.
type refusal struct{ diags diag.Diagnostics }

func (r *refusal) Error() string { return "the settings that were read cannot be written" }

func (w *writing) companyID() string {
	return cmp.Or(w.plan.CompanyID.ValueString(), w.config.CompanyID.ValueString())
}

// write makes the service hold what is configured, and reads it back where something was sent. Nothing is issued
// meanwhile: a write may change environments, also those that it does not send.
func (r *settingsResource) write(
	ctx context.Context, w *writing, schema message.PathSchema,
) (sights, diag.Diagnostics) {
	done, err := r.Environments.Write(ctx, w.companyID())
	if err != nil {
		return nil, message.Unrecorded(ctx, r.LabelOf("company", w.companyID()), err)
	}
	defer done()
	err = r.Client.RewriteSettings(ctx, w.companyID(),
		func(held *einvoice.Settings) (map[string]einvoice.SettingsBlock, error) { return w.change(ctx, held) })
	refused := &refusal{}
	switch {
	case errors.As(err, &refused):
		return nil, refused.diags
	case err != nil && w.first != nil:
		return nil, message.APIError(ctx, message.Task("update", "company_settings"), err, schema)
	case errors.Is(err, einvoice.ErrNotFound):
		return nil, message.CompanyNotFound(ctx, w.companyID(), err)
	case err != nil:
		return nil, message.APIError(ctx, message.Task("read", "company_settings"), err, nil)
	case len(w.sent) == 0:
		return w.last.after(w.first), nil
	}
	held, err := r.Client.CompanySettings(ctx, w.companyID())
	if err != nil {
		return nil, message.APIError(ctx, message.Task("verify", "company_settings"), err, nil)
	}
	now := w.last.after(held.Blocks)
	return now, w.verify(ctx, held.Blocks, now)
}

// change is what to send to a service that holds these settings. A repetition asks again: what the service held
// before the first request stays what the result is compared with.
func (w *writing) change(ctx context.Context, held *einvoice.Settings) (map[string]einvoice.SettingsBlock, error) {
	next, diags := merge(ctx, held.Blocks, w.wanted(), w.last)
	for _, name := range w.state.hiddenBlocks(held.Blocks) {
		if next[name] != nil {
			diags.Append(say.Error(ctx, "settings.hidden_block", text.With{"block": name, "company": w.companyID()})...)
		}
	}
	diags.Append(w.checkContingency(ctx, held.Blocks)...)
	if w.first == nil {
		w.first, w.sent = held.Blocks, document{}
	}
	if diags.HasError() {
		return nil, &refusal{diags}
	}
	maps.Copy(w.sent, next)
	return next, nil
}

// wanted lists what to send: what is configured and planned, and then each secret. Core applies ignore_changes to the
// configuration that a plan sees, and not to the one that an apply sees. The plan alone has old state of what nobody
// manages, and a write-only value is in no plan: its version stands for it.
func (w *writing) wanted() []setting {
	wanted := slices.DeleteFunc(w.config.managed(), func(s setting) bool { return !s.isPlanned(w.plan.at(s.place)) })
	for _, p := range secrets {
		s := setting{place: p, value: w.config.at(p)}
		version, planned := leaf(w.config.Secrets, p.version()), leaf(w.plan.Secrets, p.version())
		isPlanned := w.plan.Secrets.IsUnknown() || planned.IsUnknown() || planned.Equal(version)
		switch writeOnly := leaf(w.config.Secrets, p.writeOnly); {
		case !s.value.IsNull() && s.isPlanned(w.plan.at(p)):
			s.isChanged = !s.value.Equal(w.state.at(p))
		case s.value.IsNull() && !writeOnly.IsNull() && isPlanned:
			s.value, s.isWriteOnly = writeOnly, true
			s.isChanged = !version.Equal(leaf(w.state.Secrets, p.version()))
		default:
			s.value = types.StringNull()
		}
		wanted = append(wanted, s)
	}
	return wanted
}

// merge returns the blocks to send so that the service holds what is wanted: those that change. Every other field in
// them stays byte for byte as it was read. It refuses to write a mask over the value that the service has masked.
func merge(ctx context.Context, held document, wanted []setting, last sights) (document, diag.Diagnostics) {
	var diags diag.Diagnostics
	next, changed, written := document{}, map[string]bool{}, map[string]bool{}
	for _, s := range wanted {
		if written[s.key()] = true; next[s.block()] == nil {
			next[s.block()] = einvoice.SettingsBlock{}
			maps.Copy(next[s.block()], held[s.block()])
		}
	}
	for _, s := range wanted { // The secrets come last.
		if s.isSecret() {
			as := s.sightIn(held, last[s.name])
			if changed[s.block()] = changed[s.block()] || s.asks(held, as); changed[s.block()] {
				diags.Append(s.fill(ctx, next, as)...)
			}
			continue
		}
		isHeld, err := s.isHeld(next)
		if err == nil && !isHeld {
			changed[s.block()] = true
			err = s.putInto(next)
		}
		if err != nil {
			diags.Append(unexpectedSetting(ctx, s.at, err)...)
		}
	}
	maps.DeleteFunc(next, func(block string, _ einvoice.SettingsBlock) bool { return !changed[block] })
	for block, fields := range next {
		for name, raw := range fields { // What is replaced has no mask any more. One asterisk may stand in any text.
			isMasked := strings.Contains(string(raw), "***") || strings.Contains(string(raw), "•••")
			if at := block + "." + name; isMasked && !written[at] && !diags.HasError() {
				field := path.Root(message.SnakeCase(block))
				diags.Append(say.ErrorAt(ctx, field, "settings.masked", text.With{"block": field.String(), "field": name})...)
			}
		}
	}
	return next, diags
}

// The service reports success also for settings that it ignores, and may reset what it was not asked to change: only
// reading the settings back proves a write.

// verify compares what the service holds after a write with what was sent and with what it held before. It notes in
// now which secrets the service leaves out although they were sent.
func (w *writing) verify(ctx context.Context, after document, now sights) (diags diag.Diagnostics) {
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
			diags.Append(settingIgnored(ctx, s, string(held), w.companyID())...)
		}
	}
	expected := maps.Clone(w.first)
	maps.Copy(expected, w.sent)
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if former := changedIn(root.member(name), expected[name], after[name], asked); len(former) > 0 {
			diags.Append(say.Error(ctx, "settings.changed", text.With{
				"block": name, "company": w.companyID(), "sent": w.sent[name] != nil, "former": former,
			})...)
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
