// Package invoice has the resource einvoice_invoice_issuance, the data sources of issued
// invoices, and the actions that cancel an invoice and ask the authority about one. Package
// engine issues each payload exactly once; this package says what the engine returns.
package invoice

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var (
	_ session.Managed                     = (*issuanceResource)(nil)
	_ resource.ResourceWithValidateConfig = (*issuanceResource)(nil)
)

// NewResource returns the resource einvoice_invoice_issuance.
func NewResource() resource.Resource { return &issuanceResource{} }

// issuanceResource issues one invoice and waits for it. A create that fails leaves nothing
// in state, so nothing is ever tainted. The next create finds the invoice by its
// integration_id and goes on (see package engine).
type issuanceResource struct {
	session.ResourceBase
}

func (r *issuanceResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_issuance"
	// A service that does not merge by integrationId gives a corrected invoice a new id.
	resp.ResourceBehavior.MutableIdentity = true
}

// issuing prepares the run for what a configuration wants.
func (m *issuanceModel) issuing(ctx context.Context, s *session.Session) *engine.Issuing {
	return &engine.Issuing{
		Service:       issuance.Service(s),
		Want:          engine.Want{Issue: m.Issue.ValueBool(), AcceptContingency: m.AcceptContingency.ValueBool()},
		Model:         m.Model.ValueString(),
		IntegrationID: m.IntegrationID.ValueString(),
		Payload:       json.RawMessage(m.PayloadJSON.ValueString()),
		Watch:         issuance.LogChanges(ctx, "integration_id", m.IntegrationID.ValueString()),
	}
}

func (r *issuanceResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan issuanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	ctx, cancel := attribute.WithTimeout(ctx, plan.Timeouts.Create, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	i := plan.issuing(ctx, acting)
	i.Holder, diags = issuance.NewHolder(ctx, resp.Private, i.RecordOwner())
	resp.Diagnostics.Append(diags...)
	held, err := i.Create(ctx)
	isElsewhere := issuance.IssuedElsewhere(err)
	if isElsewhere {
		err = nil // It is issued, and in state with a warning.
	}
	i.Notes = slices.DeleteFunc(i.Notes, func(n engine.Event) bool {
		return n.Kind == engine.Adopted && !acting.Planned.NoteFirst("adoption", string(n.Invoice.ID))
	})
	if resp.Diagnostics.Append(plan.outcome(ctx, i, err, false)...); err != nil {
		return // Without state: an object in state would be tainted, and replaced.
	}
	planned := plan.EnvironmentType
	plan.fromAPI(held)
	resp.Diagnostics.Append(plan.keepPlanned(ctx, planned, held, isElsewhere)...)
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(acting.NoteAccount(ctx, resp.Private)...)
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
	resp.Diagnostics.Append(reading.NoteAccount(ctx, resp.Private)...)
	if !reading.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	imported, isDraft := state.Status.IsNull(), state.Status.ValueString() == einvoice.StatusCreated
	held, err := reading.Client.RefreshInvoice(ctx, state.Model.ValueString(), state.known(), state.isShownBy)
	if errors.Is(err, einvoice.ErrNotFound) && !imported {
		if hidden := state.hiddenByKey(ctx, reading, r.Session); hidden != nil {
			if r.Planned.NoteFirst("leaves", state.ID.ValueString()) { // A CLI plans what leaves before it reads that.
				resp.Diagnostics.Append(hidden...)
			}
			return
		}
		err = state.find(ctx, reading)
	}
	switch {
	case errors.Is(err, einvoice.ErrNotFound) && (imported || isDraft):
		resp.State.RemoveResource(ctx) // A draft is no legal document; it can be made again.
		return
	case errors.Is(err, einvoice.ErrNotFound):
		state.Status = types.StringValue(einvoice.StatusRemoved)
	case imported && errors.Is(err, einvoice.ErrBadRequest):
		resp.Diagnostics.Append(message.InvalidImportID(ctx, state.ID.ValueString(), text.Of("invoice.import_forms", nil))...)
		return
	case err != nil:
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("read", state.label()), err, nil)...)
		return
	case imported:
		resp.Diagnostics.Append(state.refuseOtherIssuer(ctx, held)...)
		state.fillImported(held)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, receiverNote(held))...)
	case held != nil: // Otherwise it is as the state has it.
		state.refresh(held)
	}
	resp.Diagnostics.Append(state.warnOfOthers(ctx, reading)...)
	state.Account = reading.KnownAccount(state.Account)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// find looks also in the list for an invoice that its own read does not find. It looks
// for a draft as long as that may stay invisible, because a draft would be made again.
func (m *issuanceModel) find(ctx context.Context, s *session.Session) error {
	look := func() error {
		_, err := s.Client.FindInvoice(ctx, m.Model.ValueString(), m.ID.ValueString(), m.IntegrationID.ValueString())
		return err
	}
	switch m.Status.ValueString() {
	case einvoice.StatusRemoved:
		return einvoice.ErrNotFound
	case einvoice.StatusCreated:
		service := issuance.Service(s)
		return service.Persistently(ctx, look)
	}
	return look()
}

// Update issues a draft, corrects a draft or a rejected invoice, goes on waiting, or only
// writes down what changed in the configuration. ModifyPlan decided which: a known status
// means that nothing is sent.
func (r *issuanceResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state issuanceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Issuer)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	resp.Diagnostics.Append(acting.RefuseOtherAccount(ctx, req.Private, state.label())...)
	if resp.Diagnostics.HasError() {
		return
	}
	id := state.ID.ValueString()
	i := plan.issuing(ctx, acting)
	i.Owner = issuance.Owner(ctx, req.Private)
	if i.Holder = issuance.Holder(ctx, req.Private); i.Holder == "" {
		i.Holder, diags = issuance.NewHolder(ctx, resp.Private, i.RecordOwner())
		resp.Diagnostics.Append(diags...)
		imported, _ := importNote(ctx, req.Private)
		i.Take(ctx, id, imported)
	}
	if plan.Status.IsUnknown() {
		ctx, cancel := attribute.WithTimeout(ctx, plan.Timeouts.Update, &resp.Diagnostics)
		defer cancel()
		// An import does not know the payload of a draft: the configured one is sent over it.
		isDraft := state.Status.ValueString() == einvoice.StatusCreated
		held, err := i.Update(ctx, id, !plan.keepsPayload(&state) || isDraft && state.PayloadJSON.IsNull())
		resp.Diagnostics.Append(plan.outcome(ctx, i, err, true)...)
		if err != nil && (held == nil || engine.IsCorrectable(held)) {
			if held == nil || einvoice.SameID(held.ID, id) {
				return // The prior object stays, untainted.
			}
			plan.PayloadJSON, plan.Issue = state.PayloadJSON, state.Issue // What is wanted is planned again.
		}
		plan.fromAPI(held) // Also beside a problem: it may be another invoice by now.
	}
	if !plan.PayloadJSON.Equal(state.PayloadJSON) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, nil)...)
	}
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete cancels an authorized invoice if a reason is in state, and otherwise only removes
// it from state. The plan has said which by the status that is in state. If the service
// has another status by now, Delete does nothing else than the plan said.
func (r *issuanceResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state issuanceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.CancellationReason.IsNull() {
		return
	}
	acting := r.For(state.Issuer)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	resp.Diagnostics.Append(acting.RefuseOtherAccount(ctx, req.Private, state.label())...)
	ctx, cancel := attribute.WithTimeout(ctx, state.Timeouts.Delete, &resp.Diagnostics)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	i := state.issuing(ctx, acting)
	i.Holder, i.Owner = issuance.Holder(ctx, req.Private), issuance.Owner(ctx, req.Private)
	reason, status := state.CancellationReason.ValueString(), state.Status.ValueString()
	_, err := i.Cancel(ctx, state.ID.ValueString(), reason, status)
	resp.Diagnostics.Append(state.notCanceled(ctx, err)...)
}
