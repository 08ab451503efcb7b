package inbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure      = (*inboundManifestAction)(nil)
	_ action.ActionWithModifyPlan     = (*inboundManifestAction)(nil)
	_ action.ActionWithValidateConfig = (*inboundManifestAction)(nil)
)

func NewManifestAction() action.Action { return &inboundManifestAction{} }

// inboundManifestAction declares what the recipient says about a received NF-e.
// Each declaration is a legal event, so the invoice is looked at first: one that
// has the declaration already is left alone.
type inboundManifestAction struct {
	session.ActionBase
}

type inboundManifestModel struct {
	ID            types.String `tfsdk:"id"`
	Status        types.String `tfsdk:"status"`
	Justification types.String `tfsdk:"justification"`
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
			"id": session.ActionID("Identifier of the inbound invoice at the service"),
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
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	m := &manifesting{
		client: a.Client, report: session.Reporter(ctx, resp),
		id: config.ID.ValueString(), status: config.Status.ValueString(), justification: config.Justification.ValueString(),
	}
	resp.Diagnostics.Append(session.InActionWords(m.perform(ctx, req.Config.Schema))...)
}

// manifesting is one declaration on its way.
type manifesting struct {
	client *einvoice.Client
	report func(string)

	id, status, justification string
}

func (m *manifesting) perform(ctx context.Context, schema message.PathSchema) diag.Diagnostics {
	tell := session.Telling(m.report)
	held, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
	if err != nil {
		return message.ReadError(ctx, "inbound NF-e", "id", m.id, err)
	}
	if declared(held) == m.status {
		tell("%s is %s already; nothing was sent.", inboundLabel(held), m.status)
		return nil
	}
	tell("Declaring %s as %s; it is %s now.", inboundLabel(held), m.status, declared(held))
	answer, err := m.client.ManifestInbound(ctx, m.id, m.status, m.justification)
	switch {
	case errors.Is(err, einvoice.ErrAmbiguous):
		return m.settle(ctx, held, err)
	case err != nil:
		return message.ApiError(ctx, "declare "+inboundLabel(held)+" as "+m.status, err, schema)
	}
	tell("%s is %s.%s", inboundLabel(held), m.status, protocolOf(answer))
	return nil
}

// settle looks what came of a declaration whose answer was lost, and sends
// nothing a second time.
func (m *manifesting) settle(ctx context.Context, held *einvoice.InboundInvoice, lost error) diag.Diagnostics {
	cause := strings.TrimSuffix(lost.Error(), ".")
	session.Telling(m.report)("The answer was lost; looking what came of it.")
	for _, wait := range session.SettleWaits {
		if session.Pause(ctx, wait) != nil {
			break
		}
		current, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
		if err == nil && declared(current) == m.status {
			session.Telling(m.report)("%s is %s.%s", inboundLabel(held), m.status, protocolOf(current))
			return diag.Diagnostics{diag.NewWarningDiagnostic("Answer to a declaration lost: "+inboundLabel(held),
				fmt.Sprintf("The answer was lost (%s). The invoice is %s now, so the declaration has been made; nothing was sent a second time.", cause, m.status))}
		}
	}
	return message.Error("Answer to a declaration lost: "+inboundLabel(held),
		fmt.Sprintf("The answer was lost (%s), and the invoice does not show the declaration. Nothing was sent a second time.", cause),
		"Invoke the action again: it looks first, and declares only what is not declared yet.")
}

func declared(v *einvoice.InboundInvoice) string {
	if v.Manifestation == nil || v.Manifestation.Status == "" {
		return "none"
	}
	return string(v.Manifestation.Status)
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
