// Package order is the resource einvoice_order and the action that issues the
// invoices of an order: a sale that is recorded exactly once, and the invoices
// that the service issues from it.
package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ resource.ResourceWithConfigure      = (*orderResource)(nil)
	_ resource.ResourceWithIdentity       = (*orderResource)(nil)
	_ resource.ResourceWithImportState    = (*orderResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*orderResource)(nil)
	_ resource.ResourceWithValidateConfig = (*orderResource)(nil)
)

// NewResource returns the resource einvoice_order.
func NewResource() resource.Resource { return &orderResource{} }

// orderResource is a sale that the service issues invoices from. What was sold
// stays in state as it was configured: the service shows it in its own words,
// such as those of the customer it has linked, and has no operation to change it.
// Only the status and the invoices follow the service. A create that fails leaves
// nothing in state; the next one finds the order and goes on (see ordering).
type orderResource struct {
	session.ResourceBase
}

func (r *orderResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_order"
}

// ordering prepares the run for what a configuration wants.
func (r *orderResource) ordering(ctx context.Context, m *orderModel) *ordering {
	return &ordering{
		Service:           invoice.Service(r.Session),
		wanted:            m.request(),
		extra:             attribute.ExtraRequest(m.ExtraJSON),
		issue:             m.IssueInvoices.ValueBool(),
		effectiveDate:     string(m.EffectiveDate.Normalized()),
		waits:             m.WaitForInvoices.ValueBool(),
		acceptContingency: m.AcceptContingency.ValueBool(),
		watch:             invoice.LogChanges(ctx, "transaction_id", m.TransactionID.ValueString()),
	}
}

func (r *orderResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := plan.Timeouts.Create(ctx, attribute.DefaultIssuanceTimeout)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	o := r.ordering(ctx, &plan)
	o.status, o.issueNow = plan.Status.ValueString(), o.issue
	order, err := o.create(ctx)
	if resp.Diagnostics.Append(o.outcome(ctx, err, resourceTerms(req.Plan.Schema, false))...); err != nil {
		return // Without state: an object in state would be tainted, and replaced.
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, order)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), plan.ID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *orderResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state orderModel
	if resp.Diagnostics.Append(req.State.Get(ctx, &state)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	if r.Deferred() {
		return
	}
	if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	imported := state.TransactionID.IsNull()
	held, err := r.held(ctx, &state)
	gone := errors.Is(err, einvoice.ErrNotFound)
	switch {
	case gone && (imported || len(state.invoicesInState()) == 0):
		resp.State.RemoveResource(ctx)
		return
	case gone:
		resp.Diagnostics.Append(state.goneAtService())
	case err == nil:
		err = r.complete(ctx, held, &state)
	}
	if err != nil && !gone {
		resp.Diagnostics.Append(message.APIError(ctx, "read "+state.label(), err, nil)...)
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateGone, mark(gone))...)
	switch {
	case gone:
	case imported:
		state.importFrom(held)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, mark(true))...)
	default:
		resp.Diagnostics.Append(state.refresh(held)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// held reads the order. One that waits for nothing shares the list of orders with
// others.
func (r *orderResource) held(ctx context.Context, state *orderModel) (*einvoice.Order, error) {
	id, transactionID := state.ID.ValueString(), state.TransactionID.ValueString()
	known := state.invoicesInState()
	if len(known) == 0 || slices.ContainsFunc(known, func(v *einvoice.Invoice) bool { return !v.IsSettled() }) {
		return r.Client.Order(ctx, id, transactionID)
	}
	return r.Client.RefreshOrder(ctx, id, transactionID, state.isShownBy)
}

// isShownBy tells that a refresh by this order would change nothing.
func (m *orderModel) isShownBy(held *einvoice.Order) bool {
	sold, known := m.request(), m.invoicesInState()
	return (held.Status == sold.Status || m.Status.IsNull()) && len(held.Invoices) == len(known) &&
		!slices.ContainsFunc(held.Invoices, func(v *einvoice.Invoice) bool { return asKnown(known, v) == nil }) &&
		len(orderDifferences(&sold, held)) == 0 && len(m.extraDifferences(held.Raw)) == 0
}

// asKnown finds the invoice that is the same as one that an order shows.
func asKnown(known []*einvoice.Invoice, v *einvoice.Invoice) *einvoice.Invoice {
	at := slices.IndexFunc(known, func(k *einvoice.Invoice) bool { return k.ID == v.ID && k.Status == v.Status && k.Model == v.Model })
	if at < 0 {
		return nil
	}
	return known[at]
}

// complete reads what the order does not show of its invoices. What is in state
// already is not asked for again. An NFS-e need not have an access key.
func (r *orderResource) complete(ctx context.Context, held *einvoice.Order, state *orderModel) error {
	inState := state.invoicesInState()
	for _, v := range held.Invoices {
		if k := asKnown(inState, v); k != nil {
			v.Number, v.AccessKey = k.Number, k.AccessKey
		}
	}
	return inFull(ctx, r.Client, held, func(v *einvoice.Invoice) bool {
		return lacksNumber(v) && (v.Number == nil || v.Model != einvoice.ModelService || asKnown(inState, v) == nil)
	})
}

// refresh takes what follows the service, and warns of what should not have
// changed there.
func (m *orderModel) refresh(held *einvoice.Order) diag.Diagnostics {
	var diags diag.Diagnostics
	if !m.Status.IsNull() && held.Status != "" {
		m.Status = attribute.TextOrNull(held.Status)
	}
	m.Invoices = orderInvoicesFromAPI(held.Invoices)
	sold := m.request()
	if differ := append(differencesShown(orderDifferences(&sold, held)), m.extraDifferences(held.Raw)...); len(differ) > 0 {
		diags.Append(m.differsAtService(differ))
	}
	for _, v := range held.Invoices {
		if issuing.IsRejected(v) && !isReplaced(held.Invoices, v) {
			diags.Append(m.rejectedInState(v))
		}
	}
	return diags
}

// Update changes the status, issues explicitly, goes on waiting, or only writes
// down what changed in the configuration. ModifyPlan decided which: known
// invoices mean that nothing is sent.
func (r *orderResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state orderModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), state.ID)...)
	resp.Diagnostics.Append(r.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	held := &einvoice.Order{ID: einvoice.Text(state.ID.ValueString()), Invoices: state.invoicesInState()}
	if plan.Invoices.IsUnknown() {
		timeout, diags := plan.Timeouts.Update(ctx, attribute.DefaultIssuanceTimeout)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		o := r.ordering(ctx, &plan)
		o.issueNow = plan.issuesNow(&state)
		if plan.changesStatus(&state) {
			o.status = plan.Status.ValueString()
		}
		var err error
		held, err = o.update(ctx, state.ID.ValueString())
		if resp.Diagnostics.Append(o.outcome(ctx, err, resourceTerms(req.Plan.Schema, true))...); err != nil {
			return // The prior object stays, untainted.
		}
	}
	resp.Diagnostics.Append(plan.fillFrom(ctx, held)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, privateImported, mark(false))...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete only forgets: the plan has said what stays at the service.
func (r *orderResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func (r *orderResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	transactionID, byTransaction := strings.CutPrefix(req.ID, "transaction_id=")
	if !byTransaction && strings.ContainsAny(req.ID, "=/ ") || byTransaction && transactionID == "" {
		resp.Diagnostics.AddError("Invalid import ID", fmt.Sprintf("The import ID is %q. It must be the id of an order (a UUID), or `transaction_id=` and the order's transaction_id, for example \"transaction_id=sale-2026-0001\".", req.ID))
		return
	}
	if byTransaction {
		if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
			return
		}
		found, err := einvoice.Matching(r.Client.Orders(ctx, transactionID), func(held *einvoice.Order) bool {
			return string(held.TransactionID) == transactionID
		})
		if err != nil {
			resp.Diagnostics.Append(message.APIError(ctx, "import "+orderLabel(transactionID), err, nil)...)
			return
		}
		if resp.Diagnostics.Append(message.ExactlyOne(len(found), "order", "transaction_id", transactionID)...); resp.Diagnostics.HasError() {
			return
		}
		req.ID = string(found[0].ID)
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
