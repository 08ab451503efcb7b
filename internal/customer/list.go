package customer

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// NewListDataSource is the data source einvoice_customers.
func NewListDataSource() datasource.DataSource {
	return &session.ListDataSource[einvoice.Customer, customerDataModel]{
		Plural: "customers", Description: "All customers of the account, those that orders have made included; all pages are read.",
		Attributes: customerDataAttributes(), Objects: (*einvoice.Client).Customers, Model: customerDataFromAPI,
	}
}

// NewListResource is the list resource einvoice_customer.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Customer]{
		Kind: "customer", Plural: "customers", Description: "Finds the customers of the account, those that orders have made included.",
		Objects: (*einvoice.Client).Customers,
		Found: func(found *einvoice.Customer) session.FoundObject {
			return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, session.TaxNumberShown(found.FederalTaxNumber), found.ID), State: func() (any, diag.Diagnostics) {
				var m customerModel
				diags := m.fromAPI(found)
				return m, diags
			}}
		},
	}
}
