// Package webhook is where the service sends its events, and the secret that signs them: a resource, data sources, a
// list resource and an ephemeral resource. A URL may hold a secret, which no message shows.
package webhook

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/object"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// webhookResource sends one event of the account to one URL. Only the creation is specified. Two routes of their own
// enable and disable a webhook, and the service disables one after failed deliveries. The URL may hold a secret: each
// diagnostic that quotes the service or a value passes withoutURLSecrets.
type webhookResource struct {
	object.Resource[einvoice.Webhook, webhookModel, *webhookModel]
}

var _ session.Managed = (*webhookResource)(nil)

// NewResource is einvoice_webhook.
func NewResource() resource.Resource {
	return &webhookResource{object.Resource[einvoice.Webhook, webhookModel, *webhookModel]{
		Kind: kind,
		Description: "Sends one event of all companies of the account to a URL. For several events, create " +
			"several webhooks. Needs the main company's key.",
		Attributes: attributes,
		Label: func(m *webhookModel) string {
			return m.Event.ValueString() + " to " + ShownURL(m.URL.ValueString())
		},
		Clean: func(diags diag.Diagnostics, m *webhookModel) diag.Diagnostics {
			return withoutURLSecrets(diags, m.URL.ValueString())
		},
	}}
}

func attributes() map[string]schema.Attribute {
	url := attribute.SpelledText("Where the event is sent: `https`, or `http` on loopback only. Verify the signature of "+
		"deliveries instead of putting a secret into the query: the state contains the query, and plans show it unless "+
		"the value is sensitive. Messages of this provider do not.", urlSpelling, 0, "")
	url.Validators = []validator.String{webhookURLValidator}
	return map[string]schema.Attribute{
		"id": attribute.ID("webhook"),
		"event": attribute.Required(attribute.TextWith("The event: "+attribute.WordList(einvoice.WebhookEvents)+
			". `invoice.status_changed` covers every change of an issued invoice's status.",
			attribute.EnumValidator{Words: einvoice.WebhookEvents})),
		"url": attribute.Required(url),
		"enabled": attribute.Flag("Whether events are sent. Defaults to `true`. The service disables a webhook "+
			"after failed deliveries: the plan shows `false` to `true`, and apply enables it again.", true),
	}
}

// Create makes an enabled webhook, as the service creates no other, and disables it if the plan says so.
func (r *webhookResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan webhookModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	event, url := plan.Event.ValueString(), plan.URL.ValueString()
	webhook, isAdopted, diags := session.CreateNamed(ctx, r.Session, kind, creation(r.Client, event, url), req.Plan.Schema)
	if resp.Diagnostics.Append(withoutURLSecrets(diags, url)...); diags.HasError() {
		return
	}
	wanted := plan.Enabled
	plan.ID = attribute.KeepID(plan.ID, webhook.ID)
	plan.Enabled = types.BoolValue(true)
	if webhook.Enabled != nil {
		plan.Enabled = attribute.FlagOrNull(webhook.Enabled)
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	if err := r.switchTo(ctx, &plan, wanted); err != nil {
		diags := r.createdUnswitched(ctx, &plan, isAdopted, err, resp)
		resp.Diagnostics.Append(withoutURLSecrets(diags, url)...)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	plan.readTarget(webhook)
	resp.Diagnostics.Append(withoutURLSecrets(attribute.WarnOfUnkept(ctx, resp.State, plan), url)...)
}

// createdUnswitched is the error of a webhook that exists, but could not be enabled or disabled. If the service has no
// route for that, a webhook of this run is deleted again. Otherwise it stays in state, and the next apply replaces it.
func (r *webhookResource) createdUnswitched(
	ctx context.Context, m *webhookModel, isAdopted bool, err error, resp *resource.CreateResponse,
) diag.Diagnostics {
	isNew := isAdopted || !errors.Is(err, einvoice.ErrMissing) ||
		r.Client.Delete(ctx, kind.Kind, m.ID.ValueString()) != nil
	if !isNew {
		resp.State.RemoveResource(ctx)
	}
	return switchFailed(ctx, m, err, isNew, !isNew)
}

// creation says how to create a webhook, and how to recognize it by its event and URL.
func creation(client *einvoice.Client, event, url string) session.Creation[einvoice.Webhook] {
	return session.Creation[einvoice.Webhook]{
		What: text.Of("webhook.what", text.With{"event": event, "url": ShownURL(url)}),
		Send: func(ctx context.Context) (*einvoice.Webhook, error) {
			return client.CreateWebhook(ctx, event, url)
		},
		Matches: func(w *einvoice.Webhook) bool { return isTarget(w, event, url) },
		Unique:  true,
		Answers: func(w *einvoice.Webhook) bool {
			isEvent := w.Event == "" || string(w.Event) == event
			return isEvent && (w.URL == "" || sameURL(string(w.URL), url))
		},
	}
}

// switchTo enables or disables the webhook, unless it is as wanted already.
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

// switchFailed is the error of a webhook that could not be enabled or disabled. isNew says that this run has created
// it, and isDeleted that it has deleted it again.
func switchFailed(ctx context.Context, m *webhookModel, err error, isNew, isDeleted bool) diag.Diagnostics {
	var answer, missing, advice, reference text.Text
	if failure, isAnswer := errors.AsType[*einvoice.Error](err); isAnswer {
		answer, reference = message.RefusalWords(failure), message.Reference(failure)
		if failure.Missing != "" {
			missing = message.MissingOperation(failure.Missing)
		} else {
			advice = message.Advice(err)
		}
	}
	return say.Error(ctx, "webhook.not_switched", text.With{
		"id": m.ID.ValueString(), "is_on": m.Enabled.ValueBool(), "is_new": isNew, "is_deleted": isDeleted,
		"cause": message.Cause(err), "answer": answer, "missing": missing, "advice": advice, "reference": reference,
	})
}

// Update sends event and URL only if they differ, and enabled by a route of its own. Nobody has said whether the first
// request enables the webhook again, so Update goes by what its response says.
func (r *webhookResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state webhookModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	url := plan.URL.ValueString()
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	next := state
	if !plan.Event.Equal(state.Event) || !plan.URL.Equal(state.URL) {
		webhook, err := r.Client.UpdateWebhook(ctx, state.ID.ValueString(), plan.Event.ValueString(), url)
		if err != nil {
			diags := message.APIError(ctx, message.Task("update", "webhook"), err, req.Plan.Schema)
			resp.Diagnostics.Append(withoutURLSecrets(diags, url, state.URL.ValueString())...)
			return
		}
		next.Event, next.URL = plan.Event, plan.URL
		if webhook.Enabled != nil {
			next.Enabled = attribute.FlagOrNull(webhook.Enabled)
		}
		held := next
		held.readTarget(webhook)
		resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
		resp.Diagnostics.Append(withoutURLSecrets(attribute.WarnOfUnkept(ctx, resp.State, held), url)...)
	}
	if err := r.switchTo(ctx, &next, plan.Enabled); err != nil {
		resp.Diagnostics.Append(withoutURLSecrets(switchFailed(ctx, &next, err, false, false), url)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, next)...)
}

// ImportState takes an id, or event=...,url=... of exactly one webhook.
func (r *webhookResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	event, url, byTarget, ok := importedTarget(req.ID)
	if !ok { // The message does not quote the import ID, which may hold a URL with a secret.
		resp.Diagnostics.Append(kind.InvalidImportID(ctx, req.ID)...)
		return
	}
	if byTarget {
		if resp.Diagnostics.Append(r.Usable(ctx)...); resp.Diagnostics.HasError() {
			return
		}
		webhook, diags := webhookFor(ctx, r.Client, "import", event, url)
		resp.Diagnostics.Append(withoutURLSecrets(diags, url)...)
		if diags.HasError() {
			return
		}
		req.ID = string(webhook.ID)
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// importedTarget splits event=...,url=... The URL is the last part, because it may have commas and equals signs of its
// own. byTarget is false for an id.
func importedTarget(text string) (event, url string, byTarget, ok bool) {
	target, byTarget, ok := attribute.ImportedBy("event", text)
	if !byTarget || !ok {
		return "", "", false, ok
	}
	event, url, ok = strings.Cut(target, ",url=")
	return event, url, true, ok && event != "" && url != ""
}
