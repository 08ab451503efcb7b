package product

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var kind = &session.Kind[einvoice.Product]{
	Kind:   einvoice.KindProduct,
	Key:    "code",
	HasKey: func(p *einvoice.Product, code string) bool { return codeSpelling.Same(string(p.Code), code) },
	ID:     func(p *einvoice.Product) einvoice.Text { return p.ID },
	Get:    (*einvoice.Client).Product, Refresh: einvoice.Refresh[einvoice.Product],
	List:       (*einvoice.Client).Products,
	Listed:     func(v *einvoice.Product) bool { return v.Listed },
	Attributes: func() map[string]schema.Attribute { return attribute.Computed(attributes(), "extra_json") },
	Record: func(c *einvoice.Product) any {
		var record productRecord
		record.read(c)
		return record
	},
	New: func() session.Model[einvoice.Product] { return &productModel{} },
}

// NewDataSource is the data source einvoice_product.
func NewDataSource() datasource.DataSource {
	code := attribute.TextFilter("Code of the product in your books. Set this or `id`. It is an error if several "+
		"products have it.", attribute.TextValidator{})
	code.CustomType = attribute.SpelledType{Spelling: codeSpelling}
	return session.ObjectDataSource(kind, "One product, by `id` or by `code`.", code)
}

// NewListDataSource is the data source einvoice_products.
func NewListDataSource() datasource.DataSource {
	return session.ListDataSource(kind, "All products of the account, including those that orders have created.")
}

// NewListResource is the list resource einvoice_product.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Product]{
		Kind: kind, Description: "Finds the products and services of the account.",
		Name: func(p *einvoice.Product) string { return session.DisplayName(p.Name, p.Code, p.ID) },
	}
}
