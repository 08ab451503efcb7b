package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

type companySettingsModel struct {
	ID              types.String `tfsdk:"id"`
	CompanyID       types.String `tfsdk:"company_id"`
	General         types.Object `tfsdk:"general"`
	ProductInvoice  types.Object `tfsdk:"product_invoice"`
	ConsumerInvoice types.Object `tfsdk:"consumer_invoice"`
	ServiceInvoice  types.Object `tfsdk:"service_invoice"`
	Secrets         types.Object `tfsdk:"secrets"`
}

// The fields of each block, by attribute name; CamelCase gives the service's
// name of each.
var (
	technicalResponsibleTypes = map[string]attr.Type{
		"federal_tax_number": attribute.SpelledType{Spelling: attribute.TaxNumberSpelling}, "contact_name": types.StringType,
		"email": types.StringType, "phone": attribute.SpelledType{Spelling: attribute.PhoneSpelling},
	}
	generalTypes = map[string]attr.Type{
		"allow_duplicate_federal_tax_numbers": types.BoolType, "allow_natural_person_company": types.BoolType,
		"allow_multiple_invoice_models_per_order": types.BoolType, "decimal_precision": types.Int64Type,
		"tax_reform_fields_enabled": types.BoolType,
		"technical_responsible":     types.ObjectType{AttrTypes: technicalResponsibleTypes},
	}
	inboundTypes        = map[string]attr.Type{"enabled": types.BoolType, "start_date": attribute.SpelledType{Spelling: attribute.DateTimeSpelling}}
	productInvoiceTypes = map[string]attr.Type{
		"series": types.StringType, "next_number": types.Int64Type, "environment_type": types.StringType,
		"danfe_print_layout": types.StringType, "inbound": types.ObjectType{AttrTypes: inboundTypes},
	}
	consumerInvoiceTypes = map[string]attr.Type{
		"series": types.StringType, "next_number": types.Int64Type, "environment_type": types.StringType,
		"token_id": types.StringType, "csc": types.StringType, "allow_offline_contingency": types.BoolType,
	}
	serviceInvoiceTypes = map[string]attr.Type{
		"series": types.StringType, "next_number": types.Int64Type, "next_batch_number": types.Int64Type,
		"environment_type": types.StringType, "issue_type": types.StringType, "user_name": types.StringType,
		"password": types.StringType, "auth_number": types.StringType, "send_city_tax_number": types.BoolType,
	}
	settingsBlocks = []struct {
		name  string
		types map[string]attr.Type
	}{
		{"general", generalTypes},
		{"product_invoice", productInvoiceTypes},
		{"consumer_invoice", consumerInvoiceTypes},
		{"service_invoice", serviceInvoiceTypes},
	}
	// An enum that is unset is read back as the number 0; a series may well be 0.
	settingEnums = []string{"environment_type", "issue_type", "danfe_print_layout"}
)

// block is the attribute of a block by its name.
func (m *companySettingsModel) block(name string) *types.Object {
	switch name {
	case "general":
		return &m.General
	case "product_invoice":
		return &m.ProductInvoice
	case "consumer_invoice":
		return &m.ConsumerInvoice
	default:
		return &m.ServiceInvoice
	}
}

// leaf is the value of a field of a block; nil where the block is not known.
func leaf(block types.Object, name string) attr.Value {
	if attribute.IsUnset(block) {
		return nil
	}
	return block.Attributes()[name]
}

// leafText is the text of a field of a block; null where it is not known.
func leafText(block types.Object, name string) types.String {
	if text, ok := leaf(block, name).(types.String); ok && !text.IsUnknown() {
		return text
	}
	return types.StringNull()
}

// fromAPI takes what the service holds. prior tells which secrets are in state:
// others never enter it.
func (m *companySettingsModel) fromAPI(ctx context.Context, settings *einvoice.Settings, prior companySettingsModel) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, block := range settingsBlocks {
		held, ok := settings.Blocks[attribute.CamelCase(block.name)]
		if !ok {
			*m.block(block.name) = attribute.AbsentObject(*prior.block(block.name), block.types)
			continue
		}
		object, err := settingsObject(held, block.types, *prior.block(block.name))
		if err != nil {
			diags.Append(unexpectedSetting(path.Root(block.name), err))
			continue
		}
		*m.block(block.name) = object
	}
	for _, s := range secretFields {
		_, form := s.shownIn(settings.Blocks[s.block])
		if version := leafText(prior.Secrets, message.LastStep(s.version)); form == secretUnset && !version.IsNull() {
			// The secret was removed at the service: with its version out of the
			// state, the next plan shows that it will be sent again.
			m.Secrets = attribute.WithLeaf(ctx, m.Secrets, []string{message.LastStep(s.version)}, types.StringNull())
		}
	}
	return diags
}

func settingsObject(held map[string]json.RawMessage, attrTypes map[string]attr.Type, prior types.Object) (types.Object, error) {
	values := make(map[string]attr.Value, len(attrTypes))
	for name, t := range attrTypes {
		raw := held[attribute.CamelCase(name)]
		if nested, ok := t.(types.ObjectType); ok {
			priorObject, _ := leaf(prior, name).(types.Object)
			if jsontree.IsNull(raw) {
				values[name] = attribute.AbsentObject(priorObject, nested.AttrTypes)
				continue
			}
			members, err := jsontree.Members(raw)
			if err != nil {
				return types.Object{}, fmt.Errorf("%s: %w", attribute.CamelCase(name), err)
			}
			if values[name], err = settingsObject(members, nested.AttrTypes, priorObject); err != nil {
				return types.Object{}, fmt.Errorf("%s: %w", attribute.CamelCase(name), err)
			}
			continue
		}
		if name == cscSecret.field || name == passwordSecret.field {
			values[name] = secretFromAPI(leafText(prior, name), held, name)
			continue
		}
		value, err := settingFromAPI(name, t, raw)
		if err != nil {
			return types.Object{}, err
		}
		values[name] = value
	}
	return types.ObjectValueMust(attrTypes, values), nil
}

// settingFromAPI reads one field; null, missing and "" are null.
func settingFromAPI(name string, t attr.Type, raw json.RawMessage) (attr.Value, error) {
	raw = orNull(raw)
	var err error
	var value attr.Value
	switch t := t.(type) {
	case attribute.SpelledType:
		var text einvoice.Text
		err = json.Unmarshal(raw, &text)
		value = attribute.SpelledOrNull(t.Spelling, text)
	default:
		switch {
		case t == types.Int64Type && !isBlank(raw):
			var n einvoice.Int
			err = json.Unmarshal(raw, &n)
			value = attribute.IntOrNull(&n)
		case t == types.Int64Type:
			value = types.Int64Null()
		case t == types.BoolType && !isBlank(raw):
			var f einvoice.Flag
			err = json.Unmarshal(raw, &f)
			value = attribute.FlagOrNull(&f)
		case t == types.BoolType:
			value = types.BoolNull()
		case slices.Contains(settingEnums, name):
			var word einvoice.Enum
			err = json.Unmarshal(raw, &word)
			value = attribute.TextOrNull(word)
		default:
			var text einvoice.Text
			err = json.Unmarshal(raw, &text)
			value = attribute.TextOrNull(text)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", attribute.CamelCase(name), err)
	}
	return value, nil
}

func isBlank(raw json.RawMessage) bool { return jsontree.IsNull(raw) || string(raw) == `""` }

// secretFromAPI keeps the secret that is in state as long as what the service
// shows may be it. A mask that shows another one is put in its place, so that
// the plan shows a change and apply repairs it.
func secretFromAPI(prior types.String, held map[string]json.RawMessage, field string) types.String {
	if prior.IsNull() {
		return prior
	}
	s := secretField{field: field}
	text, form := s.shownIn(held)
	if form == secretUnset {
		return types.StringNull()
	}
	if text == "" || (wantedSecret{secretField: s, value: prior}).heldBy(held) {
		return prior
	}
	return types.StringValue(text)
}

// fillFrom completes a plan with what only the service knows.
func (m *companySettingsModel) fillFrom(ctx context.Context, settings *einvoice.Settings) diag.Diagnostics {
	var answered companySettingsModel
	diags := answered.fromAPI(ctx, settings, companySettingsModel{})
	if diags.HasError() {
		return diags
	}
	for _, block := range settingsBlocks {
		filled, more := attribute.FillUnknown(ctx, *m.block(block.name), *answered.block(block.name))
		diags.Append(more...)
		*m.block(block.name) = filled
	}
	m.ID = m.CompanyID
	return diags
}

// managed lists the settings that a configuration manages: what is not null in
// it, but for the secrets, which have rules of their own.
func (m *companySettingsModel) managed() []setting {
	var out []setting
	for _, block := range settingsBlocks {
		out = append(out, managedIn(path.Root(block.name), attribute.CamelCase(block.name), nil, block.types, *m.block(block.name))...)
	}
	return out
}

func managedIn(at path.Path, block string, field []string, attrTypes map[string]attr.Type, object types.Object) []setting {
	if attribute.IsUnset(object) {
		return nil
	}
	var out []setting
	values := object.Attributes()
	for _, name := range slices.Sorted(maps.Keys(attrTypes)) {
		value := values[name]
		if attribute.IsUnset(value) || name == cscSecret.field || name == passwordSecret.field {
			continue
		}
		inner := append(slices.Clone(field), attribute.CamelCase(name))
		if nested, ok := attrTypes[name].(types.ObjectType); ok {
			if object, ok := value.(types.Object); ok {
				out = append(out, managedIn(at.AtName(name), block, inner, nested.AttrTypes, object)...)
			}
			continue
		}
		out = append(out, setting{at: at.AtName(name), block: block, field: inner, kind: attrTypes[name], value: value})
	}
	return out
}

// secrets lists what a configuration says about the secrets. state is the zero
// model while creating.
func (m *companySettingsModel) secrets(state companySettingsModel, notes secretNotes) []wantedSecret {
	var out []wantedSecret
	for _, s := range secretFields {
		block := message.LastStep(s.plain.ParentPath())
		wanted := wantedSecret{secretField: s, value: types.StringNull(), writtenSince: notes.of(s).Written}
		plain := leafText(*m.block(block), s.field)
		switch {
		case !plain.IsNull():
			wanted.value, wanted.fromPlain = plain, true
			wanted.changed = !plain.Equal(leafText(*state.block(block), s.field))
		default:
			wanted.value = leafText(m.Secrets, message.LastStep(s.writeOnly))
			wanted.changed = !leafText(m.Secrets, message.LastStep(s.version)).Equal(leafText(state.Secrets, message.LastStep(s.version)))
		}
		out = append(out, wanted)
	}
	return out
}

// restore puts the prior value of one attribute back. For a write-only argument
// that is its version: the argument itself is in no state.
func (m *companySettingsModel) restore(ctx context.Context, at path.Path, state companySettingsModel) {
	for _, s := range secretFields {
		if at.Equal(s.writeOnly) {
			at = s.version
		}
	}
	var names []string
	for _, step := range at.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok {
			names = append(names, string(name))
		}
	}
	target, prior := m.block(names[0]), *state.block(names[0])
	if names[0] == "secrets" {
		target, prior = &m.Secrets, state.Secrets
	}
	value := leaf(prior, names[1])
	for _, name := range names[2:] {
		object, _ := value.(types.Object)
		value = leaf(object, name)
	}
	*target = attribute.WithLeaf(ctx, *target, names[1:], value)
}
