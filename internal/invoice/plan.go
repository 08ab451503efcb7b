package invoice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
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
		p.create(ctx, resp)
		return
	}
	p.change(ctx, req, resp)
}

// change plans what becomes of an invoice in state: its import, its replacement or an update.
func (p *invoicePlan) change(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resp.Diagnostics.Append(p.state.drift()...)
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
}

func (p *invoicePlan) create(ctx context.Context, resp *resource.ModifyPlanResponse) {
	resp.Diagnostics.Append(p.acting.RequireIssuer(ctx, p.plan.label())...)
	resp.Diagnostics.Append(p.acting.RefuseOther(ctx)...)
	resp.Diagnostics.Append(p.acting.NoteAccount(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("account"), p.acting.PlannedAccount())...)
	_, noted := p.plan.sale(p.holder).Note(ctx, p.acting, session.Comes)
	resp.Diagnostics.Append(noted...)
	resp.Diagnostics.Append(p.plan.draftWarning()...)
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
		resp.Diagnostics.AddWarning(onlyRemoved, p.state.label()+" stays at the service: another block has it, so nothing "+
			"is canceled.")
		return
	}
	isRenamed, diags := p.noteLeaves(ctx, s)
	resp.Diagnostics.Append(diags...)
	if !isRenamed || !p.state.CancellationReason.IsNull() { // Of what another block adopts, nothing is left to say.
		resp.Diagnostics.Append(p.state.destroyWarning(time.Now())...)
	}
}

// noteLeaves tells the plan that the invoice in state leaves it, unless it can never be valid.
func (p *invoicePlan) noteLeaves(ctx context.Context, s *session.Session) (isRenamed bool, diags diag.Diagnostics) {
	role, ending := session.Leaves, engine.EndingOf(p.state.Status.ValueString())
	if !p.state.CancellationReason.IsNull() && ending == engine.Canceled {
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
	second := p.plan.secondInvoice(&p.state)
	if resp.Diagnostics.Append(second...); second == nil {
		resp.Diagnostics.Append(p.state.destroyWarning(time.Now())...)
	}
	resp.Diagnostics.Append(p.plan.draftWarning()...)
	resp.Diagnostics.Append(p.plan.payloadWarnings(ctx, p.acting, time.Now())...)
}

func (p *invoicePlan) update(ctx context.Context, resp *resource.ModifyPlanResponse) {
	plan, state := &p.plan, &p.state
	resp.Diagnostics.Append(state.sale(p.holder).NoteHeld(ctx, p.acting, state.ID.ValueString(), session.Stays)...)
	sent, elsewhere := plan.pending(ctx, p.acting, state, p.owner)
	sends, diags := plan.sends(state, sent)
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
func (m *issuanceModel) sends(state *issuanceModel, sent bool) (sending, diag.Diagnostics) {
	status := state.Status.ValueString()
	wantsDraft := !m.Issue.IsUnknown() && !m.Issue.ValueBool()
	correctable := einvoice.MeaningOf(status).Correctable
	switch changed := !m.keepsPayload(state); {
	case wantsDraft && state.Issue.ValueBool() && status != einvoice.StatusCreated:
		return sendsNothing, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("issue"),
			"Cannot turn an issued invoice into a draft: "+state.label(), fmt.Sprintf(
				"Its status is %q. Set `issue = true` again. "+
					"To undo the invoice, cancel it: set `cancellation_reason`, apply, then destroy.", status))}
	case changed && sent && !correctable:
		return sendsIssue, nil
	case changed && (correctable || m.PayloadJSON.IsUnknown()): // A payload that is unknown is judged again in apply.
		return sendsPayload, nil
	case changed:
		return sendsNothing, state.cannotChange(m.PayloadJSON.ValueString())
	case wantsDraft, isAtRest(status), status == einvoice.StatusInContingent && m.AcceptContingency.ValueBool():
		return sendsNothing, nil
	}
	return sendsIssue, nil // The run waits for a status that this provider does not know.
}

// cannotChange refuses another payload, "" while it is unknown, for what was issued.
func (m *issuanceModel) cannotChange(payload string) diag.Diagnostics {
	letter := ""
	if m.Model.ValueString() == einvoice.ModelProduct {
		letter = "To correct an authorized NF-e without touching values, send a correction letter. "
	}
	return message.ErrorAt("payload_json", "Cannot change "+m.label(),
		fmt.Sprintf("Its status is %q, so its content cannot change any more.%s", m.Status.ValueString(),
			changedMembers(payload, m.PayloadJSON.ValueString())),
		"To issue another invoice, use a new `integration_id`. "+letter+
			"To keep this one, put the former `payload_json` back. If it refers to objects that change later, set "+
			"`ignore_changes = [payload_json]`. To remove the invoice from state and cancel nothing, use `state rm`, or a "+
			"`removed` block with `destroy = false`.")
}

// refuseOtherImport compares an imported invoice with the configuration, as adopting one
// does: nothing else would notice that they are two invoices.
func (m *issuanceModel) refuseOtherImport(
	ctx context.Context, state *issuanceModel, receiver string,
) diag.Diagnostics {
	const summary = "Wrong invoice imported"
	var diags diag.Diagnostics
	imported := fmt.Sprintf("The imported invoice (id %s", state.ID.ValueString())
	if id := state.IntegrationID; !id.IsNull() && !m.IntegrationID.IsUnknown() && !m.IntegrationID.Equal(id) {
		diags.AddAttributeError(path.Root("integration_id"), summary, fmt.Sprintf(
			"%s) has the integration_id %q at the service, and %q is configured. "+
				"Configure %[2]q, or import the right invoice. If this one is in the state already, use `state rm` first.",
			imported, id.ValueString(), m.IntegrationID.ValueString()))
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
	uncompared := m.uncompared(held)
	switch {
	case len(differ) > 0:
		diags.AddAttributeError(path.Root("payload_json"), summary, fmt.Sprintf(
			"%s) differs from the configured one: %s. Correct `payload_json`, or import the right invoice.",
			imported, m.differencesText(ctx, differ)))
	case uncompared != "" && !diags.HasError():
		diags.AddAttributeWarning(path.Root("payload_json"), "Adopts imported "+state.label(), fmt.Sprintf(
			"%s, status %q) is adopted as the configured one.%s", imported, state.Status.ValueString(), uncompared))
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
	return m.foretell(found)
}

// foretell warns of what apply will do with what a look has found.
func (m *issuanceModel) foretell(found engine.Prospect[einvoice.Invoice]) diag.Diagnostics {
	summary, detail := m.prospect(found)
	if summary == "" {
		return nil
	}
	summary = m.terms(false).Label(m.Model.ValueString(), found.Found) + summary
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("integration_id"), summary, detail)}
}

// prospect words what apply will do with the invoice that a look has found, "" for nothing.
func (m *issuanceModel) prospect(found engine.Prospect[einvoice.Invoice]) (summary, detail string) {
	v := found.Found
	switch {
	case v == nil && found.InDoubt:
		return " may exist: apply looks for it first", "An earlier run has sent it, but the service does not show it " +
			"now. Apply looks for it again for some time. It issues the invoice only if it finds nothing."
	case v == nil:
		return "", ""
	}
	amount := ""
	if v.Amount != nil {
		amount = fmt.Sprintf(", amount %.2f", float64(*v.Amount))
	}
	held := fmt.Sprintf("The service has it under its `integration_id` (id %s, status %q%s).", v.ID, v.Status, amount)
	switch draft, step := string(v.Status) == einvoice.StatusCreated, found.Steps[0]; {
	case step == engine.SendsOver && draft:
		after := " It stays a draft."
		if m.Issue.ValueBool() {
			after = " Then it is issued."
		}
		return " exists as a draft: apply replaces its payload", held +
			" The service does not show all of a draft, so apply sends the payload again under the same " +
			"`integration_id`." + after
	case step == engine.SendsOver:
		return " was rejected: apply sends it again", message.Paragraphs(
			held+" "+message.CodeAndMessage(v.ProcessingDetail), "Apply asks the tax authority about it first. "+
				"If it is still rejected, apply sends the payload again under the same `integration_id`.")
	case step == engine.IssuesDraft:
		return " exists as a draft: apply issues it", held
	case step == engine.Takes:
		return " exists: apply adopts it", held + " Apply puts it into the state and sends nothing." + m.uncompared(v)
	}
	return " exists: apply waits for it", held + message.LastStepOf(v.ProcessingDetail) +
		" Apply sends nothing, and waits for the authority." + m.uncompared(v)
}
