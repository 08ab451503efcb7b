package webhook

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// NewDataSource is the data source einvoice_webhook.
func NewDataSource() datasource.DataSource {
	attributes := shown.Attributes(webhookFields)
	attributes["id"] = session.FoundBy("Identifier of the webhook. Set this, or `event` and `url`.",
		attribute.TextValidator{})
	attributes["event"] = session.FoundBy("The event: "+attribute.WordList(einvoice.WebhookEvents)+".",
		attribute.EnumValidator{Words: einvoice.WebhookEvents})
	attributes["url"] = session.FoundBy("Where the event is sent, with its query. "+
		"Messages of this provider do not show its query.", webhookURLValidator)
	id, event, url := path.MatchRoot("id"), path.MatchRoot("event"), path.MatchRoot("url")
	return &session.DataSource[types.Object]{
		Name: "webhook", Attributes: attributes, Fill: readWebhook,
		Description: "One webhook, by `id` or by `event` and `url`. Needs the main company's key.",
		Validators: []datasource.ConfigValidator{
			datasourcevalidator.AtLeastOneOf(id, event, url),
			datasourcevalidator.RequiredTogether(event, url),
			datasourcevalidator.Conflicting(id, event),
			datasourcevalidator.Conflicting(id, url),
		},
	}
}

// webhookFields are what the service tells of a webhook, and no more.
func webhookFields(w *einvoice.Webhook) shown.Fields {
	return shown.Fields{
		"id":    shown.Text("Identifier of the webhook at the service (a UUID).", w.ID),
		"event": shown.Text("The event: "+attribute.WordList(einvoice.WebhookEvents)+".", w.Event),
		"url":   shown.Text("Where the event is sent. It may hold a secret in its query.", w.URL),
		"enabled": shown.Flag("Whether events are sent. The service disables a webhook after failed deliveries. "+
			"Null if the service does not say.", w.Enabled),
	}
}

func readWebhook(ctx context.Context, reading *session.Session, m *types.Object) (diags diag.Diagnostics) {
	var webhook *einvoice.Webhook
	id, url := m.Attributes()["id"], string(attribute.AttrText(m.Attributes()["url"]))
	if id.IsNull() {
		event := string(attribute.AttrText(m.Attributes()["event"]))
		webhook, diags = webhookFor(ctx, reading.Client, "read", event, url)
	} else {
		var err error
		id := string(attribute.AttrText(id))
		if webhook, err = reading.Client.Webhook(ctx, id); err != nil {
			diags = message.ReadError(ctx, "webhook", "id", id, err)
		}
	}
	if !diags.HasError() {
		*m = webhookFields(webhook).Into(ctx, *m)
	}
	return withoutURLSecrets(diags, url)
}

// webhookFor walks all webhooks of the account. verb is "read" or "import".
func webhookFor(
	ctx context.Context, client *einvoice.Client, verb, event, url string,
) (*einvoice.Webhook, diag.Diagnostics) {
	isWanted := func(w *einvoice.Webhook) bool { return isTarget(w, event, url) }
	found, err := einvoice.Matching(client.Webhooks(ctx), isWanted)
	if err != nil {
		return nil, message.APIError(ctx, message.Task(verb, "webhook"), err, nil)
	}
	switch len(found) {
	case 0:
		return nil, say.ErrorAt(ctx, path.Root("url"), "webhook.not_found", text.With{
			"event": event, "url": ShownURL(url),
		})
	case 1:
		return found[0], nil
	}
	return nil, say.ErrorAt(ctx, path.Root("url"), "webhook.several", text.With{
		"count": len(found), "event": event, "url": ShownURL(url), "ids": message.IDs(found, kind.ID),
	})
}

// A webhook has no key of one argument: its event and its URL find it together.
var kind = &session.Kind[einvoice.Webhook]{
	Kind: einvoice.KindWebhook,
	ID:   func(w *einvoice.Webhook) einvoice.Text { return w.ID },
	Get:  (*einvoice.Client).Webhook, Refresh: einvoice.Refresh[einvoice.Webhook],
	List:       (*einvoice.Client).Webhooks,
	Attributes: func() map[string]schema.Attribute { return shown.Attributes(webhookFields) },
	Record:     func(w *einvoice.Webhook) any { return shown.Value(w, webhookFields) },
	New:        func() session.Model[einvoice.Webhook] { return &webhookModel{} },
	Listed:     func(w *einvoice.Webhook) bool { return w.Listed },
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
			return session.DisplayName(einvoice.Text(w.Event), einvoice.Text(ShownURL(string(w.URL))), w.ID)
		},
	}
}
