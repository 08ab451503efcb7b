package provider

import (
	"context"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type companyModel struct {
	ID                 types.String         `tfsdk:"id"`
	Name               types.String         `tfsdk:"name"`
	LegalName          types.String         `tfsdk:"legal_name"`
	FederalTaxNumber   spelled              `tfsdk:"federal_tax_number"`
	StateTaxNumber     spelled              `tfsdk:"state_tax_number"`
	CityTaxNumber      types.String         `tfsdk:"city_tax_number"`
	Email              types.String         `tfsdk:"email"`
	Phone              spelled              `tfsdk:"phone"`
	MobilePhone        spelled              `tfsdk:"mobile_phone"`
	TaxRegime          types.String         `tfsdk:"tax_regime"`
	EconomicActivities types.List           `tfsdk:"economic_activities"`
	Address            types.Object         `tfsdk:"address"`
	DeletionProtection types.Bool           `tfsdk:"deletion_protection"`
	APIKey             types.String         `tfsdk:"api_key"`
	APIKeyMasked       types.String         `tfsdk:"api_key_masked"`
	ExtraJSON          jsontypes.Normalized `tfsdk:"extra_json"`
}

var (
	economicActivityTypes = map[string]attr.Type{"code": types.StringType, "type": types.StringType}
	economicActivityType  = types.ObjectType{AttrTypes: economicActivityTypes}
)

// fromAPI takes what the service holds; extra_json only as far as it is
// configured, and never the key, which only the answer to the creation shows.
func (m *companyModel) fromAPI(c *einvoice.Company) diag.Diagnostics {
	m.ID = keepID(m.ID, c.ID)
	m.Name = textOrNull(c.Name)
	m.LegalName = textOrNull(c.LegalName)
	m.FederalTaxNumber = spelledOrNull(taxNumberSpelling, c.FederalTaxNumber)
	m.StateTaxNumber = spelledOrNull(registrationSpelling, c.StateTaxNumber)
	m.CityTaxNumber = textOrNull(c.CityTaxNumber)
	m.Email = textOrNull(c.Email)
	m.Phone = spelledOrNull(phoneSpelling, c.Phone)
	m.MobilePhone = spelledOrNull(phoneSpelling, c.MobilePhone)
	m.TaxRegime = textOrNull(c.TaxRegime)
	m.EconomicActivities = activitiesFromAPI(c.EconomicActivities)
	m.Address = readAddress(m.Address, c.Address, addressTypes)
	m.APIKeyMasked = maskedKey(c.APIKey)
	if m.DeletionProtection.IsNull() { // As after an import.
		m.DeletionProtection = types.BoolValue(true)
	}
	if m.APIKey.IsNull() {
		// Not null: an aliased provider that is given null would fall back to the
		// environment, and issue with another company's key.
		m.APIKey = types.StringValue("")
	}
	var diags diag.Diagnostics
	m.ExtraJSON, diags = projectExtra(m.ExtraJSON, c.Raw)
	return diags
}

func activitiesFromAPI(activities []einvoice.EconomicActivity) types.List {
	if len(activities) == 0 {
		return types.ListNull(economicActivityType)
	}
	elements := make([]attr.Value, 0, len(activities))
	for _, a := range activities {
		elements = append(elements, types.ObjectValueMust(economicActivityTypes, map[string]attr.Value{
			"code": textOrNull(a.Code), "type": textOrNull(a.Type),
		}))
	}
	return types.ListValueMust(economicActivityType, elements)
}

// maskedKey is the key as a later read shows it. A service that shows it whole
// is masked here: the attribute must hold no key.
func maskedKey(shown string) types.String {
	const visible = 4
	if shown == "" || einvoice.IsMaskedKey(shown) {
		return textOrNull(einvoice.Text(shown))
	}
	if len(shown) <= 2*visible {
		return types.StringValue(strings.Repeat("*", visible))
	}
	return types.StringValue(shown[:visible] + strings.Repeat("*", visible))
}

// fillFrom completes a plan with what only the service knows, but for the key.
func (m *companyModel) fillFrom(ctx context.Context, c *einvoice.Company) diag.Diagnostics {
	m.ID = keepID(m.ID, c.ID)
	var diags diag.Diagnostics
	m.Address, diags = fillUnknown(ctx, m.Address, addressFromAPI(c.Address, addressTypes))
	return diags
}

func (m *companyModel) request() einvoice.Company {
	company := einvoice.Company{
		Name:             knownText(m.Name),
		LegalName:        knownText(m.LegalName),
		FederalTaxNumber: m.FederalTaxNumber.normalized(),
		StateTaxNumber:   m.StateTaxNumber.normalized(),
		CityTaxNumber:    knownText(m.CityTaxNumber),
		Email:            knownText(m.Email),
		Phone:            m.Phone.normalized(),
		MobilePhone:      m.MobilePhone.normalized(),
		TaxRegime:        einvoice.Enum(knownText(m.TaxRegime)),
		Address:          addressRequest(m.Address),
	}
	for _, element := range m.EconomicActivities.Elements() {
		if activity, ok := element.(types.Object); ok && !isUnset(activity) {
			leaves := activity.Attributes()
			company.EconomicActivities = append(company.EconomicActivities, einvoice.EconomicActivity{
				Code: attrText(leaves["code"]), Type: einvoice.Enum(attrText(leaves["type"])),
			})
		}
	}
	return company
}

// keyWasReplaced tells whether the key in state is certainly not the company's
// any more. A mask that shows nothing proves nothing.
func (m *companyModel) keyWasReplaced() bool {
	if isUnset(m.APIKey) || isUnset(m.APIKeyMasked) {
		return false
	}
	matches, proves := einvoice.MaskMatchesKey(m.APIKeyMasked.ValueString(), m.APIKey.ValueString())
	return proves && !matches
}

func (m *companyModel) label() string {
	return companyName(m.Name.ValueString(), m.FederalTaxNumber.ValueString(), m.ID.ValueString())
}

// agrees tells whether the service's company is as the state has it, however
// written. The state of an import has nothing yet.
func (m *companyModel) agrees(c *einvoice.Company) bool {
	if m.Name.IsNull() {
		return true
	}
	next := *m
	diags := next.fromAPI(c)
	return !diags.HasError() && reflect.DeepEqual(next.request(), m.request()) && next.ExtraJSON.Equal(m.ExtraJSON) && next.APIKeyMasked.Equal(m.APIKeyMasked)
}
