package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type customerModel struct {
	customerRecord

	ExtraJSON attribute.JSON `tfsdk:"extra_json"`
}

// customerRecord is a customer in the resource and in the data sources.
type customerRecord struct {
	ID               types.String      `tfsdk:"id"`
	Name             types.String      `tfsdk:"name"`
	LegalName        types.String      `tfsdk:"legal_name"`
	FederalTaxNumber attribute.Spelled `tfsdk:"federal_tax_number"`
	StateTaxNumber   attribute.Spelled `tfsdk:"state_tax_number"`
	CityTaxNumber    types.String      `tfsdk:"city_tax_number"`
	Email            types.String      `tfsdk:"email"`
	Phone            attribute.Spelled `tfsdk:"phone"`
	MobilePhone      attribute.Spelled `tfsdk:"mobile_phone"`
	Address          types.Object      `tfsdk:"address"`
}

func (m *customerRecord) read(c *einvoice.Customer) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	m.Name = attribute.TextOrNull(c.Name)
	m.LegalName = attribute.TextOrNull(c.LegalName)
	m.FederalTaxNumber = attribute.SpelledOrNull(attribute.TaxNumberSpelling, c.FederalTaxNumber)
	m.StateTaxNumber = attribute.SpelledOrNull(attribute.RegistrationSpelling, c.StateTaxNumber)
	m.CityTaxNumber = attribute.TextOrNull(c.CityTaxNumber)
	m.Email = attribute.TextOrNull(c.Email)
	m.Phone = attribute.SpelledOrNull(attribute.PhoneSpelling, c.Phone)
	m.MobilePhone = attribute.SpelledOrNull(attribute.PhoneSpelling, c.MobilePhone)
	m.Address = attribute.ReadAddress(m.Address, c.Address, attribute.CustomerAddressTypes)
}

// FromAPI takes the values of the service's customer, and in extra_json only those of the configured keys.
func (m *customerModel) FromAPI(c *einvoice.Customer) (diags diag.Diagnostics) {
	m.read(c)
	m.ExtraJSON, diags = attribute.ProjectExtra(m.ExtraJSON, c.Raw)
	return diags
}

// fillFrom completes a plan with the id and, in the address, the values that the configuration leaves to the service.
func (m *customerModel) fillFrom(ctx context.Context, c *einvoice.Customer) (diags diag.Diagnostics) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	held := attribute.AddressFromAPI(c.Address, attribute.CustomerAddressTypes)
	m.Address, diags = attribute.FillUnknown(ctx, m.Address, held)
	return diags
}

func (m *customerModel) request() einvoice.Customer {
	return einvoice.Customer{
		Name:             attribute.KnownText(m.Name),
		LegalName:        attribute.KnownText(m.LegalName),
		FederalTaxNumber: einvoice.TaxNumber(m.FederalTaxNumber.Normalized()),
		StateTaxNumber:   m.StateTaxNumber.Normalized(),
		CityTaxNumber:    attribute.KnownText(m.CityTaxNumber),
		Email:            attribute.KnownText(m.Email),
		Phone:            m.Phone.Normalized(),
		MobilePhone:      m.MobilePhone.Normalized(),
		Address:          attribute.AddressRequest(m.Address),
	}
}

// Agrees reports whether the service's customer has the values of the state.
func (m *customerModel) Agrees(c *einvoice.Customer) bool {
	next := *m
	diags := next.FromAPI(c)
	return !diags.HasError() && session.SameRequest(next.request(), m.request()) && next.ExtraJSON.Equal(m.ExtraJSON)
}
