package webhook

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// A webhook has no key of one argument: its event and its URL find it together.
var kind = &session.Kind[einvoice.Webhook]{
	One: "webhook", Many: "webhooks",
	ID:  func(w *einvoice.Webhook) einvoice.Text { return w.ID },
	Get: (*einvoice.Client).Webhook, Refresh: (*einvoice.Client).RefreshWebhook,
	List: (*einvoice.Client).Webhooks, Delete: (*einvoice.Client).DeleteWebhook,
	Attributes: dataAttributes,
	Record:     func(w *einvoice.Webhook) any { return dataFromAPI(w) },
	New:        func() session.Model[einvoice.Webhook] { return &webhookModel{} },
	MayHide:    true,
	Clean:      func(diags diag.Diagnostics) diag.Diagnostics { return withoutURLSecrets(diags) },
}

// NewListDataSource is the data source einvoice_webhooks.
func NewListDataSource() datasource.DataSource {
	return session.ListDataSource(kind, "All webhooks of the account. Needs the main company's key.")
}

// NewListResource is the list resource einvoice_webhook.
func NewListResource() list.ListResource {
	return &session.ListResource[einvoice.Webhook]{
		Kind: kind,
		Description: "Finds the webhooks of the account. It shows their URLs without the query, which may hold a " +
			"secret. With `include_resource = true` and in generated configuration the URLs are complete. Needs " +
			"the main company's key.",
		Name: func(w *einvoice.Webhook) string {
			return session.DisplayName(w.Event, einvoice.Text(ShownURL(string(w.URL))), w.ID)
		},
	}
}
