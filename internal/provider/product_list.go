package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

var _ list.ListResourceWithConfigure = (*productListResource)(nil)

func newProductListResource() list.ListResource { return &productListResource{} }

// productListResource finds the products of the account.
type productListResource struct {
	resourceBase
}

func (l *productListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_product"
}

func (l *productListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listSchema("Finds the products and services of the account.")
}

func (l *productListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	listInto(ctx, l.session, "products", req, stream, (*einvoice.Client).Products, func(found *einvoice.Product) foundObject {
		return foundObject{id: found.ID, name: displayName(found.Name, found.Code, found.ID), state: func() (any, diag.Diagnostics) {
			var m productModel
			diags := m.fromAPI(found)
			return m, diags
		}}
	})
}
