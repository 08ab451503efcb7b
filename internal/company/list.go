package company

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ list.ListResourceWithConfigure = (*companyListResource)(nil)

// NewListResource is the list resource einvoice_company.
func NewListResource() list.ListResource { return &companyListResource{} }

// companyListResource finds the companies of the account.
type companyListResource struct {
	session.ResourceBase
}

func (l *companyListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_company"
}

func (l *companyListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = session.ListSchema("Finds the companies of the account, the main one included. Needs the main company's key. The API key of a company that is imported is not known: `api_key` is an empty string.")
}

func (l *companyListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	session.ListInto(ctx, l.Session, "companies", req, stream, (*einvoice.Client).Companies, func(found *einvoice.Company) session.FoundObject {
		return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, session.TaxNumberShown(found.FederalTaxNumber), found.ID), State: func() (any, diag.Diagnostics) {
			var m companyModel
			diags := m.fromAPI(found)
			return m, diags
		}}
	})
}
