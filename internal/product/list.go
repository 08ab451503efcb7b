package product

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// NewListDataSource is the data source einvoice_products.
func NewListDataSource() datasource.DataSource {
	return &session.ListDataSource[einvoice.Product, productDataModel]{
		Plural: "products", Description: "All products of the account, those that orders have made included; all pages are read.",
		Attributes: productDataAttributes(), Objects: (*einvoice.Client).Products, Model: productDataFromAPI,
	}
}

// NewListResource is the list resource einvoice_product.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Product]{
		Kind: "product", Plural: "products", Description: "Finds the products and services of the account.",
		Objects: (*einvoice.Client).Products,
		Found: func(found *einvoice.Product) session.FoundObject {
			return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, found.Code, found.ID), State: func() (any, diag.Diagnostics) {
				var m productModel
				diags := m.fromAPI(found)
				return m, diags
			}}
		},
	}
}
