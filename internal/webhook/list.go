package webhook

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// NewListDataSource is the data source einvoice_webhooks. The URLs may hold
// secrets: no diagnostic shows one.
func NewListDataSource() datasource.DataSource {
	return &session.ListDataSource[einvoice.Webhook, webhookModel]{
		Plural: "webhooks", Description: "All webhooks of the account; all pages are read. Needs the main company's key.",
		Attributes: webhookDataAttributes(), Objects: (*einvoice.Client).Webhooks, Model: webhookDataFromAPI,
		Clean: func(diags diag.Diagnostics) diag.Diagnostics { return withoutURLSecrets(diags) },
	}
}

// NewListResource is the list resource einvoice_webhook.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Webhook]{
		Kind: "webhook", Plural: "webhooks",
		Description: "Finds the webhooks of the account. Their URLs are shown without the query, which may hold a secret; with `include_resource = true` and in generated configuration they are whole. Needs the main company's key.",
		Objects:     (*einvoice.Client).Webhooks,
		Found: func(found *einvoice.Webhook) session.FoundObject {
			return session.FoundObject{ID: found.ID, Name: session.DisplayName(found.Event, einvoice.Text(ShownURL(string(found.URL))), found.ID), State: func() (any, diag.Diagnostics) {
				var m webhookModel
				m.fromAPI(found)
				return m, nil
			}}
		},
	}
}
