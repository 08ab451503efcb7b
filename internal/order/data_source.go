package order

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigValidators = (*orderDataSource)(nil)

// orderDataSource reads one order, with its invoices in full.
type orderDataSource struct {
	session.DocumentDataSource[orderDataModel]
}

type orderDataModel struct {
	record
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

type ordersDataModel struct {
	Issuer attribute.Spelled `tfsdk:"issuer"`
	Limit  types.Int64       `tfsdk:"limit"`
	Orders []*record         `tfsdk:"orders"`
}

const exampleID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// NewDataSource is einvoice_order.
func NewDataSource() datasource.DataSource {
	attributes := recordAttributes()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the order at the service (a UUID). Set this or `transaction_id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: exampleID}},
	}
	attributes["transaction_id"] = schema.StringAttribute{
		MarkdownDescription: "The seller's own identifier of the sale. Set this or `id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "sale-2026-0001"}},
	}
	return &orderDataSource{session.DocumentDataSource[orderDataModel]{
		Name: "order", Attributes: attributes, Fill: readOrder,
		Description: "One order, by `id` or by `transaction_id`, and its invoices. Needs the seller's key.",
	}}
}

func (d *orderDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("transaction_id")),
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
		return message.APIError(ctx, "read the invoices of order "+id, err, nil)
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
	return &session.DocumentDataSource[ordersDataModel]{
		Name: "orders", Fill: readOrders,
		Description: "All orders of a company. It shows only `id`, `model` and `status` of their invoices: " +
			"[einvoice_order](order.md) reads one order with all details. Needs the seller's key.",
		Attributes: map[string]schema.Attribute{
			"limit": attribute.Limit("orders"),
			"orders": schema.ListNestedAttribute{
				MarkdownDescription: "The orders, in the order of the service; empty when there is none.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: recordAttributes()},
			},
		},
	}
}

func readOrders(ctx context.Context, reading *session.Session, m *ordersDataModel) (diags diag.Diagnostics) {
	listing := session.Listing[einvoice.Order, record]{
		Task: "read orders", Plural: "orders", Limit: m.Limit, Entries: reading.Client.Orders(ctx, ""),
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
	text := attribute.ComputedText
	money := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	spelled := func(description string, s *attribute.Spelling) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: description, CustomType: attribute.SpelledType{Spelling: s}, Computed: true,
		}
	}
	return map[string]schema.Attribute{
		"id":              text("Identifier of the order at the service (a UUID)."),
		"transaction_id":  text("The seller's own identifier of the sale."),
		"date":            spelled("When the sale was made.", attribute.DateTimeSpelling),
		"amount":          money("Total of the sale, in reais."),
		"discount_amount": money("Discount on the whole sale, in reais."),
		"freight_amount":  money("Freight of the whole sale, in reais."),
		"status":          text("Status of the order, such as " + attribute.WordList(orderStates) + "."),
		"payment_method":  text("How it is paid, such as " + attribute.WordList(orderPayments) + "."),
		"auto_issue_mode": text("When the service issues the invoices by " +
			"itself: " + attribute.WordList(einvoice.AutoIssueModes) + "."),
		"warranty_date": spelled("When the warranty ends, for `afterWarrency`.", attribute.DateTimeSpelling),
		"send_email_to_customer": schema.BoolAttribute{
			MarkdownDescription: "Whether the service e-mails the invoices to the customer.", Computed: true,
		},
		"customer": attribute.ComputedObject("Who buys.", map[string]schema.Attribute{
			"name":               text("Name of the customer."),
			"federal_tax_number": spelled("CPF, CNPJ or foreign document.", attribute.TaxNumberSpelling),
			"email":              text("E-mail address."),
			"address": attribute.ComputedAddress(map[string]schema.Attribute{
				"city_name": text("Name of a city abroad."),
			}),
		}),
		"items": schema.ListNestedAttribute{
			MarkdownDescription: "What is sold.", Computed: true,
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"quantity":        money("How many."),
				"price":           money("Price of one, in reais."),
				"amount":          money("Amount of the item, in reais."),
				"discount_amount": money("Discount on the item, in reais."),
				"freight_amount":  money("Share of the item in the freight, in reais."),
				"product": attribute.ComputedObject("The product or service.", map[string]schema.Attribute{
					"code":  text("Code of the product."),
					"name":  text("Name of the product."),
					"price": money("List price of one unit, in reais."),
					"invoice_model": text("Kind of invoice that the sale asks " +
						"for: " + attribute.WordList(einvoice.Models) + "."),
				}),
			}},
		},
		"invoices": invoicesAttribute,
	}
}
