package customer

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var kind = &session.Kind[einvoice.Customer]{
	Kind: einvoice.KindCustomer,
	Key:  "federal_tax_number",
	HasKey: func(c *einvoice.Customer, number string) bool {
		return attribute.TaxNumberSpelling.Same(string(c.FederalTaxNumber), number)
	},
	ID:  func(c *einvoice.Customer) einvoice.Text { return c.ID },
	Get: (*einvoice.Client).Customer, Refresh: einvoice.Refresh[einvoice.Customer],
	List:       (*einvoice.Client).Customers,
	Listed:     func(v *einvoice.Customer) bool { return v.Listed },
	Attributes: func() map[string]schema.Attribute { return attribute.Computed(attributes(), "extra_json") },
	Record: func(c *einvoice.Customer) any {
		var record customerRecord
		record.read(c)
		return record
	},
	New: func() session.Model[einvoice.Customer] { return &customerModel{} },
}

// NewDataSource is the data source einvoice_customer.
func NewDataSource() datasource.DataSource {
	return session.ObjectDataSource(kind, "One customer, by `id` or by `federal_tax_number`.",
		attribute.TaxNumberFilter("CPF, CNPJ or foreign document, with or without punctuation. Set this or `id`."))
}

// NewListDataSource is the data source einvoice_customers.
func NewListDataSource() datasource.DataSource {
	return session.ListDataSource(kind, "All customers of the account, including those that orders have created.")
}

// NewListResource is the list resource einvoice_customer.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Customer]{
		Kind: kind, Description: "Finds the customers of the account, including those that orders have created.",
		Name: func(c *einvoice.Customer) string {
			return session.DisplayName(c.Name, session.TaxNumberShown(c.FederalTaxNumber), c.ID)
		},
	}
}
