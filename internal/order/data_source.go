package order

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*orderDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*orderDataSource)(nil)
	_ datasource.DataSourceWithConfigure        = (*ordersDataSource)(nil)
)

// NewDataSource returns the data source einvoice_order.
func NewDataSource() datasource.DataSource { return &orderDataSource{} }

// NewListDataSource returns the data source einvoice_orders.
func NewListDataSource() datasource.DataSource { return &ordersDataSource{} }

// orderDataSource reads one order, with its invoices in full.
type orderDataSource struct {
	session.DataSourceBase
}

// ordersDataSource reads all orders of a company. Of their invoices it shows what
// the list shows: to read each of them would cost a request.
type ordersDataSource struct {
	session.DataSourceBase
}

// orderRecord is an order as it is read.
type orderRecord struct {
	ID                  types.String      `tfsdk:"id"`
	TransactionID       types.String      `tfsdk:"transaction_id"`
	Date                attribute.Spelled `tfsdk:"date"`
	Amount              types.Float64     `tfsdk:"amount"`
	DiscountAmount      types.Float64     `tfsdk:"discount_amount"`
	FreightAmount       types.Float64     `tfsdk:"freight_amount"`
	Status              types.String      `tfsdk:"status"`
	PaymentMethod       types.String      `tfsdk:"payment_method"`
	AutoIssueMode       types.String      `tfsdk:"auto_issue_mode"`
	WarrantyDate        attribute.Spelled `tfsdk:"warranty_date"`
	SendEmailToCustomer types.Bool        `tfsdk:"send_email_to_customer"`
	Customer            types.Object      `tfsdk:"customer"`
	Items               types.List        `tfsdk:"items"`
	Invoices            types.List        `tfsdk:"invoices"`
}

type orderDataModel struct {
	orderRecord
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

type ordersDataModel struct {
	Issuer attribute.Spelled `tfsdk:"issuer"`
	Limit  types.Int64       `tfsdk:"limit"`
	Orders []*orderRecord    `tfsdk:"orders"`
}

func recordFromAPI(held *einvoice.Order) orderRecord {
	var m orderModel
	m.importFrom(held)
	return orderRecord{
		ID: m.ID, TransactionID: m.TransactionID, Date: m.Date, Amount: m.Amount, DiscountAmount: m.DiscountAmount, FreightAmount: m.FreightAmount, Status: m.Status,
		PaymentMethod: m.PaymentMethod, AutoIssueMode: m.AutoIssueMode, WarrantyDate: m.WarrantyDate, SendEmailToCustomer: m.SendEmailToCustomer,
		Customer: m.Customer, Items: m.Items, Invoices: m.Invoices,
	}
}

// recordAttributes describes an order as it is read.
func recordAttributes() map[string]schema.Attribute {
	money := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	spelled := func(description string, s *attribute.Spelling) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, CustomType: attribute.SpelledType{Spelling: s}, Computed: true}
	}
	list := func(description string, of map[string]schema.Attribute) schema.ListNestedAttribute {
		return schema.ListNestedAttribute{MarkdownDescription: description, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: of}}
	}
	return map[string]schema.Attribute{
		"id":                     attribute.ComputedText("Identifier of the order at the service (a UUID)."),
		"transaction_id":         attribute.ComputedText("The seller's own identifier of the sale."),
		"date":                   spelled("When the sale was made.", attribute.DateTimeSpelling),
		"amount":                 money("Total of the sale, in reais."),
		"discount_amount":        money("Discount on the whole sale, in reais."),
		"freight_amount":         money("Freight of the whole sale, in reais."),
		"status":                 attribute.ComputedText("Status of the order, such as " + attribute.WordList(orderStates) + "."),
		"payment_method":         attribute.ComputedText("How it is paid, such as " + attribute.WordList(orderPayments) + "."),
		"auto_issue_mode":        attribute.ComputedText("When the service issues the invoices by itself: " + attribute.WordList(einvoice.AutoIssueModes) + "."),
		"warranty_date":          spelled("When the warranty ends, for `afterWarrency`.", attribute.DateTimeSpelling),
		"send_email_to_customer": schema.BoolAttribute{MarkdownDescription: "Whether the service sends the invoices to the customer's e-mail address.", Computed: true},
		"customer": attribute.ComputedObject("Who buys.", map[string]schema.Attribute{
			"name":               attribute.ComputedText("Name of the customer."),
			"federal_tax_number": spelled("CPF, CNPJ or foreign document.", attribute.TaxNumberSpelling),
			"email":              attribute.ComputedText("E-mail address."),
			"address":            attribute.ComputedAddress(map[string]schema.Attribute{"city_name": attribute.ComputedText("Name of a city abroad.")}),
		}),
		"items": list("What is sold.", map[string]schema.Attribute{
			"quantity":        money("How many."),
			"price":           money("Price of one, in reais."),
			"amount":          money("Amount of the item, in reais."),
			"discount_amount": money("Discount on the item, in reais."),
			"freight_amount":  money("Share of the item in the freight, in reais."),
			"product": attribute.ComputedObject("The product or service.", map[string]schema.Attribute{
				"code":          attribute.ComputedText("Code of the product."),
				"name":          attribute.ComputedText("Name of the product."),
				"price":         money("List price of one unit, in reais."),
				"invoice_model": attribute.ComputedText("Kind of invoice that the sale asks for: " + attribute.WordList(einvoice.Models) + "."),
			}),
		}),
		"invoices": list("The invoices of the order; empty while nothing is due.", map[string]schema.Attribute{
			"id":         attribute.ComputedText("Identifier of the invoice at the service (a UUID)."),
			"model":      attribute.ComputedText("Kind of invoice: " + attribute.WordList(einvoice.Models) + "."),
			"status":     attribute.ComputedText("Status at the service."),
			"number":     schema.Int64Attribute{MarkdownDescription: "Number of the invoice.", Computed: true},
			"access_key": attribute.ComputedText("Access key (chave de acesso) of the invoice."),
		}),
	}
}

func (d *orderDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_order"
}

func (d *orderDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := recordAttributes()
	attributes["issuer"] = attribute.IssuerArgument()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the order at the service (a UUID). Set this or `transaction_id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["transaction_id"] = schema.StringAttribute{
		MarkdownDescription: "The seller's own identifier of the sale. Set this or `id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "sale-2026-0001"}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One order, by `id` or by `transaction_id`, and its invoices. Needs the key of the company that sells.",
		Attributes:          attributes,
	}
}

func (d *orderDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("transaction_id")),
	}
}

func (d *orderDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config orderDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	id, transactionID := config.ID.ValueString(), config.TransactionID.ValueString()
	if config.ID.IsNull() {
		found, diags := orderUnder(ctx, reading.Session, "read", transactionID)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		id = found // A list may lag; the read by id is current.
	}
	held, err := reading.Client.Order(ctx, id, transactionID)
	if err != nil {
		resp.Diagnostics.Append(message.ReadError(ctx, "order", "id", id, err)...)
		return
	}
	if err := engine.Complete(ctx, reading.Client, held, engine.LacksNumber); err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read the invoices of order "+id, err, nil)...)
		return
	}
	state := orderDataModel{recordFromAPI(held), config.Issuer}
	if !config.ID.IsNull() {
		state.ID = config.ID
	}
	if state.TransactionID.IsNull() {
		state.TransactionID = config.TransactionID
	}
	if resp.Diagnostics.Append(reading.RefuseOther()...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

func (d *ordersDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_orders"
}

func (d *ordersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "All orders of a company. All pages are read. Of the invoices only `id`, `model` and `status` are there, as the list shows them: " +
			"[einvoice_order](order.md) reads one order with all of them. Needs the key of the company that sells.",
		Attributes: map[string]schema.Attribute{
			"issuer": attribute.IssuerArgument(),
			"limit":  attribute.Limit("orders"),
			"orders": schema.ListNestedAttribute{
				MarkdownDescription: "The orders, in the order of the service; empty when there is none.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: recordAttributes()},
			},
		},
	}
}

func (d *ordersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config ordersDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	listing := session.Listing[einvoice.Order, orderRecord]{
		Task: "read orders", Plural: "orders", Limit: config.Limit, Entries: reading.Client.Orders(ctx, ""),
		Model: func(held *einvoice.Order) orderRecord {
			record := recordFromAPI(held)
			if !held.ShowsInvoices() { // The list says nothing, which is not that there is none.
				record.Invoices = types.ListNull(record.Invoices.ElementType(ctx))
			}
			return record
		},
	}
	config.Orders, diags = listing.Read(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.Append(reading.RefuseOther()...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
