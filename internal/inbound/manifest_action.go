package inbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure      = (*inboundManifestAction)(nil)
	_ action.ActionWithModifyPlan     = (*inboundManifestAction)(nil)
	_ action.ActionWithValidateConfig = (*inboundManifestAction)(nil)
)

// NewManifestAction is the action einvoice_inbound_manifest.
func NewManifestAction() action.Action { return &inboundManifestAction{} }

// inboundManifestAction declares what the recipient says about a received NF-e.
// Each declaration is a legal event, so the invoice is looked at first: one that
// has the declaration already is left alone.
type inboundManifestAction struct {
	session.DocumentActionBase
}

type inboundManifestModel struct {
	ID            types.String      `tfsdk:"id"`
	Status        types.String      `tfsdk:"status"`
	Justification types.String      `tfsdk:"justification"`
	Issuer        attribute.Spelled `tfsdk:"issuer"`
}

var manifestStatuses = []string{einvoice.ManifestAcknowledged, einvoice.ManifestConfirmed, einvoice.ManifestUnknown, einvoice.ManifestNotPerformed}

func (a *inboundManifestAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_manifest"
}

func (a *inboundManifestAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares to the tax authority what the recipient says about an NF-e that was issued against it (manifestação do destinatário). A declaration is a legal event. " +
			"It is safe to invoke again: an invoice that has the same declaration already is left alone. After `acknowledged` or `confirmed` the service releases the whole XML of an invoice " +
			"that it knew in summary. Needs the key of the company that received the invoice." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"id":     session.ActionID("Identifier of the inbound invoice at the service"),
			"issuer": attribute.ActionIssuer(),
			"status": schema.StringAttribute{
				MarkdownDescription: "The declaration: `acknowledged` (the recipient knows of the operation), `confirmed` (it took place), `unknown` (the recipient does not know of it) or `notPerformed` (it did not take place).",
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: manifestStatuses}},
			},
			"justification": schema.StringAttribute{
				MarkdownDescription: "Why, 15 to 255 characters; for `unknown` and `notPerformed`.",
				Optional:            true,
				Validators:          []validator.String{attribute.TextValidator{Max: 255, Example: "A mercadoria foi recusada na entrega."}},
			},
		},
	}
}

// ValidateConfig warns only: that a justification is needed is assumed.
func (a *inboundManifestAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var config inboundManifestModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() || attribute.IsUnset(config.Status) || config.Justification.IsUnknown() {
		return
	}
	length := utf8.RuneCountInString(config.Justification.ValueString())
	if slices.Contains([]string{einvoice.ManifestUnknown, einvoice.ManifestNotPerformed}, config.Status.ValueString()) && length < 15 {
		resp.Diagnostics.AddAttributeWarning(path.Root("justification"), "Justification too short", fmt.Sprintf(
			"`justification` has %d characters. The service probably refuses %q without 15 to 255 characters that say why, for example \"A mercadoria foi recusada na entrega.\"",
			length, config.Status.ValueString()))
	}
}

func (a *inboundManifestAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config inboundManifestModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	service := invoice.Service(acting)
	m := &manifesting{
		client: acting.Client, admit: service.Admit, report: session.Progress(ctx, resp),
		id: config.ID.ValueString(), status: config.Status.ValueString(), justification: config.Justification.ValueString(),
	}
	done, failed := m.perform(ctx)
	if failed != nil {
		resp.Diagnostics.Append(failed.diagnostics(ctx, req.Config.Schema)...)
		return
	}
	resp.Diagnostics.Append(done.warnings()...)
}

// manifesting is one declaration on its way.
type manifesting struct {
	client *einvoice.Client
	admit  func(context.Context) (done func(), err error) // see issuing.Service
	report func(format string, args ...any)

	id, status, justification string
}

// manifested is a declaration that the invoice has.
type manifested struct {
	label, status string
	lost          error // why the service gave no answer; the invoice shows the declaration all the same
}

func (m *manifesting) perform(ctx context.Context) (*manifested, *problem) {
	held, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
	if err != nil {
		return nil, &problem{kind: invoiceUnread, id: m.id, cause: err}
	}
	done := &manifested{label: inboundLabel(held), status: m.status}
	if declared(held) == m.status {
		m.report("%s is %s already; nothing was sent.", done.label, m.status)
		return done, nil
	}
	m.report("Declaring %s as %s; it is %s now.", done.label, m.status, declared(held))
	release, err := m.admit(ctx)
	if err != nil {
		return nil, &problem{kind: otherRecipient, label: done.label, cause: err}
	}
	answer, err := m.client.ManifestInbound(ctx, m.id, m.status, m.justification)
	release()
	switch {
	case errors.Is(err, einvoice.ErrAmbiguous):
		done.lost = err
		if answer = m.lookForIt(ctx); answer == nil {
			return nil, &problem{kind: manifestLost, label: done.label, status: m.status, cause: err}
		}
	case err != nil:
		return nil, &problem{kind: manifestRefused, label: done.label, status: m.status, cause: err}
	}
	m.report("%s is %s.%s", done.label, m.status, protocolOf(answer))
	return done, nil
}

// lookForIt looks whether a declaration without an answer was made, and sends
// nothing a second time. It returns nil where the invoice does not show it.
func (m *manifesting) lookForIt(ctx context.Context) (found *einvoice.InboundInvoice) {
	m.report("The answer was lost; looking what came of it.")
	_ = poll.RealTime.Few(ctx, session.LookPauses, func() (bool, error) {
		current, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
		if err == nil && declared(current) == m.status {
			found = current
		}
		return found != nil, nil
	})
	return found
}

func protocolOf(v *einvoice.InboundInvoice) string {
	if v == nil || v.Manifestation == nil || v.Manifestation.Protocol == "" {
		return ""
	}
	return " Protocol " + string(v.Manifestation.Protocol) + "."
}

// inboundLabel reads "NF-e of Fornecedor (access key 3526...)".
func inboundLabel(v *einvoice.InboundInvoice) string {
	label := "NF-e"
	if v.Issuer != nil && v.Issuer.Name != "" {
		label += " of " + string(v.Issuer.Name)
	}
	if v.AccessKey != "" {
		return label + " (access key " + string(v.AccessKey) + ")"
	}
	return label + " (id " + string(v.ID) + ")"
}
