// Package order is the resource einvoice_order, its data sources and the action that
// issues the invoices of an order: a sale that is recorded exactly once, and the
// invoices that the service issues from it. How they come to be is package engine's.
package order

import (
	"context"
	"errors"
	"slices"
	"strings"

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

var (
	_ session.Managed                     = (*orderResource)(nil)
	_ resource.ResourceWithValidateConfig = (*orderResource)(nil)
)

// NewResource returns the resource einvoice_order.
func NewResource() resource.Resource { return &orderResource{} }

// orderResource is a sale that the service issues invoices from. What was sold stays in state
// as it was configured: the service shows it in its own words and cannot change it. Only the
// status and the invoices follow the service.
type orderResource struct {
	session.ResourceBase
}

func (r *orderResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_order"
	resp.ResourceBehavior.MutableIdentity = true // The company shows when the first invoice does.
}

// ordering is the run for what a configuration wants.
func (m *orderModel) ordering(ctx context.Context, s *session.Session) *engine.Ordering {
	return &engine.Ordering{
		Service:           issuance.Service(s),
		Wanted:            m.request(),
		Extra:             attribute.ExtraRequest(m.ExtraJSON),
		Issue:             m.IssueInvoices.ValueBool(),
		EffectiveDate:     sentDateTime(string(m.EffectiveDate.Normalized())),
		Waits:             m.WaitForInvoices.ValueBool(),
		AcceptContingency: m.AcceptContingency.ValueBool(),
		Watch:             issuance.LogChanges(ctx, "transaction_id", m.TransactionID.ValueString()),
	}
}

// sale is the order as a plan knows it. block names its block to the journal.
func (m *orderModel) sale(block string) issuance.Sale {
	return issuance.Sale{
		Thing: issuance.Order, Attribute: "transaction_id", Name: m.TransactionID.ValueString(),
		Company: string(m.Issuer.Normalized()), Label: m.label(), Block: block,
	}
}

// newOrdering is the run for an order that is not in state.
func (m *orderModel) newOrdering(ctx context.Context, s *session.Session) *engine.Ordering {
	o := m.ordering(ctx, s)
	o.Status, o.IssueNow = m.Status.ValueString(), o.Issue
	return o
}

func (r *orderResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	acting, diags := r.As(ctx, req.Config, req.Plan, attribute.Spelled{})
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := attribute.WithTimeout(ctx, plan.Timeouts.Create, &resp.Diagnostics)
	defer cancel()
	o := plan.newOrdering(ctx, acting)
	o.Holder, diags = issuance.NewHolder(ctx, resp.Private, o.RecordOwner())
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	order, err := o.Create(ctx)
	isElsewhere := issuance.IssuedElsewhere(err)
	if isElsewhere {
		err = nil // They are issued, and in state with a warning.
	}
	if resp.Diagnostics.Append(outcome(ctx, o, err, req.Plan.Schema, false)...); err != nil {
		return // Without state: an object in state would be tainted, and replaced.
	}
	for _, v := range order.Invoices {
		if isElsewhere && v.EnvironmentType != "" && !acting.Environments.Allows(string(v.EnvironmentType)) {
			label := invoiceLabel(v, plan.TransactionID.ValueString())
			resp.Diagnostics.Append(issuance.NotAllowedThere(ctx, label, v)...)
		}
	}
	resp.Diagnostics.Append(plan.issuedUnasked(ctx, nil, order.Invoices)...)
	resp.Diagnostics.Append(plan.fillFrom(ctx, order)...)
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(acting.NoteAccount(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	if order.Raw != nil {
		held := plan
		held.ExtraJSON, diags = attribute.ProjectExtra(plan.ExtraJSON, order.Raw)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, held)...)
	}
}

func (r *orderResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state orderModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	reading := r.For(state.Issuer)
	resp.Diagnostics.Append(reading.NoteAccount(ctx, resp.Private)...)
	if !reading.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	isImport := state.TransactionID.IsNull()
	held, err := state.held(ctx, reading.Client)
	isGone := errors.Is(err, einvoice.ErrNotFound)
	switch {
	case isGone && (isImport || len(state.invoicesInState()) == 0):
		resp.State.RemoveResource(ctx)
		return
	case isGone:
		resp.Diagnostics.Append(state.goneAtService(ctx)...)
	case err == nil:
		err = state.complete(ctx, reading.Client, held)
	}
	switch {
	case isImport && errors.Is(err, einvoice.ErrBadRequest):
		resp.Diagnostics.Append(message.InvalidImportID(ctx, state.ID.ValueString(), text.Of("order.import", nil))...)
		return
	case err != nil && !isGone:
		resp.Diagnostics.Append(message.APIError(ctx, message.Task("read", state.label()), err, nil)...)
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateGone, mark(isGone))...)
	switch {
	case isGone:
	case isImport:
		resp.Diagnostics.Append(state.refuseOtherIssuer(ctx, held)...)
		state.importFrom(held)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, mark(true))...)
	default:
		resp.Diagnostics.Append(state.refresh(ctx, held)...)
	}
	state.Account = reading.KnownAccount(state.Account)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// held reads the order. One whose invoices are all final shares the list of orders with others.
func (m *orderModel) held(ctx context.Context, client *einvoice.Client) (*einvoice.Order, error) {
	id, transactionID := m.ID.ValueString(), m.TransactionID.ValueString()
	known := m.invoicesInState()
	if len(known) == 0 || slices.ContainsFunc(known, func(v *einvoice.Invoice) bool { return !v.Meaning().Final }) {
		return client.Order(ctx, id, transactionID)
	}
	return client.RefreshOrder(ctx, id, transactionID, m.isShownBy)
}

// isShownBy reports whether a refresh by this order would change nothing.
func (m *orderModel) isShownBy(held *einvoice.Order) bool {
	sold, known := m.request(), m.invoicesInState()
	return (held.Status == sold.Status || m.Status.IsNull()) && len(held.Invoices) == len(known) &&
		!slices.ContainsFunc(held.Invoices, func(v *einvoice.Invoice) bool { return asKnown(known, v) == nil }) &&
		len(engine.OrderDifferences(&sold, held)) == 0 && len(m.extraDifferences(held.Raw)) == 0
}

// asKnown finds the invoice that is the same as one that an order shows.
func asKnown(known []*einvoice.Invoice, v *einvoice.Invoice) *einvoice.Invoice {
	at := slices.IndexFunc(known, func(k *einvoice.Invoice) bool {
		return einvoice.SameID(k.ID, v.ID) && k.Status == v.Status && k.Model == v.Model
	})
	if at < 0 {
		return nil
	}
	return known[at]
}

// complete reads what the order does not show of its invoices, apart from what is in state
// already. An NFS-e need not have an access key.
func (m *orderModel) complete(ctx context.Context, client *einvoice.Client, held *einvoice.Order) error {
	inState := m.invoicesInState()
	for _, v := range held.Invoices {
		if k := asKnown(inState, v); k != nil {
			v.Number, v.AccessKey = k.Number, k.AccessKey
		}
	}
	return engine.Complete(ctx, client, held, func(v *einvoice.Invoice) bool {
		isKnown := v.Number != nil && v.Model == einvoice.ModelService && asKnown(inState, v) != nil
		return engine.LacksNumber(v) && !isKnown
	})
}

// refresh takes what follows the service, and warns of what should not have changed there.
func (m *orderModel) refresh(ctx context.Context, held *einvoice.Order) (diags diag.Diagnostics) {
	if !m.Status.IsNull() && held.Status != "" {
		m.Status = attribute.TextOrNull(held.Status)
	}
	diags.Append(m.issuedUnasked(ctx, m.invoicesInState(), held.Invoices)...)
	m.Invoices = invoicesFromAPI(held.Invoices)
	m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(held))
	sold := m.request()
	terms := issuance.Terms{Thing: issuance.Order}
	differences := append(m.extraDifferences(held.Raw), terms.Differences(engine.OrderDifferences(&sold, held))...)
	if len(differences) > 0 {
		diags.Append(say.Warning(ctx, "order.differs", text.With{
			"label": m.label(), "id": m.ID.ValueString(), "differences": differences,
		})...)
	}
	for _, v := range held.Invoices {
		if engine.IsRejected(v) && !engine.IsReplaced(held.Invoices, v) {
			diags.Append(m.failedInvoice(ctx, v)...)
		}
	}
	return diags
}

// Update changes the status, issues explicitly, goes on waiting, or only records what changed
// in the configuration. ModifyPlan decided which: known invoices mean that nothing is sent.
func (r *orderResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	acting, diags := r.As(ctx, req.Config, req.Plan, state.Issuer)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	resp.Diagnostics.Append(acting.RefuseOtherAccount(ctx, req.Private, state.label().In(ctx))...)
	if resp.Diagnostics.HasError() {
		return
	}
	held := &einvoice.Order{ID: einvoice.Text(state.ID.ValueString()), Invoices: state.invoicesInState()}
	o := plan.ordering(ctx, acting)
	o.Known = held.Invoices
	o.Owner = issuance.Owner(ctx, req.Private)
	if o.Holder = issuance.Holder(ctx, req.Private); o.Holder == "" {
		o.Holder, diags = issuance.NewHolder(ctx, resp.Private, o.RecordOwner())
		resp.Diagnostics.Append(diags...)
		o.Take(ctx, state.ID.ValueString(), isMarked(ctx, req.Private, privateImported))
	}
	if plan.Invoices.IsUnknown() {
		ctx, cancel := attribute.WithTimeout(ctx, plan.Timeouts.Update, &resp.Diagnostics)
		defer cancel()
		o.IssueNow = plan.issuesNow(&state)
		if plan.changesStatus(&state) {
			o.Status = plan.Status.ValueString()
		}
		var err error
		held, err = o.Update(ctx, state.ID.ValueString())
		if resp.Diagnostics.Append(outcome(ctx, o, err, req.Plan.Schema, true)...); err != nil {
			return // The prior object stays, untainted.
		}
		resp.Diagnostics.Append(plan.issuedUnasked(ctx, state.invoicesInState(), held.Invoices)...)
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, held)...)
	plan.Account = acting.KnownAccount(plan.Account)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, mark(false))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete cancels the invoices that are valid when a reason is in state, and otherwise only
// forgets the order. The plan has said which, by the same statuses.
func (r *orderResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state orderModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.CancellationReason.IsNull() {
		return
	}
	acting := r.For(state.Issuer)
	resp.Diagnostics.Append(acting.Usable(ctx)...)
	resp.Diagnostics.Append(acting.RefuseOtherAccount(ctx, req.Private, state.label().In(ctx))...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := attribute.WithTimeout(ctx, state.Timeouts.Delete, &resp.Diagnostics)
	defer cancel()
	o := state.ordering(ctx, acting)
	o.Holder, o.Owner = issuance.Holder(ctx, req.Private), issuance.Owner(ctx, req.Private)
	id, reason := state.ID.ValueString(), state.CancellationReason.ValueString()
	if err := o.Cancel(ctx, id, reason, state.invoicesInState()); err != nil {
		resp.Diagnostics.Append(state.notCanceled(ctx, o, err)...)
	}
}

func (r *orderResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var identity orderIdentity
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	} else {
		issuer, order, ok := importedOrder(req.ID)
		if !ok {
			resp.Diagnostics.Append(message.InvalidImportID(ctx, req.ID, text.Of("order.import", nil))...)
			return
		}
		identity = orderIdentity{ID: types.StringValue(order), Issuer: attribute.TextOrNull(issuer)}
	}
	reading := r.For(attribute.SpelledOrNull(attribute.TaxNumberSpelling, identity.Issuer.ValueString()))
	if transactionID, found := strings.CutPrefix(identity.ID.ValueString(), byTransaction); found {
		id, diags := orderUnder(ctx, reading, "import", transactionID)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		identity.ID = types.StringValue(id)
	}
	if !identity.Issuer.IsNull() {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("issuer"), identity.Issuer)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), identity.ID)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}

const byTransaction = "transaction_id="

// importedOrder reads an id or transaction_id=..., with or without a company before it. A
// transaction_id may have slashes of its own.
func importedOrder(id string) (issuer, order string, ok bool) {
	before, transactionID, found := strings.Cut(id, byTransaction)
	issuer, order, ok = attribute.CutIssuer(before)
	if found {
		return issuer, byTransaction + transactionID, ok && order == "" && transactionID != ""
	}
	return issuer, order, ok && attribute.IsID(order)
}

// orderUnder finds the order that has a transaction_id. verb is "import" or "read".
func orderUnder(
	ctx context.Context, s *session.Session, verb, transactionID string,
) (string, diag.Diagnostics) {
	if diags := s.Usable(ctx); diags.HasError() {
		return "", diags
	}
	found, err := einvoice.Matching(s.Client.Orders(ctx, transactionID), func(held *einvoice.Order) bool {
		return string(held.TransactionID) == transactionID
	})
	if err != nil {
		return "", message.APIError(ctx, message.Task(verb, orderLabel(transactionID)), err, nil)
	}
	id := func(held *einvoice.Order) einvoice.Text { return held.ID }
	if diags := message.ExactlyOne(ctx, found, id, "order", "transaction_id", transactionID); diags.HasError() {
		return "", diags
	}
	return string(found[0].ID), nil
}
