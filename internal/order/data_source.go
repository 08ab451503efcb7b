package order

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type orderDataModel struct {
	record
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

type ordersDataModel struct {
	Issuer attribute.Spelled `tfsdk:"issuer"`
	Limit  types.Int64       `tfsdk:"limit"`
	Orders []record          `tfsdk:"orders"`
}

// NewDataSource is einvoice_order.
func NewDataSource() datasource.DataSource {
	attributes := recordAttributes()
	attributes["id"] = session.FoundBy("Identifier of the order at the service (a UUID). Set this or "+
		"`transaction_id`.", attribute.TextValidator{})
	attributes["transaction_id"] = session.FoundBy(
		"The seller's own identifier of the sale. Set this or `id`.", attribute.TextValidator{})
	return &session.DataSource[orderDataModel]{
		Company: "issuer", Name: "order", Attributes: attributes, Fill: readOrder,
		Description: "One order, by `id` or by `transaction_id`, and its invoices. Needs the seller's key.",
		Validators: []datasource.ConfigValidator{
			datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("transaction_id")),
		},
	}
}

func readOrder(ctx context.Context, reading *session.Session, m *orderDataModel) diag.Diagnostics {
	configured := m.record
	id, transactionID := m.ID.ValueString(), m.TransactionID.ValueString()
	if m.ID.IsNull() {
		var diags diag.Diagnostics
		if id, diags = orderUnder(ctx, reading, "read", transactionID); diags.HasError() {
			return diags
		}
	}
	held, err := reading.Client.Order(ctx, id, transactionID) // A list may lag; the read by id is current.
	if err != nil {
		return message.ReadError(ctx, "order", "id", id, err)
	}
	if err := engine.Complete(ctx, reading.Client, held, engine.LacksNumber); err != nil {
		return message.APIError(ctx, text.Of("order.read_invoices", text.With{"id": id}), err, nil)
	}
	m.record = recordFromAPI(held)
	if !configured.ID.IsNull() {
		m.ID = configured.ID
	}
	if m.TransactionID.IsNull() {
		m.TransactionID = configured.TransactionID
	}
	return nil
}

// NewListDataSource is einvoice_orders. Of the invoices it shows what the list shows: to
// read each of them would cost a request.
func NewListDataSource() datasource.DataSource {
	return &session.DataSource[ordersDataModel]{
		Company: "issuer", Name: "orders", Fill: readOrders,
		Description: "All orders of a company. Of their invoices it shows only `id`, `model` and `status`: " +
			"[einvoice_order](order.md) reads one order with all details. Needs the seller's key.",
		Attributes: map[string]schema.Attribute{
			"limit": attribute.Limit("orders"),
			"orders": schema.ListNestedAttribute{
				MarkdownDescription: "The orders, in the order of the service; empty if there is none.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: recordAttributes()},
			},
		},
	}
}

func readOrders(ctx context.Context, reading *session.Session, m *ordersDataModel) (diags diag.Diagnostics) {
	listing := session.Listing[einvoice.Order, record]{
		Plural: "orders", Limit: m.Limit, Entries: reading.Client.Orders(ctx, ""),
		Model: func(held *einvoice.Order) record {
			order := recordFromAPI(held)
			if !held.ShowsInvoices() { // A list that says nothing does not say that there is none.
				order.Invoices = types.ListNull(order.Invoices.ElementType(ctx))
			}
			return order
		},
	}
	m.Orders, diags = listing.Read(ctx)
	return diags
}

// recordAttributes describes an order as it is read.
func recordAttributes() map[string]schema.Attribute {
	read := attribute.Computed(saleAttributes())
	read["invoices"] = invoicesAttribute
	return read
}
