package customer

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ list.ListResourceWithConfigure = (*customerListResource)(nil)

// NewListResource is the list resource einvoice_customer.
func NewListResource() list.ListResource { return &customerListResource{} }

// customerListResource finds the customers of the account.
type customerListResource struct {
	session.ResourceBase
}

func (l *customerListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_customer"
}

func (l *customerListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = session.ListSchema("Finds the customers of the account, those that orders have made included.")
}

func (l *customerListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	session.ListInto(ctx, l.Session, "customers", req, stream, (*einvoice.Client).Customers, func(found *einvoice.Customer) session.FoundObject {
		return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, session.TaxNumberShown(found.FederalTaxNumber), found.ID), State: func() (any, diag.Diagnostics) {
			var m customerModel
			diags := m.fromAPI(found)
			return m, diags
		}}
	})
}
