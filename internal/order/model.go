package order

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// record is what the service shows of an order. Customer and items are values, not structs:
// they, or parts of them, may be unknown while planning.
type record struct {
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

type orderModel struct {
	record
	Issuer             attribute.Spelled `tfsdk:"issuer"`
	ExtraJSON          attribute.JSON    `tfsdk:"extra_json"`
	IssueInvoices      types.Bool        `tfsdk:"issue_invoices"`
	EffectiveDate      attribute.Spelled `tfsdk:"effective_date"`
	Account            types.String      `tfsdk:"account"`
	WaitForInvoices    types.Bool        `tfsdk:"wait_for_invoices"`
	AcceptContingency  types.Bool        `tfsdk:"accept_contingency"`
	CancellationReason types.String      `tfsdk:"cancellation_reason"`
	Timeouts           timeouts.Value    `tfsdk:"timeouts"`
}

var (
	customerTypes = attribute.TypesIn(customerAttribute().GetType())
	itemTypes     = attribute.TypesIn(itemsAttribute().NestedObject.Type())
	productTypes  = attribute.TypesIn(itemTypes["product"])
	invoiceTypes  = attribute.TypesIn(invoicesAttribute.NestedObject.Type())
)

// request is the order as it is sent.
func (m *record) request() einvoice.Order {
	order := einvoice.Order{
		TransactionID:       attribute.KnownText(m.TransactionID),
		Date:                einvoice.Text(sentDateTime(string(m.Date.Normalized()))),
		Status:              einvoice.Enum(attribute.KnownText(m.Status)),
		Amount:              attribute.KnownNumber(m.Amount),
		DiscountAmount:      attribute.KnownNumber(m.DiscountAmount),
		FreightAmount:       attribute.KnownNumber(m.FreightAmount),
		PaymentMethod:       einvoice.Enum(attribute.KnownText(m.PaymentMethod)),
		AutoIssueMode:       einvoice.Enum(attribute.KnownText(m.AutoIssueMode)),
		WarrantyDate:        m.WarrantyDate.Normalized(),
		SendEmailToCustomer: (*einvoice.Flag)(m.SendEmailToCustomer.ValueBoolPointer()),
	}
	if !attribute.IsUnset(m.Customer) {
		leaves := m.Customer.Attributes()
		order.Customer = &einvoice.Customer{
			Name:             attribute.AttrText(leaves["name"]),
			LegalName:        attribute.AttrText(leaves["legal_name"]),
			StateTaxNumber:   attribute.AttrText(leaves["state_tax_number"]),
			FederalTaxNumber: einvoice.TaxNumber(attribute.AttrText(leaves["federal_tax_number"])),
			Email:            attribute.AttrText(leaves["email"]),
		}
		if address, ok := leaves["address"].(types.Object); ok {
			order.Customer.Address = attribute.AddressRequest(address)
		}
	}
	for _, item := range objectsOf(m.Items) {
		leaves := item.Attributes()
		line := einvoice.OrderItem{
			Quantity:       attrNumber(leaves["quantity"]),
			Price:          attrNumber(leaves["price"]),
			Amount:         attrNumber(leaves["amount"]),
			DiscountAmount: attrNumber(leaves["discount_amount"]),
			FreightAmount:  attrNumber(leaves["freight_amount"]),
		}
		if product, ok := leaves["product"].(types.Object); ok && !attribute.IsUnset(product) {
			l := product.Attributes()
			line.Product = &einvoice.Product{
				Code: attribute.AttrText(l["code"]), Name: attribute.AttrText(l["name"]), Price: attrNumber(l["price"]),
				InvoiceModel: einvoice.Enum(attribute.AttrText(l["invoice_model"])),
			}
		}
		order.Items = append(order.Items, line)
	}
	return order
}

// objectsOf are the known objects of a list.
func objectsOf(list types.List) []types.Object {
	var objects []types.Object
	for _, element := range list.Elements() {
		if object, ok := element.(types.Object); ok && !attribute.IsUnset(object) {
			objects = append(objects, object)
		}
	}
	return objects
}

// sentDateTime is a date as the service gets it, with an offset always.
func sentDateTime(text string) string {
	if begin, _, ok := attribute.ParseDate(text); ok {
		return attribute.SentDate(text, begin)
	}
	return text
}

// attrNumber is the number that is sent for a leaf; nil when it is not known.
func attrNumber(v attr.Value) *einvoice.Number {
	if n, ok := v.(types.Float64); ok {
		return attribute.KnownNumber(n)
	}
	return nil
}

// fillFrom completes a plan with what only the service knows.
func (m *orderModel) fillFrom(ctx context.Context, held *einvoice.Order) diag.Diagnostics {
	m.ID = attribute.KeepID(m.ID, held.ID)
	m.Invoices = invoicesFromAPI(held.Invoices)
	if attribute.IsUnset(m.Issuer) { // What is planned must not change any more.
		m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(held))
	}
	customer, diags := attribute.FillUnknown(ctx, m.Customer, customerFromAPI(held.Customer))
	m.Customer = customer
	return diags
}

// importFrom takes everything that the service shows of an order. It cannot show extra_json.
func (m *orderModel) importFrom(held *einvoice.Order) {
	id := m.ID
	m.record = recordFromAPI(held)
	m.ID = attribute.KeepID(id, held.ID)
	m.WaitForInvoices, m.AcceptContingency = types.BoolValue(true), types.BoolValue(false)
	m.Issuer = attribute.IssuerFromAPI(m.Issuer, issuerOf(held))
}

func recordFromAPI(held *einvoice.Order) record {
	return record{
		ID:                  attribute.TextOrNull(held.ID),
		TransactionID:       attribute.TextOrNull(held.TransactionID),
		Date:                attribute.SpelledOrNull(attribute.DateTimeSpelling, held.Date),
		Amount:              attribute.NumberOrNull(held.Amount),
		DiscountAmount:      attribute.NumberOrNull(held.DiscountAmount),
		FreightAmount:       attribute.NumberOrNull(held.FreightAmount),
		Status:              attribute.TextOrNull(held.Status),
		PaymentMethod:       attribute.TextOrNull(held.PaymentMethod),
		AutoIssueMode:       attribute.TextOrNull(held.AutoIssueMode),
		WarrantyDate:        attribute.SpelledOrNull(attribute.DateTimeSpelling, held.WarrantyDate),
		SendEmailToCustomer: attribute.FlagOrNull(held.SendEmailToCustomer),
		Customer:            customerFromAPI(held.Customer),
		Items:               itemsFromAPI(held.Items),
		Invoices:            invoicesFromAPI(held.Invoices),
	}
}

func customerFromAPI(c *einvoice.Customer) types.Object {
	if c == nil {
		return types.ObjectNull(customerTypes)
	}
	return types.ObjectValueMust(customerTypes, map[string]attr.Value{
		"name":               attribute.TextOrNull(c.Name),
		"legal_name":         attribute.TextOrNull(c.LegalName),
		"state_tax_number":   attribute.SpelledOrNull(attribute.RegistrationSpelling, c.StateTaxNumber),
		"federal_tax_number": attribute.SpelledOrNull(attribute.TaxNumberSpelling, c.FederalTaxNumber),
		"email":              attribute.TextOrNull(c.Email),
		"address":            attribute.AddressFromAPI(c.Address, attribute.CustomerAddressTypes),
	})
}

func itemsFromAPI(items []einvoice.OrderItem) types.List {
	itemType := types.ObjectType{AttrTypes: itemTypes}
	if len(items) == 0 {
		return types.ListNull(itemType)
	}
	values := make([]attr.Value, len(items))
	for n, item := range items {
		product := types.ObjectNull(productTypes)
		if p := item.Product; p != nil {
			product = types.ObjectValueMust(productTypes, map[string]attr.Value{
				"code": attribute.TextOrNull(p.Code), "name": attribute.TextOrNull(p.Name),
				"price": attribute.NumberOrNull(p.Price), "invoice_model": attribute.TextOrNull(p.InvoiceModel),
			})
		}
		values[n] = types.ObjectValueMust(itemTypes, map[string]attr.Value{
			"quantity":        attribute.NumberOrNull(item.Quantity),
			"price":           attribute.NumberOrNull(item.Price),
			"amount":          attribute.NumberOrNull(item.Amount),
			"discount_amount": attribute.NumberOrNull(item.DiscountAmount),
			"freight_amount":  attribute.NumberOrNull(item.FreightAmount),
			"product":         product,
		})
	}
	return types.ListValueMust(itemType, values)
}

// invoicesFromAPI lists each invoice once, sorted: the service promises no order, and
// outputs would change with it.
func invoicesFromAPI(invoices []*einvoice.Invoice) types.List {
	sorted := slices.SortedStableFunc(slices.Values(invoices), func(a, b *einvoice.Invoice) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.ID, b.ID))
	})
	sorted = slices.CompactFunc(sorted, func(a, b *einvoice.Invoice) bool { return einvoice.SameID(a.ID, b.ID) })
	values := make([]attr.Value, len(sorted))
	for n, v := range sorted {
		values[n] = types.ObjectValueMust(invoiceTypes, map[string]attr.Value{
			"id": attribute.TextOrNull(v.ID), "model": attribute.TextOrNull(v.Model),
			"status": attribute.TextOrNull(v.Status), "number": attribute.IntOrNull(v.Number),
			"access_key": attribute.TextOrNull(v.AccessKey),
		})
	}
	return types.ListValueMust(types.ObjectType{AttrTypes: invoiceTypes}, values)
}

// invoicesInState are the order's invoices as the state has them.
func (m *record) invoicesInState() []*einvoice.Invoice {
	var invoices []*einvoice.Invoice
	for _, object := range objectsOf(m.Invoices) {
		leaves := object.Attributes()
		v := &einvoice.Invoice{
			ID: attribute.AttrText(leaves["id"]), AccessKey: attribute.AttrText(leaves["access_key"]),
			Model:  einvoice.Enum(attribute.AttrText(leaves["model"])),
			Status: einvoice.Enum(attribute.AttrText(leaves["status"])),
		}
		if number, ok := leaves["number"].(types.Int64); ok {
			v.Number = attribute.KnownInt(number)
		}
		invoices = append(invoices, v)
	}
	return invoices
}

// extraDifferences lists the keys of extra_json that the service shows with another value.
func (m *orderModel) extraDifferences(raw json.RawMessage) (found []text.Text) {
	configured, _ := jsontree.Decode([]byte(m.ExtraJSON.ValueString())) // The type reports what is not JSON.
	keys, _ := configured.(map[string]any)
	held, _ := jsontree.Decode(raw)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		value := jsontree.Member(held, key)
		if value != nil && !jsontree.Holds(value, keys[key]) {
			found = append(found, text.Of("order.extra_differs", text.With{"key": key}))
		}
	}
	return found
}

// orderIdentity is what finds an order again.
type orderIdentity struct {
	ID     types.String `tfsdk:"id"`
	Issuer types.String `tfsdk:"issuer"`
}

func (m *orderModel) identity() orderIdentity {
	return orderIdentity{ID: m.ID, Issuer: attribute.IssuerIdentity(m.Issuer)}
}

// issuerOf is the company of an order, which only its invoices show; "" while none does.
func issuerOf(held *einvoice.Order) einvoice.Text {
	for _, v := range held.Invoices {
		if v.Company != nil && v.Company.FederalTaxNumber != "" {
			return einvoice.Text(v.Company.FederalTaxNumber)
		}
	}
	return ""
}

// hasIssued reports whether an invoice of the order is more than a draft.
func (m *orderModel) hasIssued() bool {
	invoices := m.invoicesInState()
	return slices.ContainsFunc(invoices, func(v *einvoice.Invoice) bool { return !v.IsDraft() })
}

// changesIssuer reports whether the order is to be, or may be, another company's. Of one that
// has issued, that is judged when the number is known.
func (m *orderModel) changesIssuer(state *orderModel) bool {
	return attribute.OtherIssuer(m.Issuer, state.Issuer) ||
		m.Issuer.IsUnknown() && !state.Issuer.IsNull() && !state.hasIssued()
}

// refuseOtherIssuer compares an import by issuer with what the key has read.
func (m *orderModel) refuseOtherIssuer(ctx context.Context, held *einvoice.Order) diag.Diagnostics {
	holder := string(issuerOf(held))
	if m.Issuer.IsNull() || holder == "" || attribute.TaxNumberSpelling.Same(m.Issuer.ValueString(), holder) {
		return nil
	}
	return message.OtherIssuer(ctx, orderLabel(string(held.TransactionID)), issuance.Order, string(held.ID),
		string(held.Status), m.Issuer.ValueString(), holder, false)
}
