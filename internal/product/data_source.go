package product

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var kind = &session.Kind[einvoice.Product]{
	One: "product", Many: "products",
	Key: "code", KeyForm: "code, for example \"code=PAO-001\"",
	HasKey: func(p *einvoice.Product, code string) bool { return string(p.Code) == code },
	ID:     func(p *einvoice.Product) einvoice.Text { return p.ID },
	Get:    (*einvoice.Client).Product, Refresh: (*einvoice.Client).RefreshProduct,
	List: (*einvoice.Client).Products, Delete: (*einvoice.Client).DeleteProduct,
	Listed:  func(v *einvoice.Product) bool { return v.Listed },
	MayHide: true,
}

// NewDataSource is the data source einvoice_product.
func NewDataSource() datasource.DataSource {
	return &session.ObjectDataSource[einvoice.Product, productRecord]{
		Kind: kind, Description: "One product, by `id` or by `code`.",
		Key: schema.StringAttribute{
			MarkdownDescription: "Code of the product in your books. Set this or `id`. It is an error if several " +
				"products have it.",
			Validators: []validator.String{attribute.TextValidator{}},
		},
		Attributes: attribute.Computed(attributes(), "extra_json"), Model: recordFromAPI,
	}
}

// NewListDataSource is the data source einvoice_products.
func NewListDataSource() datasource.DataSource {
	return &session.ListDataSource[einvoice.Product, productRecord]{
		Kind:        kind,
		Description: "All products of the account, including those that orders have created.",
		Attributes:  attribute.Computed(attributes(), "extra_json"), Model: recordFromAPI,
	}
}

// NewListResource is the list resource einvoice_product.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Product]{
		Kind: kind, Description: "Finds the products and services of the account.",
		Name: func(p *einvoice.Product) string { return session.DisplayName(p.Name, p.Code, p.ID) },
		State: func(p *einvoice.Product) (any, diag.Diagnostics) {
			var m productModel
			diags := m.fromAPI(p)
			return m, diags
		},
	}
}

func recordFromAPI(p *einvoice.Product) (record productRecord) {
	record.read(p)
	return record
}
