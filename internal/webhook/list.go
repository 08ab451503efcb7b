package webhook

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ list.ListResourceWithConfigure = (*webhookListResource)(nil)

// NewListResource is the list resource einvoice_webhook.
func NewListResource() list.ListResource { return &webhookListResource{} }

// webhookListResource finds the webhooks of the account.
type webhookListResource struct {
	session.ResourceBase
}

func (l *webhookListResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_webhook"
}

func (l *webhookListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = session.ListSchema("Finds the webhooks of the account. Their URLs are shown without the query, which may hold a secret; with `include_resource = true` and in generated configuration they are whole. Needs the main company's key.")
}

func (l *webhookListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	session.ListInto(ctx, l.Session, "webhooks", req, stream, (*einvoice.Client).Webhooks, func(found *einvoice.Webhook) session.FoundObject {
		return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Event, einvoice.Text(ShownURL(string(found.URL))), found.ID), State: func() (any, diag.Diagnostics) {
			var m webhookModel
			m.fromAPI(found)
			return m, nil
		}}
	})
}
