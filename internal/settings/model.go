package settings

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
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
func (m *blocksModel) read(settings *einvoice.Settings, blocks []field) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, b := range blocks {
		object := m.block(b.name)
		value := attribute.AbsentObject(*object, typesOf(b.fields))
		if held, ok := settings.Blocks[b.wireName()]; ok {
			var err error
			if value, err = readObject(b.fields, held, *object); err != nil {
				diags.Append(unexpectedSetting(path.Root(b.name), err))
				continue
			}
		}
		*object = value
	}
	return diags
}

// fromAPI takes what the service holds. The version of a write-only secret that the service has
// lost leaves the state: the next plan sends the secret again.
func (m *settingsModel) fromAPI(ctx context.Context, settings *einvoice.Settings) diag.Diagnostics {
	m.ID = m.CompanyID
	shown, hidden := settings.Raw, m.hiddenBlocks(settings.Blocks)
	isHidden := func(block string) bool { return slices.Contains(hidden, block) }
	for _, s := range secrets {
		if s.formIn(settings.Blocks, "") == unset && !attribute.IsUnset(m.Secrets) && !isHidden(s.block()) {
			leaves := m.Secrets.Attributes()
			leaves[s.version()] = types.StringNull()
			m.Secrets = types.ObjectValueMust(m.Secrets.AttributeTypes(ctx), leaves)
		}
	}
	var diags diag.Diagnostics
	for _, name := range hidden {
		diags.Append(blockNotShown(name, m.CompanyID.ValueString()))
		if kept, _ := jsontree.At(json.RawMessage(m.ExtraJSON.ValueString()), name); kept != nil {
			shown, _ = jsontree.With(shown, kept, name) // Both are JSON objects.
		}
	}
	extra, more := attribute.ProjectExtra(m.ExtraJSON, shown)
	m.ExtraJSON = extra
	isKept := func(b field) bool { return isHidden(b.wireName()) }
	return append(append(diags, more...), m.read(settings, slices.DeleteFunc(slices.Clone(blocks), isKept))...)
}

// hiddenBlocks are the blocks that the state has values of, and of which the service shows nothing.
func (m *settingsModel) hiddenBlocks(held document) (hidden []string) {
	for _, s := range m.managed() {
		name := s.block()
		if len(held[name]) == 0 && !jsontree.IsNull(s.wire()) && !slices.Contains(hidden, name) {
			hidden = append(hidden, name)
		}
	}
	return hidden
}

// hiddenSettings are the values of the state of which the service shows nothing now, and which a write of next would
// reset or, if they are next numbers, lower.
func (m *settingsModel) hiddenSettings(held, next document) (hidden []place) {
	for _, s := range m.managed() {
		if len(held[s.block()]) == 0 || next[s.block()] == nil {
			continue
		}
		shown, _ := s.in(held) // What cannot be read is nothing.
		sent, _ := s.in(next)
		known := decoded(s.wire())
		isLower := isRaised(s.wireName(), decoded(sent), known)
		if isBlank(decoded(shown)) && !isBlank(known) && known != false && (isBlank(decoded(sent)) || isLower) {
			hidden = append(hidden, s.place)
		}
	}
	return hidden
}

// leaf is the value of a field of an object; null where the object does not have it.
func leaf(object types.Object, name string) attr.Value {
	if value, ok := object.Attributes()[name]; ok {
		return value
	}
	return types.StringNull()
}

// leafText is the text of a field of an object; null where it is not known.
func leafText(object types.Object, name string) types.String {
	if text, ok := leaf(object, name).(types.String); ok && !text.IsUnknown() {
		return text
	}
	return types.StringNull()
}
