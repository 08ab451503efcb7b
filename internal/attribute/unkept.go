package attribute

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// unkept is a value that the service reported as stored and does not hold as it was sent.
type unkept struct {
	at         path.Path
	name       string // address.street, extra_json.ncm
	sent, held string // as a person writes them; "" for none
}

// WarnOfUnkept compares the state, which has the values that were sent, with held: a model of
// the object at the service afterwards.
func WarnOfUnkept(ctx context.Context, state tfsdk.State, held any) diag.Diagnostics {
	after := tfsdk.State{Schema: state.Schema, Raw: state.Raw.Copy()}
	diags := after.Set(ctx, held)
	for _, u := range compareValues(ctx, tfsdk.Plan(state), after) {
		diags.Append(u.warning(ctx)...)
	}
	return diags
}

// compareValues lists the values that a plan knows, null included, and a state has otherwise.
func compareValues(ctx context.Context, plan tfsdk.Plan, state tfsdk.State) []unkept {
	var out []unkept
	attributes := plan.Schema.GetAttributes()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		at := path.Root(name)
		var sent, held attr.Value
		if a := attributes[name]; !a.IsRequired() && !a.IsOptional() ||
			plan.GetAttribute(ctx, at, &sent).HasError() || state.GetAttribute(ctx, at, &held).HasError() {
			continue // The service's own, or nothing that can be compared.
		}
		out = append(out, compareValue(at, sent, held)...)
	}
	return out
}

// Change is a value that is another one than before.
type Change struct {
	At       path.Path
	Was, Now attr.Value
}

// Changes walks down to the leaves that differ. One that is not known yet is no change.
func Changes(at path.Path, now, was attr.Value) (changed []Change) {
	if now.IsUnknown() || now.Equal(was) || holdsNothing(now) && holdsNothing(was) {
		return nil
	}
	switch now := now.(type) {
	case types.Float64:
		if SameNumber(now, was) {
			return nil
		}
	case Spelled:
		if !now.IsNull() && now.means(was) {
			return nil
		}
	case types.Object:
		if was, ok := was.(types.Object); ok && !now.IsNull() && !was.IsNull() {
			leaves, had := now.Attributes(), was.Attributes()
			for _, name := range slices.Sorted(maps.Keys(leaves)) {
				changed = append(changed, Changes(at.AtName(name), leaves[name], had[name])...)
			}
			return changed
		}
	case types.List:
		if was, ok := was.(types.List); ok && len(now.Elements()) == len(was.Elements()) {
			for n, element := range now.Elements() {
				changed = append(changed, Changes(at.AtListIndex(n), element, was.Elements()[n])...)
			}
			return changed
		}
	}
	return []Change{{At: at, Was: was, Now: now}}
}

func compareValue(at path.Path, sent, held attr.Value) (out []unkept) {
	for _, c := range Changes(at, sent, held) {
		now, isJSON := c.Now.(JSON)
		was, _ := c.Was.(JSON)
		if isJSON && !now.IsNull() && !was.IsNull() {
			sent, err := jsontree.Decode([]byte(now.ValueString()))
			held, heldErr := jsontree.Decode([]byte(was.ValueString()))
			if err == nil && heldErr == nil {
				out = append(out, compareJSON(c.At, c.At.String(), sent, held)...)
				continue
			}
		}
		out = append(out, unkept{
			at: c.At, name: c.At.String(), sent: printedValue(c.Now), held: printedValue(c.Was),
		})
	}
	return out
}

// compareJSON compares the JSON that was sent with the one that the service holds, by key.
func compareJSON(at path.Path, name string, sent, held any) []unkept {
	sentMembers, isSentObject := sent.(map[string]any)
	heldMembers, isHeldObject := held.(map[string]any)
	if isSentObject && isHeldObject {
		var out []unkept
		for _, key := range slices.Sorted(maps.Keys(sentMembers)) {
			out = append(out, compareJSON(at, name+"."+key, sentMembers[key], heldMembers[key])...)
		}
		return out
	}
	if jsontree.Same(sent, held) {
		return nil
	}
	return []unkept{{at: at, name: name, sent: printedJSON(sent), held: printedJSON(held)}}
}

func printedValue(v attr.Value) string {
	if v.IsNull() {
		return ""
	}
	if number, ok := v.(types.Float64); ok {
		return strconv.FormatFloat(number.ValueFloat64(), 'f', -1, 64)
	}
	return v.String()
}

func printedJSON(v any) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(v) // It was decoded from JSON.
	return string(text)
}

func (u unkept) warning(ctx context.Context) diag.Diagnostics {
	return say.WarningAt(ctx, message.ShownAt(u.at), "value.not_kept", text.With{
		"path": u.name, "sent": u.sent, "held": u.held,
	})
}
