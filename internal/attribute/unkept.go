package attribute

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The service answers a write with success also where it ignores a field or stores
// a value in its own way. The state then has to hold what was planned, and each
// later plan shows the same change. So the write warns, and leaves a note in the
// private data, by which a plan that repeats it says why.

// unkeptKey is the note: by name, the hash of a value that was sent and of the one
// that the service held afterwards.
const unkeptKey = "unkept"

// unkept is a value that the service does not hold as it was sent.
type unkept struct {
	at         path.Path
	name       string // address.street, extra_json.ncm
	sent, held string // as a person writes them; "" for none
}

func (u unkept) hash() string { return HashOfText(u.sent + "\x00" + u.held) }

// The private data of a resource, whose type the framework does not export.
type (
	noteReader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	noteWriter interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// WarnOfUnkept compares what was written, which is in state, with what the service
// holds afterwards: a model that was read into a copy of it.
func WarnOfUnkept(ctx context.Context, state tfsdk.State, held any, private noteWriter) diag.Diagnostics {
	after := tfsdk.State{Schema: state.Schema, Raw: state.Raw.Copy()}
	diags := after.Set(ctx, held)
	var note []byte
	missed := compareValues(ctx, tfsdk.Plan(state), after)
	hashes := map[string]string{}
	for _, u := range missed {
		hashes[u.name] = u.hash()
		diags.Append(u.warning())
	}
	if len(hashes) > 0 {
		note, _ = json.Marshal(hashes) // Texts only.
	}
	diags.Append(private.SetKey(ctx, unkeptKey, note)...)
	return diags
}

// WarnOfRepetition says of each planned change that the last write sent the same,
// and that the service kept the value that it has.
func WarnOfRepetition(ctx context.Context, plan tfsdk.Plan, state tfsdk.State, private noteReader) diag.Diagnostics {
	if plan.Raw.IsNull() || state.Raw.IsNull() {
		return nil
	}
	note, diags := private.GetKey(ctx, unkeptKey)
	var hashes map[string]string
	if diags.HasError() || note == nil || json.Unmarshal(note, &hashes) != nil {
		return diags
	}
	for _, u := range compareValues(ctx, plan, state) {
		if hashes[u.name] == u.hash() {
			diags.Append(u.repetition())
		}
	}
	return diags
}

// compareValues lists what is known in a plan, null included, and is otherwise in a
// state.
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

func compareValue(at path.Path, sent, held attr.Value) []unkept {
	if sent.IsUnknown() || sent.IsNull() && held.IsNull() {
		return nil
	}
	if !sent.IsNull() && !held.IsNull() {
		switch sent := sent.(type) {
		case types.Object:
			var out []unkept
			leaves, have := sent.Attributes(), held.(types.Object).Attributes() //nolint:forcetypeassert // One schema has both.
			for _, name := range slices.Sorted(maps.Keys(leaves)) {
				out = append(out, compareValue(at.AtName(name), leaves[name], have[name])...)
			}
			return out
		case types.Float64:
			if SameNumber(sent, held) {
				return nil
			}
		case Spelled:
			if is := held.(Spelled); sent.Spelling.Same(sent.ValueString(), is.ValueString()) { //nolint:forcetypeassert // One schema has both.
				return nil
			}
		case jsontypes.Normalized:
			wanted, err := jsontree.Decode([]byte(sent.ValueString()))
			is, heldErr := jsontree.Decode([]byte(held.(jsontypes.Normalized).ValueString())) //nolint:forcetypeassert // One schema has both.
			if err == nil && heldErr == nil {
				return compareJSON(at, at.String(), wanted, is)
			}
		}
	}
	if sent.Equal(held) {
		return nil
	}
	return []unkept{{at: at, name: at.String(), sent: shownValue(sent), held: shownValue(held)}}
}

// compareJSON compares what is sent with what is held, key by key.
func compareJSON(at path.Path, name string, sent, held any) []unkept {
	wanted, isObject := sent.(map[string]any)
	have, wasObject := held.(map[string]any)
	if isObject && wasObject {
		var out []unkept
		for _, key := range slices.Sorted(maps.Keys(wanted)) {
			out = append(out, compareJSON(at, name+"."+key, wanted[key], have[key])...)
		}
		return out
	}
	if jsontree.Same(sent, held) {
		return nil
	}
	return []unkept{{at: at, name: name, sent: shownJSON(sent), held: shownJSON(held)}}
}

func shownValue(v attr.Value) string {
	if v.IsNull() {
		return ""
	}
	if number, is := v.(types.Float64); is {
		return strconv.FormatFloat(number.ValueFloat64(), 'f', -1, 64)
	}
	return v.String()
}

func shownJSON(v any) string {
	if v == nil {
		return ""
	}
	text, _ := json.Marshal(v) // It was decoded from JSON.
	return string(text)
}

func (u unkept) warning() diag.Diagnostic {
	happened := fmt.Sprintf("`%s` was sent as %s. The service reported success, but holds %s.", u.name, u.sent, orNothing(u.held))
	if u.sent == "" {
		happened = fmt.Sprintf("`%s` was cleared. The service reported success, but still holds %s.", u.name, u.held)
	}
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(u.at), "Not kept as sent: "+u.name, message.Paragraphs(happened, u.advice()))
}

func (u unkept) repetition() diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(message.ShownAt(u.at), "Change that the service did not keep: "+u.name, message.Paragraphs(
		fmt.Sprintf("This plan sends `%s` as %s once more. The last apply sent the same, but the service holds %s.", u.name, orNothing(u.sent), orNothing(u.held)), u.advice()))
}

func (u unkept) advice() string {
	if u.held == "" {
		return "The service may not know the field, or not take the value. Check both, or take it out of the configuration: until then every plan shows this change."
	}
	return "Write it in the configuration as the service holds it: until then every plan shows this change."
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}
