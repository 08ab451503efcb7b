// Package webhook is where the service sends its events, and the secret that they
// are signed with: a resource, data sources, a list resource and an ephemeral
// resource. A URL may hold a secret, which no message shows.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ session.Managed = (*webhookResource)(nil)

// NewResource is einvoice_webhook.
func NewResource() resource.Resource {
	return &webhookResource{session.ObjectResource[einvoice.Webhook]{Kind: kind}}
}

// webhookResource sends one event of the account to one URL. Two sub-routes change whether it is
// enabled, and the service itself disables one after failed deliveries. Only the creation is
// specified. The URL may hold a secret: every diagnostic passes withoutURLSecrets.
type webhookResource struct {
	session.ObjectResource[einvoice.Webhook]
}

func (r *webhookResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Sends one event of all companies of the account to a URL. For several events, create " +
			"several webhooks. Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"id": attribute.ID("webhook"),
			"event": attribute.Required(attribute.TextWith("The event: "+attribute.WordList(einvoice.WebhookEvents)+
				". `invoice.status_changed` covers every change of an issued invoice's status.",
				attribute.EnumValidator{Words: einvoice.WebhookEvents})),
			"url": attribute.Required(attribute.TextWith("Where the event is sent: `https`, or `http` on loopback "+
				"only. Verify the signature of deliveries instead of putting a secret into the query: the state "+
				"contains the query, and plans show it unless the value is sensitive. Messages of this provider do "+
				"not.",
				webhookURLValidator)),
			"enabled": attribute.Flag("Whether events are sent. Defaults to `true`. The service disables a webhook "+
				"after failed deliveries: the plan shows `false` to `true`, and apply enables it again.", true),
		},
	}
}

func (r *webhookResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan webhookModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	event, url := plan.Event.ValueString(), plan.URL.ValueString()
	creation := creation(event, url)
	created, diags := session.Create(ctx, r.Session, kind, creation, resp.Private)
	if created.Err != nil {
		diags = session.CreationRefused(ctx, r.Session, kind, creation, creation.Match, created.Err, req.Plan.Schema)
	}
	if resp.Diagnostics.Append(withoutURLSecrets(diags, url)...); diags.HasError() {
		return
	}
	webhook, wanted := created.Object, plan.Enabled
	plan.ID = attribute.KeepID(plan.ID, webhook.ID)
	plan.Enabled = types.BoolValue(true)
	if webhook.Enabled != nil {
		plan.Enabled = attribute.FlagOrNull(webhook.Enabled)
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	if !plan.Enabled.Equal(wanted) {
		resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	}
	if err := r.switchTo(ctx, &plan, wanted); err != nil {
		now := fmt.Sprintf("exists, with `enabled = %t`.", plan.Enabled.ValueBool())
		again := "Then apply again: on the same machine this adopts the webhook. A runner that keeps nothing has to " +
			"run `terraform untaint` with the resource's address first, or it creates another webhook."
		if !created.Found && errors.Is(err, einvoice.ErrMissing) &&
			r.Client.Delete(ctx, kind.Kind, plan.ID.ValueString()) == nil {
			now, again = "was created, and the provider deleted it again.", "Then apply again."
			r.ForgetCreation(ctx, resp.Private)
			resp.State.RemoveResource(ctx)
		}
		resp.Diagnostics.Append(r.LeaveToNextRun(ctx, resp.Private)...)
		resp.Diagnostics.Append(withoutURLSecrets(switchFailed(&plan, err, now, again), url)...)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	plan.readTarget(webhook)
	resp.Diagnostics.Append(withoutURLSecrets(attribute.WarnOfUnkept(ctx, resp.State, plan, resp.Private), url)...)
}

// creation is how a webhook comes to be, and how it is known again.
func creation(event, url string) session.Creation[einvoice.Webhook] {
	return session.Creation[einvoice.Webhook]{
		What:   fmt.Sprintf("webhook for %s to %s", event, ShownURL(url)),
		Fields: einvoice.Webhook{Event: einvoice.Enum(event), URL: einvoice.Text(url)}, Named: true,
		Send: func(ctx context.Context, client *einvoice.Client, guard einvoice.Guard) (*einvoice.Webhook, error) {
			return client.CreateWebhook(ctx, event, url, guard)
		},
		Answers: func(w *einvoice.Webhook) bool {
			isEvent := w.Event == "" || string(w.Event) == event
			return isEvent && (w.URL == "" || sameURL(string(w.URL), url))
		},
		Match: func(w *einvoice.Webhook) bool { return string(w.Event) == event && string(w.URL) == url },
		Unshown: func(id string) *einvoice.Webhook {
			return &einvoice.Webhook{ID: einvoice.Text(id), Event: einvoice.Enum(event), URL: einvoice.Text(url)}
		},
	}
}

// switchTo enables or disables the webhook where it is not as wanted already.
func (r *webhookResource) switchTo(ctx context.Context, m *webhookModel, wanted types.Bool) error {
	if m.Enabled.Equal(wanted) {
		return nil
	}
	_, err := r.Client.SetWebhookEnabled(ctx, m.ID.ValueString(), wanted.ValueBool())
	if err == nil {
		m.Enabled = wanted
	}
	return err
}

// switchFailed says that a webhook could not be enabled or disabled, and what there is now. again
// says what to do once the service can, or the configuration asks for what there is.
func switchFailed(m *webhookModel, err error, now, again string) diag.Diagnostics {
	summary := "Cannot disable webhook"
	if !m.Enabled.ValueBool() {
		summary = "Cannot enable webhook"
	}
	now = "Webhook " + m.ID.ValueString() + " " + now
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	if !isAnswer {
		return message.Error(summary, message.SentenceCase(message.Reason(err)), now)
	}
	advice := message.Applying.Advice(err)
	if failure.Missing != "" {
		advice = message.MissingOperation(failure.Missing) +
			fmt.Sprintf(" Or set `enabled = %t`. ", m.Enabled.ValueBool()) + again
	}
	return message.Error(summary, message.RefusalWords(failure), now, advice, message.Reference(failure))
}

func (r *webhookResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var url types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("url"), &url)...)
	r.ObjectResource.Read(ctx, req, resp)
	resp.Diagnostics = withoutURLSecrets(resp.Diagnostics, url.ValueString())
}

// Update sends event and url only when they differ, with the rest of the webhook as the service
// holds it. Whether a PUT resets enabled is not specified, so it goes by what the answer says.
func (r *webhookResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state webhookModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	next := state
	if !plan.Event.Equal(state.Event) || !plan.URL.Equal(state.URL) {
		webhook, err := r.Client.Webhook(ctx, state.ID.ValueString())
		if r.Client.ShowsNone(ctx, err) { // All that is known of it is sent.
			webhook, err = &einvoice.Webhook{ID: einvoice.Text(state.ID.ValueString()), Raw: json.RawMessage(`{}`)}, nil
		}
		if err == nil {
			webhook, err = r.Client.UpdateWebhook(ctx, webhook, plan.Event.ValueString(), plan.URL.ValueString())
		}
		if err != nil {
			diags := message.APIError(ctx, "update webhook", err, req.Plan.Schema)
			resp.Diagnostics.Append(withoutURLSecrets(diags, plan.URL.ValueString(), state.URL.ValueString())...)
			return
		}
		next.Event, next.URL = plan.Event, plan.URL
		if webhook.Enabled != nil {
			next.Enabled = attribute.FlagOrNull(webhook.Enabled)
		}
		held := next
		held.readTarget(webhook)
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
		diags := attribute.WarnOfUnkept(ctx, resp.State, held, resp.Private)
		resp.Diagnostics.Append(withoutURLSecrets(diags, plan.URL.ValueString())...)
	}
	if err := r.switchTo(ctx, &next, plan.Enabled); err != nil {
		now := fmt.Sprintf("still has `enabled = %t`.", next.Enabled.ValueBool())
		diags := switchFailed(&next, err, now, "Then apply again.")
		resp.Diagnostics.Append(withoutURLSecrets(diags, plan.URL.ValueString())...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
}

func (r *webhookResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state webhookModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	label := state.Event.ValueString() + " to " + ShownURL(state.URL.ValueString())
	diags := session.DeleteObject(ctx, r.Session, kind, state.ID, label)
	resp.Diagnostics.Append(withoutURLSecrets(diags, state.URL.ValueString())...)
}

func (r *webhookResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	event, url, byTarget, ok := importedTarget(req.ID)
	if !ok { // What was given is not shown: it may hold a URL with a secret.
		resp.Diagnostics.AddError("Invalid import ID", "The import ID must be the id of a webhook (a UUID), "+
			"or `event=EVENT,url=URL`, "+
			"for example \"event=invoice.authorized,url=https://erp.example.com/hooks\".")
		return
	}
	if byTarget {
		if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
			return
		}
		webhook, diags := webhookFor(ctx, r.Client, "import webhook", event, url)
		resp.Diagnostics.Append(withoutURLSecrets(diags, url)...)
		if diags.HasError() {
			return
		}
		req.ID = string(webhook.ID)
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// importedTarget reads an id, or event=...,url=... The URL goes to the end: it may have commas and
// equals signs of its own.
func importedTarget(text string) (event, url string, byTarget, ok bool) {
	target, byTarget, ok := attribute.ImportedBy("event", text)
	if !byTarget || !ok {
		return "", "", false, ok
	}
	event, url, ok = strings.Cut(target, ",url=")
	return event, url, true, ok && event != "" && url != ""
}
