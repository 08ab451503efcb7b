package product

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ list.ListResourceWithConfigure = (*productListResource)(nil)

// NewListResource is the list resource einvoice_product.
func NewListResource() list.ListResource { return &productListResource{} }

// productListResource finds the products of the account.
type productListResource struct {
	session.ResourceBase
}

func (l *productListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_product"
}

func (l *productListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = session.ListSchema("Finds the products and services of the account.")
}

func (l *productListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	session.ListInto(ctx, l.Session, "products", req, stream, (*einvoice.Client).Products, func(found *einvoice.Product) session.FoundObject {
		return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Name, found.Code, found.ID), State: func() (any, diag.Diagnostics) {
			var m productModel
			diags := m.fromAPI(found)
			return m, diags
		}}
	})
}
