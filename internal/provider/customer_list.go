package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

var _ list.ListResourceWithConfigure = (*customerListResource)(nil)

func newCustomerListResource() list.ListResource { return &customerListResource{} }

// customerListResource finds the customers of the account.
type customerListResource struct {
	resourceBase
}

func (l *customerListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_customer"
}

func (l *customerListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listSchema("Finds the customers of the account, those that orders have made included.")
}

func (l *customerListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	listInto(ctx, l.session, "customers", req, stream, (*einvoice.Client).Customers, func(found *einvoice.Customer) foundObject {
		return foundObject{id: found.ID, name: displayName(found.Name, taxNumberShown(found.FederalTaxNumber), found.ID), state: func() (any, diag.Diagnostics) {
			var m customerModel
			diags := m.fromAPI(found)
			return m, diags
		}}
	})
}
