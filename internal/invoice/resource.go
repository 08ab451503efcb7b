package invoice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ resource.ResourceWithConfigure      = (*issuanceResource)(nil)
	_ resource.ResourceWithIdentity       = (*issuanceResource)(nil)
	_ resource.ResourceWithImportState    = (*issuanceResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*issuanceResource)(nil)
	_ resource.ResourceWithUpgradeState   = (*issuanceResource)(nil)
	_ resource.ResourceWithValidateConfig = (*issuanceResource)(nil)
)

// NewResource returns the resource einvoice_invoice_issuance.
func NewResource() resource.Resource { return &issuanceResource{} }

// issuanceResource issues one invoice and waits for it. A create that fails
// leaves nothing in state, so that nothing is ever tainted; the next one finds
// the invoice by its integration_id and goes on (see issuing).
type issuanceResource struct {
	session.ResourceBase
}

func (r *issuanceResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_issuance"
	// A service that does not merge by integrationId gives a corrected invoice a
	// new id.
	resp.ResourceBehavior.MutableIdentity = true
}

// issuing prepares the run for what a configuration wants.
func (m *issuanceModel) issuing(ctx context.Context, s *session.Session) *engine.Issuing {
	return &engine.Issuing{
		Service:       Service(s),
		Want:          engine.Want{Issue: m.Issue.ValueBool(), AcceptContingency: m.AcceptContingency.ValueBool()},
		Model:         m.Model.ValueString(),
		IntegrationID: m.IntegrationID.ValueString(),
		Payload:       json.RawMessage(m.PayloadJSON.ValueString()),
		Watch:         LogChanges(ctx, "integration_id", m.IntegrationID.ValueString()),
	}
}

func (r *issuanceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan issuanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, attribute.DefaultIssuanceTimeout)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	i := plan.issuing(ctx, acting)
	i.Holder, diags = NewHolder(ctx, resp.Private)
	resp.Diagnostics.Append(diags...)
	held, err := i.Create(ctx)
	if resp.Diagnostics.Append(plan.outcome(i, err, false)...); err != nil {
		return // Without state: an object in state would be tainted, and replaced.
	}
	resp.Diagnostics.Append(keepLeft(ctx, resp.Private, i.Notes)...)
	planned := plan.EnvironmentType
	plan.fromAPI(held)
	if resp.Diagnostics.Append(plan.asPlanned(planned)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *issuanceResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state issuanceModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	reading := r.For(state.Issuer)
	if reading.Deferred() {
		return
	}
	if resp.Diagnostics.Append(reading.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	imported, isDraft := state.Status.IsNull(), state.Status.ValueString() == einvoice.StatusCreated
	held, err := reading.Client.RefreshInvoice(ctx, state.Model.ValueString(), state.invoice())
	if errors.Is(err, einvoice.ErrNotFound) && !imported {
		if unread := state.underAnotherKey(ctx, reading, r.Session); unread != nil {
			resp.Diagnostics.Append(unread...)
			return
		}
	}
	if errors.Is(err, einvoice.ErrNotFound) && !imported && state.Status.ValueString() != einvoice.StatusRemoved {
		err = state.find(ctx, reading, isDraft)
	}
	switch {
	case errors.Is(err, einvoice.ErrNotFound) && imported:
		resp.State.RemoveResource(ctx)
		return
	case errors.Is(err, einvoice.ErrNotFound) && isDraft:
		resp.Diagnostics.Append(state.draftGone())
		resp.State.RemoveResource(ctx) // A draft is no legal document; it can be made again.
		return
	case errors.Is(err, einvoice.ErrNotFound):
		state.Status = types.StringValue(einvoice.StatusRemoved)
	case err == nil && held == nil: // Listed: it is as it was.
	case err != nil:
		resp.Diagnostics.Append(message.APIError(ctx, "read "+state.label(), err, nil)...)
		return
	default:
		if imported {
			resp.Diagnostics.Append(state.refuseOtherIssuer(held)...)
		}
		state.Issuer = attribute.IssuerFromAPI(state.Issuer, issuerOf(held))
		state.fromAPI(held)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateReceiver, receiverNote(held))...)
		if state.IntegrationID.IsNull() {
			state.IntegrationID = attribute.TextOrNull(held.IntegrationID)
		}
		if imported {
			state.PayloadJSON = shownPayload(held)
		}
		if imported && !state.PayloadJSON.IsNull() {
			resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateShown, []byte("true"))...)
		}
	}
	if imported {
		state.Issue = types.BoolValue(state.Status.ValueString() != einvoice.StatusCreated)
		state.AcceptContingency = types.BoolValue(false)
	}
	if state.Status.ValueString() == einvoice.StatusAuthorized {
		v := state.invoice()
		v.IntegrationID = attribute.KnownText(state.IntegrationID)
		for _, other := range reading.Client.Beside(ctx, state.Model.ValueString(), v) {
			resp.Diagnostics.Append(state.second(other))
		}
	}
	note, diags := req.Private.GetKey(ctx, privateLeft)
	if resp.Diagnostics.Append(diags...); note != nil {
		var left string
		_ = json.Unmarshal(note, &left) // As NotMerged has written it.
		switch draft, err := reading.Client.Invoice(ctx, state.Model.ValueString(), left); {
		case errors.Is(err, einvoice.ErrNotFound), err == nil && string(draft.Status) != einvoice.StatusCreated:
			resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateLeft, nil)...)
		default:
			resp.Diagnostics.Append(state.draftLeft(left))
		}
	}
	state.setCancelableUntil() // An older version has not written it down.
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// find looks for an invoice that its own read does not find, in the list as well.
// A draft, which would be made again, is looked for as long as it may stay
// invisible.
func (m *issuanceModel) find(ctx context.Context, s *session.Session, isDraft bool) error {
	look := func() error {
		_, err := s.Client.FindInvoice(ctx, m.Model.ValueString(), m.ID.ValueString(), m.IntegrationID.ValueString())
		return err
	}
	if !isDraft {
		return look()
	}
	service := Service(s)
	return service.Persistently(ctx, look)
}

// Update issues a draft, corrects a draft or a rejected invoice, goes on
// waiting, or only writes down what changed in the configuration. ModifyPlan
// decided which: a known status means that nothing is sent.
func (r *issuanceResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state issuanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	acting, diags := r.As(ctx, req.Config, state.Issuer)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.PayloadJSON.Equal(state.PayloadJSON) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateShown, nil)...)
	}
	i := plan.issuing(ctx, acting)
	if i.Holder = Holder(ctx, req.Private); i.Holder == "" { // Such as an imported one.
		i.Holder, diags = NewHolder(ctx, resp.Private)
		resp.Diagnostics.Append(diags...)
		i.Take(ctx, state.ID.ValueString())
	}
	if !plan.Status.IsUnknown() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
		return
	}
	timeout, diags := plan.Timeouts.Update(ctx, attribute.DefaultIssuanceTimeout)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// An import does not know the payload of a draft: the configured one is sent over it.
	changed := !plan.keeps(&state) || state.PayloadJSON.IsNull() && state.Status.ValueString() == einvoice.StatusCreated
	held, err := i.Update(ctx, state.ID.ValueString(), changed)
	resp.Diagnostics.Append(plan.outcome(i, err, true)...)
	resp.Diagnostics.Append(keepLeft(ctx, resp.Private, i.Notes)...)
	switch {
	case err != nil && (held == nil || engine.IsCorrectable(held) && einvoice.SameID(held.ID, state.ID.ValueString())):
		return // The prior object stays, untainted.
	case err != nil && engine.IsCorrectable(held):
		plan.PayloadJSON, plan.Issue = state.PayloadJSON, state.Issue // What is wanted is planned again.
	}
	plan.fromAPI(held) // Also beside a problem: it may be another invoice by now.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete cancels an authorized invoice when a reason is in state, and otherwise
// only forgets it. The plan has said which, by the status that is in state here
// too: what it said for another status is not done.
func (r *issuanceResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state issuanceModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	if state.CancellationReason.IsNull() {
		return
	}
	acting := r.For(state.Issuer)
	if resp.Diagnostics.Append(acting.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := state.Timeouts.Delete(ctx, attribute.DefaultIssuanceTimeout)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	i := state.issuing(ctx, acting)
	i.Holder = Holder(ctx, req.Private)
	_, err := i.CancelAsPlanned(ctx, state.ID.ValueString(), state.CancellationReason.ValueString(), state.Status.ValueString())
	resp.Diagnostics.Append(state.notCanceled(err)...)
}

// draftGone warns of a draft that the next apply makes again.
func (m *issuanceModel) draftGone() diag.Diagnostic {
	return diag.NewWarningDiagnostic("Draft "+m.label()+" is gone at the service",
		fmt.Sprintf("The service neither finds it (id %s) nor lists it. The next apply makes it again.", m.ID.ValueString()))
}

// privateLeft is the id of a draft that a correction has left behind, because the service
// did not merge it.
const privateLeft = "draft_left"

// keepLeft notes the draft that a run has left behind.
func keepLeft(ctx context.Context, private session.PrivateData, notes []engine.Event) (diags diag.Diagnostics) {
	for _, n := range notes {
		if n.Kind == engine.NotMerged && string(n.Previous.Status) == einvoice.StatusCreated {
			text, _ := json.Marshal(n.Previous.ID) // A text can be written.
			diags.Append(private.SetKey(ctx, privateLeft, text)...)
		}
	}
	return diags
}

func (m *issuanceModel) draftLeft(id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic("A draft lies beside "+m.label(), fmt.Sprintf(
		"When it was corrected, the service made a new invoice (id %s) and kept the draft (id %s). "+
			"If somebody issues that draft, it is a second invoice of this sale. Remove the draft at the service.", m.ID.ValueString(), id))
}

// second is another valid invoice of the sale, which another machine has issued.
func (m *issuanceModel) second(other *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic("A second valid invoice beside "+m.label(), fmt.Sprintf(
		"The state has the invoice %s, and the service holds the invoice %s with status %q under the same `integration_id` (%s). "+
			"Another machine may have sent it at the same time. Find out which one is right, and cancel the other where the law allows it.",
		m.ID.ValueString(), other.ID, other.Status, m.IntegrationID.ValueString()))
}
