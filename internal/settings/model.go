package settings

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type settingsModel struct {
	blocksModel

	ID        types.String   `tfsdk:"id"`
	CompanyID types.String   `tfsdk:"company_id"`
	Secrets   types.Object   `tfsdk:"secrets"`
	ExtraJSON attribute.JSON `tfsdk:"extra_json"`
}

// blocksModel is what the resource and the data source have in common.
type blocksModel struct {
	General         types.Object `tfsdk:"general"`
	ProductInvoice  types.Object `tfsdk:"product_invoice"`
	ConsumerInvoice types.Object `tfsdk:"consumer_invoice"`
	ServiceInvoice  types.Object `tfsdk:"service_invoice"`
}

// block is the attribute of a block by its name.
func (m *blocksModel) block(name string) *types.Object {
	return map[string]*types.Object{
		"general": &m.General, "product_invoice": &m.ProductInvoice,
		"consumer_invoice": &m.ConsumerInvoice, "service_invoice": &m.ServiceInvoice,
	}[name]
}

// read takes what the service holds of some blocks. Of the secrets it takes only those that are
// in the model already.
func (m *blocksModel) read(ctx context.Context, held document, blocks []field) (diags diag.Diagnostics) {
	for _, b := range blocks {
		var raw json.RawMessage
		if fields, isShown := held[b.wireName()]; isShown {
			raw, _ = json.Marshal(fields) // Each field is JSON.
		}
		value, err := b.readObject(raw, *m.block(b.name))
		if err != nil {
			diags.Append(unexpectedSetting(ctx, path.Root(b.name), err)...)
			continue
		}
		*m.block(b.name), _ = value.(types.Object)
	}
	return diags
}

// fromAPI takes what the service holds. The version of a write-only secret that the service has lost leaves the state:
// the next plan sends the secret again. The state stays as it is where the service shows nothing of a block.
func (m *settingsModel) fromAPI(
	ctx context.Context, company text.Text, settings *einvoice.Settings, now sights,
) (diags diag.Diagnostics) {
	m.ID = m.CompanyID
	for _, name := range m.hiddenBlocks(settings.Blocks) {
		diags.Append(say.Warning(ctx, "settings.not_shown", text.With{
			"block": name, "company": company,
		})...)
	}
	if len(diags) > 0 {
		return diags
	}
	for _, s := range secrets {
		if now[s.name] == none && !attribute.IsUnset(m.Secrets) {
			leaves := m.Secrets.Attributes()
			leaves[s.version()] = types.StringNull()
			m.Secrets = types.ObjectValueMust(m.Secrets.AttributeTypes(ctx), leaves)
		}
	}
	m.ExtraJSON, diags = attribute.ProjectExtra(m.ExtraJSON, settings.Raw)
	return append(diags, m.read(ctx, settings.Blocks, blocks)...)
}

// hiddenBlocks are the blocks that the state has values of, and of which the service shows nothing.
func (m *settingsModel) hiddenBlocks(held document) (names []string) {
	for _, s := range m.managed() {
		if len(held[s.block()]) == 0 && !jsontree.IsNull(s.wire()) && !slices.Contains(names, s.block()) {
			names = append(names, s.block())
		}
	}
	return names
}

// managed lists what is known in a configuration, without the secrets.
func (m *settingsModel) managed() (out []setting) {
	for _, b := range blocks {
		out = append(out, managedIn(root.inner(b), *m.block(b.name))...)
	}
	extra, _ := jsontree.Members(json.RawMessage(m.ExtraJSON.ValueString())) // Checked by ValidateConfig.
	return append(out, extrasIn(nil, extra)...)
}

func managedIn(p place, value attr.Value) (out []setting) {
	object, isObject := value.(types.Object)
	if attribute.IsUnset(value) || p.kind == secret {
		return nil
	} else if !isObject {
		return []setting{{place: p, value: value}}
	}
	for _, f := range p.fields {
		out = append(out, managedIn(p.inner(f), leaf(object, f.name))...)
	}
	return out
}

// at is the value of a place; of one in an unknown object it is unknown.
func (m *settingsModel) at(p place) attr.Value {
	if p.kind == anyJSON {
		raw, _ := jsontree.At(json.RawMessage(m.ExtraJSON.ValueString()), p.keys...)
		if raw == nil || m.ExtraJSON.IsUnknown() {
			return m.ExtraJSON
		}
		return attribute.JSONValue(string(raw))
	}
	var value attr.Value = *m.block(p.parent())
	for _, step := range p.at.Steps()[1:] {
		if value.IsUnknown() {
			return value
		}
		object, _ := value.(types.Object)
		value = leaf(object, step.String())
	}
	return value
}

// isConfigured reports whether a secret has a value, which may be unknown yet.
func (m *settingsModel) isConfigured(p place) bool {
	inBlock, writeOnly := m.at(p), leaf(m.Secrets, p.writeOnly)
	return !inBlock.IsNull() || !writeOnly.IsNull() || m.Secrets.IsUnknown()
}

// leaf is the value of a field of an object; null where the object does not have it.
func leaf(object types.Object, name string) attr.Value {
	if value, ok := object.Attributes()[name]; ok {
		return value
	}
	return types.StringNull()
}

func extrasIn(keys []string, in map[string]json.RawMessage) (out []setting) {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := append(slices.Clone(keys), name)
		if fields, err := jsontree.Members(in[name]); err == nil && !jsontree.IsNull(in[name]) {
			out = append(out, extrasIn(at, fields)...)
			continue
		}
		extra := place{field{name: name, kind: anyJSON}, atExtra, at}
		out = append(out, setting{place: extra, value: attribute.JSONValue(string(in[name]))})
	}
	return out
}
