package order

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// What Read tells the plan right after it.
const (
	privateImported = "imported" // nothing of a configuration is in state yet
	privateGone     = "gone"     // the service no longer finds the order
)

func isMarked(ctx context.Context, private session.PrivateState, key string) bool {
	value, diags := private.GetKey(ctx, key)
	return !diags.HasError() && string(value) == "true"
}

func mark(value bool) []byte { return []byte(strconv.FormatBool(value)) }

// ModifyPlan decides, once, whether anything will reach the service. If so, the invoices are
// unknown; if not, they stay as they are.
func (r *orderResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	var plan, state, config orderModel
	creates, destroys := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if !destroys {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
		resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	}
	switch {
	case resp.Diagnostics.HasError(), creates && destroys:
		return
	case destroys:
		resp.Diagnostics.Append(r.For(state.Issuer).NoteAccount(ctx, resp.Private)...)
		resp.Diagnostics.Append(r.planDestroy(ctx, &state, req.Private)...)
		return
	}
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Issuer)
	resp.Diagnostics.Append(diags...)
	if acting.RefuseUnusableKey(ctx, req, resp); resp.Diagnostics.HasError() {
		return
	}
	if creates {
		resp.Diagnostics.Append(plan.sale("").RefuseReplacement(ctx, req.Private)...)
		resp.Diagnostics.Append(plan.planCreate(ctx, acting, &config, req.Plan.Schema)...)
		resp.Diagnostics.Append(acting.NoteAccount(ctx, resp.Private)...)
		plan.Account = acting.PlannedAccount()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
		return
	}
	sale := state.sale(issuance.Holder(ctx, req.Private))
	if plan.TransactionID.Equal(state.TransactionID) {
		resp.Diagnostics.Append(sale.NoteHeld(ctx, acting, state.ID.ValueString(), session.Stays)...)
	}
	plan.planChange(ctx, &config, &state, req.Private, resp)
	resp.Diagnostics.Append(sale.NoteCancels(ctx, resp.Private, state.cancels())...)
	if plan.Invoices.IsUnknown() {
		resp.Diagnostics.Append(acting.RequireIssuer(ctx, state.label().In(ctx))...)
	}
}

// planChange plans what becomes of an order in state. A replacement is first planned as an update, and no destroy is
// planned for its other half: this is the only place to warn.
func (m *orderModel) planChange(
	ctx context.Context, config, state *orderModel, private session.PrivateState, resp *resource.ModifyPlanResponse,
) {
	resp.Diagnostics.Append(state.warnOfEnded(ctx)...)
	if config.Issuer.IsNull() {
		m.Issuer = state.Issuer
	}
	isImported := isMarked(ctx, private, privateImported)
	switch changesIssuer := m.changesIssuer(state); {
	case changesIssuer && (isImported || state.hasIssued()):
		resp.Diagnostics.Append(message.IssuerStays(ctx, state.label(), "order",
			state.Issuer.ValueString(), m.Issuer.ValueString(), text.Of("order.another_block", nil))...)
	case changesIssuer:
		resp.RequiresReplace.Append(path.Root("issuer"))
		resp.Diagnostics.Append(state.destroyWarning(ctx)...)
	case !isImported && !m.TransactionID.Equal(state.TransactionID):
		resp.Diagnostics.Append(m.secondOrder(ctx, state)...)
	default:
		if isImported {
			resp.RequiresReplace = nil
		}
		isGone := isMarked(ctx, private, privateGone)
		resp.Diagnostics.Append(m.planUpdate(ctx, config, state, isImported, isGone)...)
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(resp.Plan.Set(ctx, m)...)
		}
	}
}

func (r *orderResource) planDestroy(
	ctx context.Context, state *orderModel, private session.PrivateState,
) diag.Diagnostics {
	if !state.cancels() {
		return state.destroyWarning(ctx)
	}
	acting, holder := r.For(state.Issuer), issuance.Holder(ctx, private)
	if !acting.Deferred() && acting.Client != nil {
		o := state.ordering(ctx, acting)
		o.Holder, o.Owner = holder, issuance.Owner(ctx, private)
		if o.IsTakenOver(ctx, state.ID.ValueString()) {
			return nil // Nothing is canceled.
		}
	}
	if refused := acting.RequireKeyToCancel(ctx, state.Issuer, state.label()); refused != nil {
		return refused
	}
	diags := state.destroyWarning(ctx)
	sale := state.sale(holder)
	diags.Append(sale.NoteHeld(ctx, r.Session, state.ID.ValueString(), session.Cancels)...)
	_, noted := sale.Note(ctx, r.Session, session.Cancels)
	return append(diags, noted...)
}

// cancels reports whether a destroy cancels invoices of the order.
func (m *orderModel) cancels() bool {
	return !m.CancellationReason.IsNull() && slices.ContainsFunc(m.invoicesInState(), engine.IsCancelable)
}

func (m *orderModel) planCreate(
	ctx context.Context, s *session.Session, config *orderModel, schema message.PathSchema,
) diag.Diagnostics {
	diags := s.RequireIssuer(ctx, m.label())
	_, noted := m.sale("").Note(ctx, s, session.Comes)
	diags.Append(noted...)
	if !m.Items.IsUnknown() {
		for _, model := range m.ordering(ctx, s).Models() {
			_, refused := issuance.PlanEnvironment(ctx, s, model, m.label())
			diags.Append(refused...)
		}
	}
	none := record{Date: attribute.SpelledOrNull(attribute.DateTimeSpelling, "")}
	m.leaveUnset(config, &none)
	if s.LooksAhead() && !diags.HasError() {
		diags.Append(m.foresee(ctx, s, schema)...)
	}
	return diags
}

// planUpdate plans what changes in place. Of an order that is stuck nothing can be waited for.
func (m *orderModel) planUpdate(
	ctx context.Context, config, state *orderModel, isImported, isGone bool,
) diag.Diagnostics {
	m.leaveUnset(config, &state.record)
	diags := m.refuseChanges(ctx, state, isImported)
	m.ID, m.Invoices = state.ID, state.Invoices
	if !isGone && m.goesOn(state) || m.changesStatus(state) || m.issuesNow(state) {
		m.Invoices = types.ListUnknown(types.ObjectType{AttrTypes: invoiceTypes})
		if m.Issuer.IsNull() {
			m.Issuer = attribute.UnknownIssuer
		}
	}
	if m.letsIssue(state) {
		diags.Append(say.WarningAt(ctx, path.Root("status"), "order.issued_by_status", text.With{
			"label": m.label(), "status": m.Status.ValueString(), "mode": m.AutoIssueMode.ValueString(),
		})...)
	}
	if config.Status.IsNull() {
		m.Status = state.Status
	}
	return diags
}

// leaveUnset plans what is not configured as it is: only an import brings what the service has filled in into the
// state. A status that is not configured asks for nothing.
func (m *orderModel) leaveUnset(config *orderModel, as *record) {
	if config.Date.IsNull() {
		m.Date = as.Date
	}
	if config.Status.IsNull() {
		m.Status = types.StringNull()
	}
	if config.SendEmailToCustomer.IsNull() {
		m.SendEmailToCustomer = as.SendEmailToCustomer
	}
}

// warnOfEnded warns, in every plan, of invoices that ended elsewhere.
func (m *orderModel) warnOfEnded(ctx context.Context) (diags diag.Diagnostics) {
	invoices := m.invoicesInState()
	for _, v := range invoices {
		if engine.HasFailed(v) && !engine.IsRejected(v) && !engine.IsReplaced(invoices, v) {
			diags.Append(m.failedInvoice(ctx, v)...)
		}
	}
	return diags
}

// goesOn reports whether an update in place waits for what is due, or issues again what was
// rejected.
func (m *orderModel) goesOn(state *orderModel) bool {
	waits := m.WaitForInvoices.IsUnknown() || m.WaitForInvoices.ValueBool()
	due := m.IssueInvoices.IsUnknown() || m.IssueInvoices.ValueBool() || m.AutoIssueMode.IsUnknown() ||
		engine.IssuesByItself(m.AutoIssueMode.ValueString(), m.Status.ValueString())
	return waits && due && m.unsettled(state)
}

func (m *orderModel) changesStatus(state *orderModel) bool {
	return !m.Status.IsNull() && !m.Status.Equal(state.Status)
}

// letsIssue reports whether the new status makes the service issue the order's invoices.
func (m *orderModel) letsIssue(state *orderModel) bool {
	mode := m.AutoIssueMode.ValueString()
	return !attribute.IsUnset(m.Status) && engine.IssuesByItself(mode, m.Status.ValueString()) &&
		!engine.IssuesByItself(mode, state.Status.ValueString())
}

// issuesNow reports whether the explicit issue is turned on, or may be.
func (m *orderModel) issuesNow(state *orderModel) bool {
	return (m.IssueInvoices.IsUnknown() || m.IssueInvoices.ValueBool()) && !state.IssueInvoices.ValueBool()
}

// unsettled reports whether an invoice in state is neither valid nor given up, so that an
// apply goes on with it.
func (m *orderModel) unsettled(state *orderModel) bool {
	invoices := state.invoicesInState()
	want := engine.Want{Issue: true, AcceptContingency: m.AcceptContingency.ValueBool()}
	return len(invoices) == 0 || slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool {
		return !want.IsDoneWith(v) && !engine.IsReplaced(invoices, v)
	})
}

// refuseChanges reports each change that the service has no operation for. What an import
// could not know is no change.
func (m *orderModel) refuseChanges(
	ctx context.Context, state *orderModel, isImported bool,
) (diags diag.Diagnostics) {
	var changed []attribute.Change
	for _, sold := range []struct {
		name     string
		now, was attr.Value
	}{
		{"transaction_id", m.TransactionID, state.TransactionID},
		{"date", m.Date, state.Date},
		{"amount", m.Amount, state.Amount},
		{"discount_amount", m.DiscountAmount, state.DiscountAmount},
		{"freight_amount", m.FreightAmount, state.FreightAmount},
		{"payment_method", m.PaymentMethod, state.PaymentMethod},
		{"auto_issue_mode", m.AutoIssueMode, state.AutoIssueMode},
		{"warranty_date", m.WarrantyDate, state.WarrantyDate},
		{"send_email_to_customer", m.SendEmailToCustomer, state.SendEmailToCustomer},
		{"customer", m.Customer, state.Customer},
		{"items", m.Items, state.Items},
	} {
		changed = append(changed, attribute.Changes(path.Root(sold.name), sold.now, sold.was)...)
	}
	if state.IssueInvoices.ValueBool() && m.IssueInvoices.ValueBool() {
		changed = append(changed, attribute.Changes(path.Root("effective_date"), m.EffectiveDate, state.EffectiveDate)...)
	}
	// A key that is taken out is only forgotten here.
	if !attribute.ExtraHeld(m.ExtraJSON, json.RawMessage(state.ExtraJSON.ValueString())) {
		changed = append(changed, attribute.Change{
			At: path.Root("extra_json"), Was: state.ExtraJSON, Now: m.ExtraJSON,
		})
	}
	for n, c := range changed {
		switch {
		case !isImported:
			diags.Append(state.cannotChange(ctx, c, n == 0)...)
		case !c.Was.IsNull() && !c.Now.IsNull():
			diags.Append(state.importedAnother(ctx, c)...)
		}
	}
	return diags
}

// foresee looks at the service and says what apply will make of a new order, in the words of
// the apply where it will be refused. Of one that will be recorded it says nothing.
func (m *orderModel) foresee(ctx context.Context, s *session.Session, schema message.PathSchema) diag.Diagnostics {
	for _, needed := range []attr.Value{
		m.TransactionID, m.Status, m.IssueInvoices, m.WaitForInvoices, m.AutoIssueMode, m.Amount, m.Customer,
	} {
		if needed.IsUnknown() {
			return nil
		}
	}
	o := m.newOrdering(ctx, s)
	prospect, err := o.Look(ctx)
	if err != nil {
		return outcome(ctx, o, err, schema, false)
	}
	return m.prospect(ctx, prospect)
}
