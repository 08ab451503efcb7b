package order

import (
	"context"
	"maps"
	"math"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// orderStates are assumed, but for "approved".
var orderStates = []string{
	"created", "awaitingPayment", einvoice.OrderApproved, "refundRequested", "completed", "chargeback", "canceled",
	"refunded", "expired", "refused", "deleted",
}

// orderPayments are assumed; an invoice's payments have other words.
var orderPayments = []string{
	"billetBank", "creditCard", "debitCard", "pix", "paypal", "bankTransfer", "balanceWallets", "cash", "other",
}

func (r *orderResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"account": attribute.Account("order"),
		"issuer": attribute.Issuer("that sells and issues the invoices", "The provider records nothing if it knows "+
			"that the key belongs to another company. Required if the provider has `company_keys`; otherwise the company "+
			"that owns `api_key`. While nothing of the order is issued, a change replaces it. Afterwards a change is an error."),
		"extra_json": extraAttribute(),
		"issue_invoices": schema.BoolAttribute{
			MarkdownDescription: "`true` makes the provider request the invoices that are not issued yet, once. You " +
				"may set it later.",
			Optional: true,
		},
		"effective_date": dateAttribute("The issue date of the invoices that `issue_invoices` issues."),
		"wait_for_invoices": attribute.Flag("Whether an apply waits until the invoices that are due are "+
			"authorized. Invoices are due with `immediately`, with `afterPayment` once `status` is `approved`, "+
			"and with `issue_invoices`. Defaults to `true`. With `false` a rejection is only a status and a "+
			"warning.", true),
		"accept_contingency": attribute.Flag("`true` ends the wait once an NFC-e is valid in "+
			"contingency (`inContingent`). The service transmits it later. Defaults to `false`.", false),
		"cancellation_reason": attribute.TextWith("Why the invoices are canceled when the order is destroyed, 15 to "+
			"255 characters. Apply it before you destroy: a destroy sees the state, not the configuration. Without a "+
			"reason, destroy only removes the order from state. The plan says which of the two happens, and the "+
			"provider never sends a cancellation that the plan did not announce. If one of the invoices cannot be "+
			"canceled yet, the provider cancels none.", issuance.CancellationReasonValidator),
		"timeouts": attribute.WaitTimeouts(ctx),
	}
	maps.Copy(attributes, saleAttributes())
	resp.Schema = schema.Schema{
		Attributes: attributes,
		MarkdownDescription: "Records one sale exactly once, and waits for the invoices that the service issues from " +
			"it. The service determines their taxes from the company's configuration.\n\n`transaction_id` is the " +
			"name of the order in your books. Before the provider sends anything, it looks up the order by this " +
			"name. If a run fails, times out or is killed, run it again: it finds the order and continues. A failed " +
			"run leaves nothing in state.\n\nA rejected invoice (rejeitada) fails the apply with the authority's " +
			"code and message. Correct the cause at the service, such as a company setting, and apply again. The " +
			"provider then issues the invoices that are not issued yet.\n\nIn a recorded order you can change only " +
			"`status`, the arguments for issuing and waiting, and `cancellation_reason`. Destroying removes the " +
			"order from state only, and the service keeps it. It cancels the invoices only if `cancellation_reason` " +
			"was applied before. The plan then refuses `-replace` and `replace_triggered_by`; `taint` cancels without a " +
			"warning, so add `lifecycle { prevent_destroy = true }`.",
	}
}

// saleAttributes are what the service shows of an order: the data sources read them.
func saleAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.ID("order"),
		"transaction_id": attribute.Replaces(attribute.Required(attribute.TextWith("Name of the sale in your books. "+
			"It has 1 to 36 letters, digits and `_ . : -`. The provider records one order per name. A change records "+
			"another order.", issuance.TransactionIDValidator))),
		"date": computed(dateAttribute("When the sale was made. Without it the service takes the current time.")),
		"amount": moneyAttribute("Total of the sale, in reais. A plan warns if it is not the sum of the items' "+
			"amounts + `freight_amount` - `discount_amount`.", true),
		"discount_amount": moneyAttribute("Discount on the whole sale, in reais.", false),
		"freight_amount":  moneyAttribute("Freight of the whole sale, in reais.", false),
		"status": computed(attribute.TextWith("Status of the order, such as "+attribute.WordList(orderStates)+
			". `approved` means paid, and issues the invoices of an order with `afterPayment`. It can be changed in "+
			"place. Leave it out if something else changes it, such as a payment gateway.",
			attribute.EnumValidator{Words: orderStates, Assumed: true})),
		"payment_method": attribute.TextWith("How the buyer pays, such as "+attribute.WordList(orderPayments)+".",
			attribute.EnumValidator{Words: orderPayments, Assumed: true}),
		"auto_issue_mode": schema.StringAttribute{
			MarkdownDescription: "When the service issues the invoices by itself: `immediately`, `afterPayment` " +
				"(once `status` is `approved`), `afterWarrency` (the service's own spelling; on the day after the " +
				"warranty ends) or `disabled`. Defaults to `immediately`.",
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(einvoice.IssueImmediately),
			Validators: []validator.String{attribute.EnumValidator{Words: einvoice.AutoIssueModes}},
		},
		"warranty_date": dateAttribute("When the warranty ends, for `afterWarrency`."),
		"send_email_to_customer": schema.BoolAttribute{
			MarkdownDescription: "Whether the service sends the invoices to the customer's e-mail address.",
			Optional:            true,
			Computed:            true,
		},
		"customer": customerAttribute(),
		"items":    itemsAttribute(),
		"invoices": invoicesAttribute,
	}
}

func customerAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "The buyer. The service links the customer with this tax number, or creates one.",
		Required:            true,
		Attributes: map[string]schema.Attribute{
			"name": attribute.Required(
				attribute.Text("Name of the customer.", 80, "Padaria Central")),
			"legal_name": attribute.Text("Legal name (razão social). Some services refuse an order to a CNPJ without it.",
				80, "Padaria Central Ltda"),
			"state_tax_number":   attribute.StateTaxNumber(20),
			"federal_tax_number": attribute.FederalTaxNumber("CPF, CNPJ or foreign document."),
			"email":              attribute.Text("E-mail address.", 50, "fiscal@example.com"),
			"address":            attribute.Address(map[string]schema.Attribute{"city_name": attribute.CityName()}),
		},
	}
}

// invoicesAttribute is of the resource and of its data sources.
var invoicesAttribute = schema.ListNestedAttribute{
	MarkdownDescription: "The invoices of the order. Empty while none is due.",
	Computed:            true,
	NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"id": attribute.ComputedText("Identifier of the invoice at the service (a UUID)."),
		"model": attribute.ComputedText(
			"Kind of invoice: " + attribute.WordList(einvoice.Models) + " (NF-e, NFC-e, NFS-e)."),
		"status":     attribute.ComputedText("Status at the service. `authorized` is the normal final status."),
		"number":     schema.Int64Attribute{MarkdownDescription: "Number of the invoice.", Computed: true},
		"access_key": attribute.ComputedText("Access key (chave de acesso) of the invoice."),
	}},
}

func itemsAttribute() schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: "What is sold. A plan warns if the amount of an item is not its quantity x price - " +
			"discount. The `name` of the product describes the item.",
		Required:   true,
		Validators: []validator.List{listvalidator.SizeAtLeast(1)},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"quantity": moneyAttribute("Quantity.", false),
			"price":    moneyAttribute("Price of one unit, in reais.", false),
			"amount": moneyAttribute(
				"Amount of the item, in reais. It is `quantity` x `price` - `discount_amount`.", false),
			"discount_amount": moneyAttribute("Discount on the item, in reais.", false),
			"freight_amount": moneyAttribute(
				"The item's share of the freight, in reais. It is not part of `amount`.", false),
			"product": schema.SingleNestedAttribute{
				MarkdownDescription: "The product or service, by `code` or `name`. The service links the product " +
					"with this code, or creates one.",
				Required: true,
				Attributes: map[string]schema.Attribute{
					"code":  attribute.Text("Code of the product in your own books.", 0, "PAO-001"),
					"name":  attribute.Text("Name of the product.", 0, "Pão francês"),
					"price": moneyAttribute("List price of one unit, in reais.", false),
					"invoice_model": attribute.TextWith(
						"Kind of invoice to issue: "+attribute.WordList(einvoice.Models)+".",
						attribute.EnumValidator{Words: einvoice.Models}),
				},
			},
		}},
	}
}

// extraAttribute differs from that of other resources in what becomes of a change: the
// service has no operation for it.
func extraAttribute() schema.StringAttribute {
	a := attribute.ExtraJSON("order")
	a.MarkdownDescription = "Fields of the order that have no attribute here, as a JSON object, for example " +
		"`jsonencode({ transport = { ... } })`. The provider merges them into its request. It warns if the service " +
		"does not keep a field or shows another value. A recorded order cannot change, so a key that you remove " +
		"keeps its value at the service. A field that has an attribute is an error."
	return a
}

func moneyAttribute(description string, isRequired bool) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Required: isRequired, Optional: !isRequired}
}

func dateAttribute(description string) schema.StringAttribute {
	return attribute.SpelledText(
		description+" ISO 8601, with or without a time. A time without an offset is São Paulo time.",
		attribute.DateTimeSpelling, 0, "", attribute.DateTimeValidator)
}

// computed is an attribute that an import may have from the service, although it is not
// configured: only what is computed can be planned to stay.
func computed(a schema.StringAttribute) schema.StringAttribute {
	a.Computed = true
	return a
}

func (r *orderResource) IdentitySchema(
	ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	attribute.IDIdentity{}.IdentitySchema(ctx, req, resp)
	resp.IdentitySchema.Attributes["issuer"] = attribute.IssuerIdentityAttribute
}

func (r *orderResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	resp.Diagnostics.Append(attribute.ValidateExtra(ctx, req.Config)...)
	var config orderModel
	if resp.Diagnostics.Append(req.Config.Get(ctx, &config)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.checkItems(ctx)...)
	resp.Diagnostics.Append(config.warnOfDates(ctx)...)
}

// warnOfDates warns of dates that the service does not issue by.
func (m *orderModel) warnOfDates(ctx context.Context) (diags diag.Diagnostics) {
	mode := m.AutoIssueMode.ValueString()
	if mode == einvoice.IssueAfterWarranty && m.WarrantyDate.IsNull() {
		diags.Append(say.WarningAt(ctx, path.Root("auto_issue_mode"), "order.endless_warranty", nil)...)
	}
	if !m.EffectiveDate.IsNull() && (m.AutoIssueMode.IsNull() || mode == einvoice.IssueImmediately) {
		diags.Append(say.WarningAt(ctx, path.Root("effective_date"), "order.early_issue", nil)...)
	}
	return diags
}

// checkItems refuses a product that nothing names, and warns where amounts that are known do
// not add up. The rules of the sums are assumed:
//
//	item amount  = quantity x price - discount of the item
//	order amount = sum of the items' amounts + freight - discount
func (m *orderModel) checkItems(ctx context.Context) (diags diag.Diagnostics) {
	sum, isKnown := 0.0, len(m.Items.Elements()) > 0
	for n, element := range m.Items.Elements() {
		at := path.Root("items").AtListIndex(n)
		item, _ := element.(types.Object)
		product, _ := item.Attributes()["product"].(types.Object)
		if named := product.Attributes(); len(named) > 0 && named["code"].IsNull() && named["name"].IsNull() {
			diags.Append(say.ErrorAt(ctx, at, "order.no_product", text.With{"at": at.AtName("product").String()})...)
		}
		if leaves := item.Attributes(); len(leaves) > 0 &&
			leaves["quantity"].IsNull() && leaves["price"].IsNull() && leaves["amount"].IsNull() {
			diags.Append(say.WarningAt(ctx, at, "order.no_amount", text.With{"label": m.label(), "at": at.String()})...)
		}
		amount, itemKnown, warning := itemAmount(ctx, m.label(), at.AtName("amount"), item.Attributes())
		diags.Append(warning...)
		isKnown = isKnown && itemKnown
		sum += amount
	}
	freight, discount := m.FreightAmount, m.DiscountAmount
	if len(diags) > 0 || !isKnown || attribute.IsUnset(m.Amount) || freight.IsUnknown() || discount.IsUnknown() {
		return diags
	}
	total := sum + freight.ValueFloat64() - discount.ValueFloat64()
	if amount := m.Amount.ValueFloat64(); !withinHalfACent(amount, total) {
		diags.Append(say.WarningAt(ctx, path.Root("amount"), "order.sum", text.With{
			"label": m.label(), "amount": decimal(amount), "sum": decimal(sum), "total": decimal(total),
			"freight": decimal(freight.ValueFloat64()), "discount": decimal(discount.ValueFloat64()),
		})...)
	}
	return diags
}

// itemAmount is the amount of an item, as configured or as it follows from the other parts.
func itemAmount(
	ctx context.Context, label text.Text, at path.Path, leaves map[string]attr.Value,
) (amount float64, known bool, warning diag.Diagnostics) {
	number := func(name string) types.Float64 {
		n, _ := leaves[name].(types.Float64)
		return n
	}
	quantity, price, discount := number("quantity"), number("price"), number("discount_amount")
	follows := !attribute.IsUnset(quantity) && !attribute.IsUnset(price) && !discount.IsUnknown()
	expected := quantity.ValueFloat64()*price.ValueFloat64() - discount.ValueFloat64()
	configured := number("amount")
	if attribute.IsUnset(configured) {
		return math.Round(expected*100+binaryError) / 100, follows && configured.IsNull(), nil
	}
	amount = configured.ValueFloat64()
	if follows && !withinHalfACent(amount, expected) {
		warning = say.WarningAt(ctx, message.ShownAt(at), "order.item_sum", text.With{
			"label": label, "at": at.String(), "amount": decimal(amount), "quantity": decimal(quantity.ValueFloat64()),
			"price": decimal(price.ValueFloat64()), "discount": decimal(discount.ValueFloat64()), "total": decimal(expected),
		})
	}
	return amount, true, warning
}

// withinHalfACent reports whether amounts that were each rounded to cents agree.
func withinHalfACent(a, b float64) bool { return math.Abs(a-b) < 0.005+binaryError }

// binaryError is more than decimals lose as binary fractions, up to amounts of a billion.
const binaryError = 1e-6

// decimal writes an amount as a person does, with at most six decimals.
func decimal(f float64) string { return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64) }
