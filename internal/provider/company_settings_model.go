package provider

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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
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

// The fields of each block, by attribute name; camelCase gives the service's
// name of each.
var (
	technicalResponsibleTypes = map[string]attr.Type{
		"federal_tax_number": spelledType{spelling: taxNumberSpelling}, "contact_name": types.StringType,
		"email": types.StringType, "phone": spelledType{spelling: phoneSpelling},
	}
	generalTypes = map[string]attr.Type{
		"allow_duplicate_federal_tax_numbers": types.BoolType, "allow_natural_person_company": types.BoolType,
		"allow_multiple_invoice_models_per_order": types.BoolType, "decimal_precision": types.Int64Type,
		"tax_reform_fields_enabled": types.BoolType,
		"technical_responsible":     types.ObjectType{AttrTypes: technicalResponsibleTypes},
	}
	inboundTypes        = map[string]attr.Type{"enabled": types.BoolType, "start_date": spelledType{spelling: dateTimeSpelling}}
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
	if isUnset(block) {
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
		held, ok := settings.Blocks[camelCase(block.name)]
		if !ok {
			*m.block(block.name) = absentObject(*prior.block(block.name), block.types)
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
		if version := leafText(prior.Secrets, lastStep(s.version)); form == secretUnset && !version.IsNull() {
			// The secret was removed at the service: with its version out of the
			// state, the next plan shows that it will be sent again.
			m.Secrets = withLeaf(ctx, m.Secrets, []string{lastStep(s.version)}, types.StringNull())
		}
	}
	return diags
}

func settingsObject(held map[string]json.RawMessage, attrTypes map[string]attr.Type, prior types.Object) (types.Object, error) {
	values := make(map[string]attr.Value, len(attrTypes))
	for name, t := range attrTypes {
		raw := held[camelCase(name)]
		if nested, ok := t.(types.ObjectType); ok {
			priorObject, _ := leaf(prior, name).(types.Object)
			if isJSONNull(raw) {
				values[name] = absentObject(priorObject, nested.AttrTypes)
				continue
			}
			members, err := membersOf(raw)
			if err != nil {
				return types.Object{}, fmt.Errorf("%s: %w", camelCase(name), err)
			}
			if values[name], err = settingsObject(members, nested.AttrTypes, priorObject); err != nil {
				return types.Object{}, fmt.Errorf("%s: %w", camelCase(name), err)
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
	case spelledType:
		var text einvoice.Text
		err = json.Unmarshal(raw, &text)
		value = spelledOrNull(t.spelling, text)
	default:
		switch {
		case t == types.Int64Type && !isBlank(raw):
			var n einvoice.Int
			err = json.Unmarshal(raw, &n)
			value = intOrNull(&n)
		case t == types.Int64Type:
			value = types.Int64Null()
		case t == types.BoolType && !isBlank(raw):
			var f einvoice.Flag
			err = json.Unmarshal(raw, &f)
			value = flagOrNull(&f)
		case t == types.BoolType:
			value = types.BoolNull()
		case slices.Contains(settingEnums, name):
			var word einvoice.Enum
			err = json.Unmarshal(raw, &word)
			value = textOrNull(word)
		default:
			var text einvoice.Text
			err = json.Unmarshal(raw, &text)
			value = textOrNull(text)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", camelCase(name), err)
	}
	return value, nil
}

func isBlank(raw json.RawMessage) bool { return isJSONNull(raw) || string(raw) == `""` }

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

// absentObject reads an object that the service does not hold. One that is
// configured without any value stays, or its plan would never be empty.
func absentObject(prior types.Object, attrTypes map[string]attr.Type) types.Object {
	if isUnset(prior) {
		return types.ObjectNull(attrTypes)
	}
	for _, value := range prior.Attributes() {
		if !value.IsNull() {
			return types.ObjectNull(attrTypes)
		}
	}
	return prior
}

// fillFrom completes a plan with what only the service knows.
func (m *companySettingsModel) fillFrom(ctx context.Context, settings *einvoice.Settings) diag.Diagnostics {
	var answered companySettingsModel
	diags := answered.fromAPI(ctx, settings, companySettingsModel{})
	if diags.HasError() {
		return diags
	}
	for _, block := range settingsBlocks {
		filled, more := fillUnknown(ctx, *m.block(block.name), *answered.block(block.name))
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
		out = append(out, managedIn(path.Root(block.name), camelCase(block.name), nil, block.types, *m.block(block.name))...)
	}
	return out
}

func managedIn(at path.Path, block string, field []string, attrTypes map[string]attr.Type, object types.Object) []setting {
	if isUnset(object) {
		return nil
	}
	var out []setting
	values := object.Attributes()
	for _, name := range slices.Sorted(maps.Keys(attrTypes)) {
		value := values[name]
		if isUnset(value) || name == cscSecret.field || name == passwordSecret.field {
			continue
		}
		inner := append(slices.Clone(field), camelCase(name))
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
		block := lastStep(s.plain.ParentPath())
		wanted := wantedSecret{secretField: s, value: types.StringNull(), writtenSince: notes.of(s).Written}
		plain := leafText(*m.block(block), s.field)
		switch {
		case !plain.IsNull():
			wanted.value, wanted.fromPlain = plain, true
			wanted.changed = !plain.Equal(leafText(*state.block(block), s.field))
		default:
			wanted.value = leafText(m.Secrets, lastStep(s.writeOnly))
			wanted.changed = !leafText(m.Secrets, lastStep(s.version)).Equal(leafText(state.Secrets, lastStep(s.version)))
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
	*target = withLeaf(ctx, *target, names[1:], value)
}

// withLeaf returns object with one value in it replaced, by null where value is
// nil; it stays as it is where it has no such place.
func withLeaf(ctx context.Context, object types.Object, names []string, value attr.Value) types.Object {
	if isUnset(object) {
		return object
	}
	values := object.Attributes()
	held, ok := values[names[0]]
	if !ok {
		return object
	}
	var diags diag.Diagnostics
	if inner, isObject := held.(types.Object); isObject && len(names) > 1 {
		value = withLeaf(ctx, inner, names[1:], value)
	} else if value == nil {
		value, diags = nullOf(ctx, held.Type(ctx))
	}
	if diags.HasError() {
		return object
	}
	values[names[0]] = value
	replaced, diags := types.ObjectValue(object.AttributeTypes(ctx), values)
	if diags.HasError() {
		return object
	}
	return replaced
}
