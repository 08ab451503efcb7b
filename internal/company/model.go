package company

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type companyModel struct {
	companyRecord

	DeletionProtection types.Bool     `tfsdk:"deletion_protection"`
	APIKey             types.String   `tfsdk:"api_key"`
	ExtraJSON          attribute.JSON `tfsdk:"extra_json"`
}

// companyRecord is a company as the service shows it, in the resource and in the
// data sources.
type companyRecord struct {
	ID                 types.String      `tfsdk:"id"`
	Name               types.String      `tfsdk:"name"`
	LegalName          types.String      `tfsdk:"legal_name"`
	FederalTaxNumber   attribute.Spelled `tfsdk:"federal_tax_number"`
	StateTaxNumber     attribute.Spelled `tfsdk:"state_tax_number"`
	CityTaxNumber      types.String      `tfsdk:"city_tax_number"`
	Email              types.String      `tfsdk:"email"`
	Phone              attribute.Spelled `tfsdk:"phone"`
	MobilePhone        attribute.Spelled `tfsdk:"mobile_phone"`
	TaxRegime          types.String      `tfsdk:"tax_regime"`
	EconomicActivities types.List        `tfsdk:"economic_activities"`
	Address            types.Object      `tfsdk:"address"`
	APIKeyMasked       types.String      `tfsdk:"api_key_masked"`
}

var (
	economicActivityTypes = map[string]attr.Type{"code": types.StringType, "type": types.StringType}
	economicActivityType  = types.ObjectType{AttrTypes: economicActivityTypes}
)

func (m *companyRecord) read(c *einvoice.Company) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	m.Name = attribute.TextOrNull(c.Name)
	m.LegalName = attribute.TextOrNull(c.LegalName)
	m.FederalTaxNumber = attribute.SpelledOrNull(attribute.TaxNumberSpelling, c.FederalTaxNumber)
	m.StateTaxNumber = attribute.SpelledOrNull(attribute.RegistrationSpelling, c.StateTaxNumber)
	m.CityTaxNumber = attribute.TextOrNull(c.CityTaxNumber)
	m.Email = attribute.TextOrNull(c.Email)
	m.Phone = attribute.SpelledOrNull(attribute.PhoneSpelling, c.Phone)
	m.MobilePhone = attribute.SpelledOrNull(attribute.PhoneSpelling, c.MobilePhone)
	m.TaxRegime = attribute.TextOrNull(c.TaxRegime)
	m.EconomicActivities = readActivities(m.EconomicActivities, c.EconomicActivities)
	m.Address = attribute.ReadAddress(m.Address, c.Address, attribute.AddressTypes)
	m.APIKeyMasked = maskedKey(c.APIKey)
}

// FromAPI takes the values of the service's company: in extra_json only those of the configured keys, and never the API
// key, which only the response to the creation shows.
func (m *companyModel) FromAPI(c *einvoice.Company) diag.Diagnostics {
	m.read(c)
	if m.DeletionProtection.IsNull() { // As after an import.
		m.DeletionProtection = types.BoolValue(true)
	}
	if m.APIKey.IsNull() {
		// Not null: an aliased provider that is given null would fall back to the
		// environment, and issue with another company's key.
		m.APIKey = types.StringValue("")
	}
	var diags diag.Diagnostics
	m.ExtraJSON, diags = attribute.ProjectExtra(m.ExtraJSON, c.Raw)
	return diags
}

// readActivities keeps the list of the configuration where the service holds the same
// activities: their order says nothing, and a code (CNAE) may be written 1091-1/02.
func readActivities(prior types.List, activities []einvoice.EconomicActivity) types.List {
	if len(activities) == 0 {
		return types.ListNull(economicActivityType)
	}
	elements := make([]attr.Value, 0, len(activities))
	for _, a := range activities {
		elements = append(elements, types.ObjectValueMust(economicActivityTypes, map[string]attr.Value{
			"code": attribute.TextOrNull(a.Code), "type": attribute.TextOrNull(a.Type),
		}))
	}
	held := types.ListValueMust(economicActivityType, elements)
	if !prior.IsUnknown() && slices.Equal(activityNames(prior), activityNames(held)) {
		return prior
	}
	return held
}

// activityNames are the activities of a list, sorted, without punctuation.
func activityNames(list types.List) []string {
	var names []string
	for _, element := range list.Elements() {
		names = append(names, strings.Map(func(r rune) rune {
			if strings.ContainsRune("-/. ", r) {
				return -1
			}
			return r
		}, element.String()))
	}
	slices.Sort(names)
	return names
}

// maskedKey is the key as a later read shows it. A service that shows it whole
// is masked here: the attribute must hold no key.
func maskedKey(shown string) types.String {
	if shown == "" || einvoice.IsMasked(shown) {
		return attribute.TextOrNull(einvoice.Text(shown))
	}
	visible := 4
	if len(shown) <= 2*visible {
		visible = 0
	}
	return types.StringValue(shown[:visible] + "****")
}

// fillFrom completes a plan with the id and, in the address, the values that the configuration leaves to the service.
func (m *companyModel) fillFrom(ctx context.Context, c *einvoice.Company) (diags diag.Diagnostics) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	held := attribute.AddressFromAPI(c.Address, attribute.AddressTypes)
	m.Address, diags = attribute.FillUnknown(ctx, m.Address, held)
	return diags
}

func (m *companyModel) request() einvoice.Company {
	company := einvoice.Company{
		Name:             attribute.KnownText(m.Name),
		LegalName:        attribute.KnownText(m.LegalName),
		FederalTaxNumber: einvoice.TaxNumber(m.FederalTaxNumber.Normalized()),
		StateTaxNumber:   m.StateTaxNumber.Normalized(),
		CityTaxNumber:    attribute.KnownText(m.CityTaxNumber),
		Email:            attribute.KnownText(m.Email),
		Phone:            m.Phone.Normalized(),
		MobilePhone:      m.MobilePhone.Normalized(),
		TaxRegime:        einvoice.Enum(attribute.KnownText(m.TaxRegime)),
		Address:          attribute.AddressRequest(m.Address),
	}
	for _, element := range m.EconomicActivities.Elements() {
		if activity, ok := element.(types.Object); ok && !attribute.IsUnset(activity) {
			leaves := activity.Attributes()
			company.EconomicActivities = append(company.EconomicActivities, einvoice.EconomicActivity{
				Code: attribute.AttrText(leaves["code"]), Type: einvoice.Enum(attribute.AttrText(leaves["type"])),
			})
		}
	}
	return company
}

// keyWasReplaced reports whether the key in state is certainly not the company's any more. A mask that shows nothing
// proves nothing.
func (m *companyModel) keyWasReplaced() bool {
	matches, proves := einvoice.MaskMatchesKey(m.APIKeyMasked.ValueString(), m.APIKey.ValueString())
	return proves && !matches
}

func (m *companyModel) label() text.Text {
	return companyLabel(m.Name.ValueString(), m.FederalTaxNumber.ValueString(), m.ID.ValueString())
}

// companyLabel names a company in a text: one that is gone from the configuration has no source line to name it.
func companyLabel[T, N ~string](name T, taxNumber N, id T) text.Text {
	return text.Of("company.label", text.With{"name": string(name), "number": taxNumber, "id": id})
}

func shortLabel(name, number string) text.Text {
	return text.Of("company.short", text.With{"name": name, "number": fiscal.FormatTaxNumber(number)})
}

// Agrees reports whether the service's company has the values of the state.
func (m *companyModel) Agrees(c *einvoice.Company) bool {
	next := *m
	diags := next.FromAPI(c)
	return !diags.HasError() && session.SameRequest(next.request(), m.request()) &&
		next.ExtraJSON.Equal(m.ExtraJSON) && next.APIKeyMasked.Equal(m.APIKeyMasked)
}
