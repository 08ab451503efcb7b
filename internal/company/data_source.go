package company

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var kind = &session.Kind[einvoice.Company]{
	Kind: einvoice.KindCompany,
	Key:  "federal_tax_number",
	HasKey: func(c *einvoice.Company, number string) bool {
		return attribute.TaxNumberSpelling.Same(string(c.FederalTaxNumber), number)
	},
	ID:  func(c *einvoice.Company) einvoice.Text { return c.ID },
	Get: (*einvoice.Client).Company, Refresh: einvoice.Refresh[einvoice.Company],
	List: (*einvoice.Client).Companies,
	Attributes: func() map[string]schema.Attribute {
		return attribute.Computed(attributes(), "api_key", "deletion_protection", "extra_json")
	},
	Record: func(c *einvoice.Company) any {
		var record companyRecord
		record.read(c)
		return record
	},
	Read: func(s *session.Session, c *einvoice.Company) {
		s.NoteLabel(einvoice.KindCompany.One, string(c.ID), shortLabel(string(c.Name), string(c.FederalTaxNumber)))
	},
	New: func() session.Model[einvoice.Company] { return &companyModel{} },
}

// NewDataSource is the data source einvoice_company.
func NewDataSource() datasource.DataSource {
	return session.ObjectDataSource(kind,
		"One company of the account, by `id` or by `federal_tax_number`. Needs the main company's key.",
		attribute.TaxNumberFilter("CNPJ or CPF, with or without punctuation. Set this or `id`. The lookup reads all "+
			"companies."))
}

// NewListDataSource is the data source einvoice_companies.
func NewListDataSource() datasource.DataSource {
	return session.ListDataSource(kind, "All companies of the account. Needs the main company's key.")
}

// NewListResource is the list resource einvoice_company.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Company]{
		Kind: kind,
		Description: "Finds the companies of the account, including the main one. After an import, `api_key` is an " +
			"empty string, because the service does not show the key again. Needs the main company's key.",
		Name: func(c *einvoice.Company) string {
			return session.DisplayName(c.Name, session.TaxNumberShown(c.FederalTaxNumber), c.ID)
		},
	}
}
