package webhook

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*webhookSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*webhookSource)(nil)
)

// NewDataSource is the data source einvoice_webhook.
func NewDataSource() datasource.DataSource { return &webhookSource{} }

type webhookSource struct {
	session.DataSourceBase
}

// dataFromAPI shows what the service tells, and no more.
func dataFromAPI(w *einvoice.Webhook) webhookModel {
	return webhookModel{
		ID: attribute.TextOrNull(w.ID), Event: attribute.TextOrNull(w.Event),
		URL: attribute.TextOrNull(w.URL), Enabled: attribute.FlagOrNull(w.Enabled),
	}
}

func (d *webhookSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_webhook"
}

func (d *webhookSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := dataAttributes()
	attributes["id"] = session.IDArgument("Identifier of the webhook. Set this, or `event` and `url`.")
	attributes["event"] = schema.StringAttribute{
		MarkdownDescription: "The event: " + attribute.WordList(webhookEvents) + ".",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.EnumValidator{Words: webhookEvents}},
	}
	attributes["url"] = schema.StringAttribute{
		MarkdownDescription: "Where the event is sent, exactly as it was given. " +
			"Messages of this provider do not show its query.",
		Optional: true, Computed: true, Validators: []validator.String{webhookURLValidator},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One webhook, by `id` or by `event` and `url`. Needs the main company's key.",
		Attributes:          attributes,
	}
}

// dataAttributes describes a webhook as it is read.
func dataAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":    attribute.ComputedText("Identifier of the webhook at the service (a UUID)."),
		"event": attribute.ComputedText("The event: " + attribute.WordList(webhookEvents) + "."),
		"url":   attribute.ComputedText("Where the event is sent. It may hold a secret in its query."),
		"enabled": schema.BoolAttribute{
			MarkdownDescription: "Whether events are sent. The service disables a webhook after failed deliveries. " +
				"Null if the service does not say.",
			Computed: true,
		},
	}
}

func (d *webhookSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	id, event, url := path.MatchRoot("id"), path.MatchRoot("event"), path.MatchRoot("url")
	return []datasource.ConfigValidator{
		datasourcevalidator.AtLeastOneOf(id, event, url),
		datasourcevalidator.RequiredTogether(event, url),
		datasourcevalidator.Conflicting(id, event),
		datasourcevalidator.Conflicting(id, url),
	}
}

func (d *webhookSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config webhookModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(d.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	webhook, diags := d.find(ctx, &config)
	resp.Diagnostics.Append(withoutURLSecrets(diags, config.URL.ValueString())...)
	if diags.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, dataFromAPI(webhook))...)
}

func (d *webhookSource) find(ctx context.Context, config *webhookModel) (*einvoice.Webhook, diag.Diagnostics) {
	if !config.ID.IsNull() {
		webhook, err := d.Client.Webhook(ctx, config.ID.ValueString())
		if err != nil {
			return nil, message.ReadError(ctx, "webhook", "id", config.ID.ValueString(), err)
		}
		return webhook, nil
	}
	return webhookFor(ctx, d.Client, "read webhook", config.Event.ValueString(), config.URL.ValueString())
}

// webhookFor walks all webhooks of the account. task reads "read webhook".
func webhookFor(
	ctx context.Context, client *einvoice.Client, task, event, url string,
) (*einvoice.Webhook, diag.Diagnostics) {
	found, err := einvoice.Matching(client.Webhooks(ctx), func(w *einvoice.Webhook) bool {
		return string(w.Event) == event && string(w.URL) == url
	})
	if err != nil {
		return nil, message.APIError(ctx, task, err, nil)
	}
	var diags diag.Diagnostics
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		diags.AddAttributeError(path.Root("url"), "Webhook not found", fmt.Sprintf(
			"No webhook sends %s to %q. The URL must be exactly the one that the webhook was created with, "+
				"its query included. Check also that `api_key` is the main company's.", event, ShownURL(url)))
	default:
		var ids []string
		for _, w := range found {
			ids = append(ids, string(w.ID))
		}
		diags.AddAttributeError(path.Root("url"), "Webhook is not the only one", fmt.Sprintf(
			"%d webhooks send %s to %q. Use `id` to choose one: %s.",
			len(found), event, ShownURL(url), strings.Join(ids, ", ")))
	}
	return nil, diags
}
