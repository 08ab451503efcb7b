package invoice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// invoicePlan is a plan of one invoice.
type invoicePlan struct {
	plan, state issuanceModel
	acting      *session.Session // of the company that acts; nil for a destroy

	holder string // names the block to the journal
	owner  string // of its record; "" for the company that acts
}

// ModifyPlan decides, once, whether anything will reach the service. If so, the values
// that the service decides are unknown; if not, they stay as they are.
func (r *issuanceResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	p := &invoicePlan{holder: issuance.Holder(ctx, req.Private), owner: issuance.Owner(ctx, req.Private)}
	creates, destroys := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &p.state)...)
	}
	if !destroys {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &p.plan)...)
	}
	switch {
	case resp.Diagnostics.HasError():
		return
	case destroys:
		resp.Diagnostics.Append(r.For(p.state.Issuer).NoteAccount(ctx, resp.Private)...)
		p.destroy(ctx, r.Session, resp)
		return
	}
	acting, diags := r.As(ctx, req.Config, req.Plan, p.state.Issuer)
	resp.Diagnostics.Append(diags...)
	if acting.RefuseUnusableKey(ctx, req, resp); resp.Diagnostics.HasError() {
		return
	}
	if p.acting = acting; creates {
		resp.Diagnostics.Append(p.plan.sale("").RefuseReplacement(ctx, req.Private)...)
		p.create(ctx, resp)
		return
	}
	p.change(ctx, req, resp)
}

// change plans what becomes of an invoice in state: its import, its replacement or an update.
func (p *invoicePlan) change(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resp.Diagnostics.Append(p.state.drift(ctx)...)
	p.plan.keepSpelling(&p.state)
	imported, receiver := importNote(ctx, req.Private)
	if imported && !p.plan.PayloadJSON.Equal(p.state.PayloadJSON) {
		p.state.PayloadJSON = attribute.JSONNull() // It gives way to the payload itself.
	}
	if resp.Diagnostics.Append(p.plan.planIssuer(ctx, req.Config, &p.state)...); resp.Diagnostics.HasError() {
		return
	}
	switch {
	case imported || p.state.PayloadJSON.IsNull():
		resp.RequiresReplace = nil
		resp.Diagnostics.Append(p.plan.refuseOtherImport(ctx, &p.state, receiver)...)
	case p.plan.changesIssuer(&p.state), !p.plan.Model.Equal(p.state.Model),
		!p.plan.IntegrationID.Equal(p.state.IntegrationID):
		p.replace(ctx, resp)
		return
	}
	if !resp.Diagnostics.HasError() {
		p.update(ctx, resp)
	}
	isStored := imported && !p.plan.Status.IsUnknown() && !p.plan.PayloadJSON.Equal(p.state.PayloadJSON)
	if isStored && !resp.Diagnostics.HasError() && p.acting != nil && p.acting.Planned.NoteFirst("import", "invoice") {
		resp.Diagnostics.Append(say.Warning(ctx, "invoice.import_stores", p.state.with(nil))...)
	}
}

func (p *invoicePlan) create(ctx context.Context, resp *resource.ModifyPlanResponse) {
	resp.Diagnostics.Append(p.acting.RequireIssuer(ctx, p.plan.label())...)
	resp.Diagnostics.Append(p.acting.NoteAccount(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("account"), p.acting.PlannedAccount())...)
	_, noted := p.plan.sale(p.holder).Note(ctx, p.acting, session.Comes)
	resp.Diagnostics.Append(noted...)
	resp.Diagnostics.Append(p.plan.draftWarning(ctx)...)
	resp.Diagnostics.Append(p.plan.payloadWarnings(ctx, p.acting, time.Now())...)
	resp.Diagnostics.Append(p.plan.planEnvironment(ctx, p.acting)...)
	if environment := p.plan.EnvironmentType; !environment.IsUnknown() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("environment_type"), environment)...)
	}
	p.plan.setCancelableUntil()
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("cancelable_until"), p.plan.CancelableUntil)...)
	if p.acting.LooksAhead() && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(p.plan.foresee(ctx, p.acting)...)
	}
}

func (p *invoicePlan) destroy(ctx context.Context, s *session.Session, resp *resource.ModifyPlanResponse) {
	if p.state.isTakenOver(ctx, s, p.holder, p.owner) {
		return // Nothing is canceled.
	}
	if s != nil {
		s.Planned.NoteFirst("leaves", p.state.ID.ValueString())
	}
	if p.state.cancels() {
		acting := s.For(p.state.Issuer)
		resp.Diagnostics.Append(acting.RequireKeyToCancel(ctx, p.state.Issuer, p.state.label())...)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	isRenamed, diags := p.noteLeaves(ctx, s)
	resp.Diagnostics.Append(diags...)
	if !isRenamed || !p.state.CancellationReason.IsNull() { // Of what another block adopts, nothing is left to say.
		resp.Diagnostics.Append(p.state.destroyWarning(ctx, time.Now())...)
	}
}

// cancels reports whether a destroy cancels the invoice.
func (m *issuanceModel) cancels() bool {
	return !m.CancellationReason.IsNull() && engine.EndingOf(m.Status.ValueString()) == engine.Canceled
}

// noteLeaves tells the plan that the invoice in state leaves it, unless it can never be valid.
func (p *invoicePlan) noteLeaves(ctx context.Context, s *session.Session) (isRenamed bool, diags diag.Diagnostics) {
	role, ending := session.Leaves, engine.EndingOf(p.state.Status.ValueString())
	if p.state.cancels() {
		role = session.Cancels
	}
	if ending == engine.Forgotten {
		return false, nil
	}
	sale := p.state.sale(p.holder)
	if role == session.Cancels {
		diags.Append(sale.NoteHeld(ctx, s, p.state.ID.ValueString(), role)...)
	}
	isRenamed, followed := sale.Note(ctx, s, role)
	return isRenamed, append(diags, followed...)
}

// isTakenOver reports whether a destroy with a reason cancels nothing, because another block has the invoice.
func (m *issuanceModel) isTakenOver(ctx context.Context, s *session.Session, holder, owner string) bool {
	acting := s.For(m.Issuer)
	if m.CancellationReason.IsNull() || acting.Deferred() || acting.Client == nil {
		return false
	}
	i := m.issuing(ctx, acting)
	i.Holder, i.Owner = holder, owner
	return i.IsTakenOver(ctx, m.ID.ValueString())
}

// replace warns of both halves of a replacement. A CLI plans it as an update first, and
// plans no destroy for the invoice that leaves.
func (p *invoicePlan) replace(ctx context.Context, resp *resource.ModifyPlanResponse) {
	if p.plan.changesIssuer(&p.state) {
		resp.RequiresReplace.Append(path.Root("issuer"))
	}
	_, leaves := p.noteLeaves(ctx, p.acting)
	resp.Diagnostics.Append(leaves...)
	second := p.plan.secondInvoice(ctx, &p.state)
	if resp.Diagnostics.Append(second...); second == nil {
		resp.Diagnostics.Append(p.state.destroyWarning(ctx, time.Now())...)
	}
	resp.Diagnostics.Append(p.plan.draftWarning(ctx)...)
	resp.Diagnostics.Append(p.plan.payloadWarnings(ctx, p.acting, time.Now())...)
}

func (p *invoicePlan) update(ctx context.Context, resp *resource.ModifyPlanResponse) {
	plan, state := &p.plan, &p.state
	resp.Diagnostics.Append(state.sale(p.holder).NoteHeld(ctx, p.acting, state.ID.ValueString(), session.Stays)...)
	sent, elsewhere := plan.pending(ctx, p.acting, state, p.owner)
	sends, diags := plan.sends(ctx, state, sent)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if sends == sendsPayload || sends == sendsIssue && state.Status.ValueString() == einvoice.StatusCreated {
		resp.Diagnostics.Append(plan.payloadWarnings(ctx, p.acting, time.Now())...)
	}
	plan.essentials, plan.Details = state.essentials, state.Details
	if sends != sendsNothing {
		resp.Diagnostics.Append(p.acting.RequireIssuer(ctx, state.label())...)
		plan.essentials, plan.Details = unknownEssentials, types.ObjectUnknown(shown.Types(detailFields))
		if plan.Issuer.IsNull() {
			plan.Issuer = attribute.UnknownIssuer
		}
	}
	resp.Diagnostics.Append(state.sale("").NoteCancels(ctx, resp.Private, state.cancels())...)
	plan.setCancelableUntil()
	if sends == sendsNothing || sends == sendsIssue && !elsewhere {
		plan.ID = state.ID
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// pending asks the journal about a run that did not see the end of what it sent: whether
// it sent this payload, and whether the sale may have another invoice by now.
func (m *issuanceModel) pending(
	ctx context.Context, s *session.Session, state *issuanceModel, owner string,
) (sent, elsewhere bool) {
	if s.Deferred() || s.Client == nil || m.keepsPayload(state) && isAtRest(state.Status.ValueString()) {
		return false, false
	}
	i := m.issuing(ctx, s)
	i.Owner = owner
	return i.Pending(ctx, state.ID.ValueString())
}

// keepsPayload reports whether the payload is the one in state, which an import lacks.
func (m *issuanceModel) keepsPayload(state *issuanceModel) bool {
	planned, prior := m.PayloadJSON, state.PayloadJSON
	return prior.IsNull() ||
		!planned.IsUnknown() && samePayload(state.Status.ValueString(), planned.ValueString(), prior.ValueString())
}

// isAtRest reports whether an apply of an unchanged block neither sends nor waits for anything, by the status.
func isAtRest(status string) bool {
	return status != einvoice.StatusCreated && engine.EndingOf(status) != engine.Unsettled
}

// sending is what an update sends.
type sending int

const (
	sendsNothing sending = iota
	sendsIssue           // asks for a draft to be issued, or goes on waiting
	sendsPayload         // posts the payload again under the same id
)

// sends judges an update in place. sent reports whether a run that did not see its end
// has sent this payload already.
func (m *issuanceModel) sends(ctx context.Context, state *issuanceModel, sent bool) (sending, diag.Diagnostics) {
	status := state.Status.ValueString()
	wantsDraft := !m.Issue.IsUnknown() && !m.Issue.ValueBool()
	correctable := einvoice.MeaningOf(status).Correctable
	switch changed := !m.keepsPayload(state); {
	case wantsDraft && state.Issue.ValueBool() && status != einvoice.StatusCreated:
		return sendsNothing, say.ErrorAt(ctx, path.Root("issue"), "invoice.no_draft_again", text.With{
			"label": state.label(), "status": status,
		})
	case changed && sent && !correctable:
		return sendsIssue, nil
	case changed && !correctable && m.PayloadJSON.IsUnknown() && isAtRest(status):
		return sendsNothing, say.WarningAt(ctx, path.Root("payload_json"), "invoice.payload_unknown", state.with(nil))
	case changed && (correctable || m.PayloadJSON.IsUnknown()): // A payload that is unknown is judged again in apply.
		return sendsPayload, nil
	case changed:
		return sendsNothing, state.cannotChange(ctx, m.PayloadJSON.ValueString())
	case wantsDraft, isAtRest(status), status == einvoice.StatusInContingent && m.AcceptContingency.ValueBool() &&
		m.Model.ValueString() != einvoice.ModelProduct:
		return sendsNothing, nil
	}
	return sendsIssue, nil // The run waits for a status that this provider does not know.
}

// cannotChange refuses another payload, "" while it is unknown, for what was issued.
func (m *issuanceModel) cannotChange(ctx context.Context, payload string) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root("payload_json"), "invoice.cannot_change", m.with(text.With{
		"goods":   m.Model.ValueString() == einvoice.ModelProduct,
		"changed": changedMembers(payload, m.PayloadJSON.ValueString()),
	}))
}

// refuseOtherImport compares an imported invoice with the configuration, as adopting one
// does: nothing else would notice that they are two invoices.
func (m *issuanceModel) refuseOtherImport(
	ctx context.Context, state *issuanceModel, receiver string,
) diag.Diagnostics {
	var diags diag.Diagnostics
	if id := state.IntegrationID; !id.IsNull() && !m.IntegrationID.IsUnknown() && !m.IntegrationID.Equal(id) {
		diags = say.ErrorAt(ctx, path.Root("integration_id"), "invoice.imported_other_name", text.With{
			"id": state.ID.ValueString(), "held": id.ValueString(), "name": m.IntegrationID.ValueString(),
		})
	}
	unchanged := m.PayloadJSON.Equal(state.PayloadJSON) && m.Model.Equal(state.Model)
	if unchanged || m.PayloadJSON.IsUnknown() || m.Model.IsUnknown() {
		return diags
	}
	held := &einvoice.Invoice{
		Model:    einvoice.Enum(state.Model.ValueString()),
		Amount:   attribute.KnownNumber(state.Amount),
		Receiver: &einvoice.Party{FederalTaxNumber: einvoice.TaxNumber(receiver)},
		Company:  &einvoice.InvoiceCompany{FederalTaxNumber: einvoice.TaxNumber(state.Issuer.Normalized())},
	}
	differ := engine.Differences(json.RawMessage(m.PayloadJSON.ValueString()), m.Model.ValueString(), held)
	if len(differ) > 0 {
		diags.Append(say.ErrorAt(ctx, path.Root("payload_json"), "invoice.imported_unlike", text.With{
			"id": state.ID.ValueString(), "differences": m.terms(false).Differences(differ),
		})...)
	}
	return diags
}

// foresee looks at the service and says what apply will make of a new invoice. It says
// nothing of one that will be issued: the plan says that, and a hundred such warnings would
// hide the one that matters.
func (m *issuanceModel) foresee(ctx context.Context, s *session.Session) diag.Diagnostics {
	if attribute.IsUnset(m.Model) || attribute.IsUnset(m.IntegrationID) || attribute.IsUnset(m.PayloadJSON) ||
		m.Issue.IsUnknown() || m.AcceptContingency.IsUnknown() {
		return nil
	}
	found, err := m.issuing(ctx, s).Look(ctx)
	switch p, ok := errors.AsType[*engine.Problem](err); {
	case ok:
		return m.problem(ctx, p, false)
	case err != nil:
		return message.ProviderBug("%s", err)
	}
	if found.Found != nil {
		s.Planned.NoteFirst("adoption", string(found.Found.ID)) // So that the apply need not tell it again.
	}
	return m.foretell(ctx, found)
}

// steps are the words of the catalog for the first step of an apply.
var steps = map[engine.Step]string{engine.SendsOver: "sends", engine.IssuesDraft: "issues", engine.Takes: "takes"}

// foretell warns of what apply will do with what a look has found.
func (m *issuanceModel) foretell(ctx context.Context, found engine.Prospect[einvoice.Invoice]) diag.Diagnostics {
	v, at := found.Found, path.Root("integration_id")
	label := m.terms(false).Label(m.Model.ValueString(), v)
	switch {
	case v == nil && found.InDoubt:
		return say.WarningAt(ctx, at, "invoice.may_exist", text.With{"label": label})
	case v == nil:
		return nil
	}
	var amount any
	if v.Amount != nil {
		amount = float64(*v.Amount)
	}
	return say.WarningAt(ctx, at, "invoice.exists", text.With{
		"label": label, "id": string(v.ID), "status": string(v.Status), "amount": amount,
		"step":  cmp.Or(steps[found.Steps[0]], "waits"),
		"draft": string(v.Status) == einvoice.StatusCreated, "issue": m.Issue.ValueBool(),
		"said": message.CodeAndMessage(v.ProcessingDetail), "last": message.LastStepOf(v.ProcessingDetail),
		"uncompared": m.uncompared(v),
	})
}
