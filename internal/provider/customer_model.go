package provider

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type customerModel struct {
	ID               types.String         `tfsdk:"id"`
	Name             types.String         `tfsdk:"name"`
	LegalName        types.String         `tfsdk:"legal_name"`
	FederalTaxNumber spelled              `tfsdk:"federal_tax_number"`
	StateTaxNumber   spelled              `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String         `tfsdk:"city_tax_number"`
	Email            types.String         `tfsdk:"email"`
	Phone            spelled              `tfsdk:"phone"`
	MobilePhone      spelled              `tfsdk:"mobile_phone"`
	Address          types.Object         `tfsdk:"address"`
	ExtraJSON        jsontypes.Normalized `tfsdk:"extra_json"`
}

// fromAPI takes what the service holds; extra_json only as far as it is
// configured.
func (m *customerModel) fromAPI(c *einvoice.Customer) diag.Diagnostics {
	m.ID = keepID(m.ID, c.ID)
	m.Name = textOrNull(c.Name)
	m.LegalName = textOrNull(c.LegalName)
	m.FederalTaxNumber = spelledOrNull(taxNumberSpelling, c.FederalTaxNumber)
	m.StateTaxNumber = spelledOrNull(registrationSpelling, c.StateTaxNumber)
	m.CityTaxNumber = textOrNull(c.CityTaxNumber)
	m.Email = textOrNull(c.Email)
	m.Phone = spelledOrNull(phoneSpelling, c.Phone)
	m.MobilePhone = spelledOrNull(phoneSpelling, c.MobilePhone)
	m.Address = readAddress(m.Address, c.Address, customerAddressTypes)
	var diags diag.Diagnostics
	m.ExtraJSON, diags = projectExtra(m.ExtraJSON, c.Raw)
	return diags
}

// fillFrom completes a plan with what only the service knows.
func (m *customerModel) fillFrom(ctx context.Context, c *einvoice.Customer) diag.Diagnostics {
	m.ID = keepID(m.ID, c.ID)
	var diags diag.Diagnostics
	m.Address, diags = fillUnknown(ctx, m.Address, addressFromAPI(c.Address, customerAddressTypes))
	return diags
}

func (m *customerModel) request() einvoice.Customer {
	return einvoice.Customer{
		Name:             knownText(m.Name),
		LegalName:        knownText(m.LegalName),
		FederalTaxNumber: m.FederalTaxNumber.normalized(),
		StateTaxNumber:   m.StateTaxNumber.normalized(),
		CityTaxNumber:    knownText(m.CityTaxNumber),
		Email:            knownText(m.Email),
		Phone:            m.Phone.normalized(),
		MobilePhone:      m.MobilePhone.normalized(),
		Address:          addressRequest(m.Address),
	}
}

// agrees tells whether the service's customer is as the state has it, however
// written. The state of an import has nothing yet.
func (m *customerModel) agrees(c *einvoice.Customer) bool {
	if m.Name.IsNull() {
		return true
	}
	next := *m
	diags := next.fromAPI(c)
	return !diags.HasError() && reflect.DeepEqual(next.request(), m.request()) && next.ExtraJSON.Equal(m.ExtraJSON)
}
