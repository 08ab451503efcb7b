package company

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// NewListDataSource is the data source einvoice_companies.
func NewListDataSource() datasource.DataSource {
	return &session.ListDataSource[einvoice.Company, companyRecord]{
		Plural: "companies", Description: "All companies of the account; all pages are read. Needs the main company's key.",
		Attributes: companyDataAttributes(), Objects: (*einvoice.Client).Companies,
		Model: func(c *einvoice.Company) companyRecord {
			var shown companyRecord
			shown.read(c)
			return shown
		},
	}
}

// NewListResource is the list resource einvoice_company.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Company]{
		Kind: "company", Plural: "companies",
		Description: "Finds the companies of the account, the main one included. Needs the main company's key. The API key of a company that is imported is not known: `api_key` is an empty string.",
		Objects:     (*einvoice.Client).Companies,
		Found: func(found *einvoice.Company) session.FoundObject {
			return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, session.TaxNumberShown(found.FederalTaxNumber), found.ID), State: func() (any, diag.Diagnostics) {
				var m companyModel
				diags := m.fromAPI(found)
				return m, diags
			}}
		},
	}
}
