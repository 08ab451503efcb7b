package sandbox

import (
	"encoding/json"
	"math/big"
	"strings"
)

// orderPayments are reported; they are other words than those of an invoice's payments.
var orderPayments = []string{
	"billetBank", "creditCard", "debitCard", "pix", "paypal", "bankTransfer", "balanceWallets", "cash", "other",
}

// order reads a sale. The rules of the sums are reported. A customer with a name, and at least one item, are assumed
// to be required.
func (c *call) order() (doc object, items []object, err error) {
	in := c.input()
	in.own("invoices")
	doc = object{
		"transactionId":       in.text("transactionId", 0),
		"amount":              in.number("amount"),
		"discountAmount":      in.number("discountAmount"),
		"freightAmount":       in.number("freightAmount"),
		"paymentMethod":       in.enum("paymentMethod", orderPayments...),
		"sendEmailToCustomer": in.flag("sendEmailToCustomer"),
		"customer":            in.orderCustomer("customer"),
		"warrantyDate":        nil,
		"transport":           in.raw("transport"),
	}
	mode := in.enum("autoIssueMode", issueImmediately, issueAfterPayment, issueAfterWarranty, issueDisabled)
	if mode != nil {
		doc["autoIssueMode"] = mode
	}
	if status := in.enum("status", orderStates...); status != nil {
		doc["status"] = status
	}
	if t, ok := in.moment("date"); ok {
		doc["date"] = local(t)
	}
	if t, ok := in.moment("warrantyDate"); ok {
		doc["warrantyDate"] = local(t)
	} else if text(doc, "autoIssueMode") == issueAfterWarranty && in.in["warrantyDate"] == nil {
		in.fail("warrantyDate",
			"The WarrantyDate field is required when the auto issue mode is %s.", issueAfterWarranty)
	}
	in.extras(KindOrders, doc)
	items = in.orderItems(doc)
	return doc, items, in.check()
}

func (f *fields) orderCustomer(name string) any {
	in := f.child(name)
	if in == nil {
		f.demand(name)
		return nil
	}
	in.own()
	number, _ := in.in["federalTaxNumber"].(string)
	if f.c.s.opts.OrdersNeedLegalName && len(plainTaxNumber(number)) == 14 {
		in.demand("legalName")
	}
	return object{
		"name":             in.required("name", 80),
		"legalName":        in.text("legalName", 80),
		"federalTaxNumber": in.taxNumber("federalTaxNumber", 18),
		"stateTaxNumber":   in.stateTax(),
		"email":            in.email("email", 50),
		"phone":            in.phone("phone", 15),
		"address":          in.address("address", true),
	}
}

// orderItems reads the items and checks: item amount = quantity x price - item discount, and order amount = sum of the
// items' amounts + freight - discount. An amount that is not sent is computed.
func (f *fields) orderItems(doc object) []object {
	sum := new(big.Rat)
	out := []object{}
	parts := f.children("items")
	if len(parts) == 0 && len(*f.problems) == 0 {
		f.fail("items", "The Items field is required.")
	}
	models := map[string]bool{}
	for _, in := range parts {
		item := object{
			"quantity":       in.number("quantity"),
			"price":          in.number("price"),
			"amount":         in.number("amount"),
			"discountAmount": in.number("discountAmount"),
			"freightAmount":  in.number("freightAmount"),
			"description":    in.text("description", 0),
			"product":        in.orderProduct("product"),
		}
		if item["quantity"] == nil {
			item["quantity"] = json.Number("1")
		}
		if item["price"] == nil {
			item["price"] = part(item, "product")["price"]
		}
		expected := new(big.Rat).Mul(rational(item["quantity"]), rational(item["price"]))
		expected.Sub(expected, rational(item["discountAmount"]))
		if item["amount"] == nil {
			item["amount"] = money(expected)
		} else if !sameMoney(rational(item["amount"]), expected) {
			in.fail("amount", "The item amount %v does not match quantity x price - discount, %s.",
				item["amount"], money(expected))
		}
		sum.Add(sum, rational(item["amount"]))
		models[text(part(item, "product"), "invoiceModel")] = true
		out = append(out, item)
	}
	if len(models) > 1 &&
		!truth(f.c.s.settingsBlock(f.c.companyID(), blockGeneral), "allowMultipleInvoiceModelsPerOrder") {
		f.fail("items",
			"The items of an order must have one invoice model unless the company allows multiple models per order.")
	}
	sum.Add(sum, rational(doc["freightAmount"]))
	sum.Sub(sum, rational(doc["discountAmount"]))
	if doc["amount"] == nil {
		doc["amount"] = money(sum)
	} else if len(parts) > 0 && !sameMoney(rational(doc["amount"]), sum) {
		f.fail("amount", "The order amount %v does not match the sum of its items + freight - discount, %s.",
			doc["amount"], money(sum))
	}
	return out
}

// orderProduct reads an item's product. Its model is, if not sent, that of the known product with its code, or else
// NF-e.
func (f *fields) orderProduct(name string) any {
	in := f.child(name)
	if in == nil {
		f.fail(name, "The Product field is required.")
		return nil
	}
	in.own()
	product := object{
		"name":         in.required("name", 0),
		"code":         in.text("code", 0),
		"price":        in.number("price"),
		"invoiceModel": in.enum("invoiceModel", modelProduct.name, modelConsumer.name, modelService.name),
	}
	if product["invoiceModel"] == nil {
		product["invoiceModel"] = modelProduct.name
		known, ok := f.c.s.find(KindProducts, func(p object) bool {
			return product["code"] != nil && p["code"] == product["code"]
		})
		if ok && known["invoiceModel"] != nil {
			product["invoiceModel"] = known["invoiceModel"]
		}
	}
	return product
}

// linkCustomer finds the order's customer in the account by tax number, or else by name, or creates it, as reported.
func (s *Server) linkCustomer(order object) {
	sent := part(order, "customer")
	field := "name"
	if text(sent, "federalTaxNumber") != "" {
		field = "federalTaxNumber"
	}
	known, ok := s.find(KindCustomers, func(doc object) bool { return text(doc, field) == text(sent, field) })
	if !ok {
		known = wired(sent)
		completeCustomer(known)
		known = s.insert(KindCustomers, known)
	}
	sent["id"] = known["id"]
}

// linkProducts does the same with the items' products, by code.
func (s *Server) linkProducts(items []object) {
	for _, item := range items {
		sent := part(item, "product")
		known, ok := s.find(KindProducts, func(doc object) bool { return text(doc, "code") == text(sent, "code") })
		if !ok {
			known = wired(sent)
			completeProduct(known)
			known = s.insert(KindProducts, known)
		}
		sent["id"] = known["id"]
	}
}

// orderGroup is the items of an order that go onto one invoice.
type orderGroup struct {
	model invoiceModel
	items []object
}

// groupItems splits a stored order by invoice model.
func groupItems(order object) []orderGroup {
	var groups []orderGroup
	items, _ := order["items"].([]any)
	for _, m := range invoiceModels {
		group := orderGroup{model: m}
		for _, item := range items {
			if item, ok := item.(object); ok && text(part(item, "product"), "invoiceModel") == m.name {
				group.items = append(group.items, item)
			}
		}
		if len(group.items) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// draftFor makes the invoice of a group, in the state "created". The freight and discount of the whole order go onto
// its first invoice.
func (s *Server) draftFor(order object, group orderGroup) invoiceRef {
	amount := new(big.Rat)
	var names []string
	for _, item := range group.items {
		amount.Add(amount, rational(item["amount"]))
		name := text(item, "description")
		if name == "" {
			name = text(part(item, "product"), "name")
		}
		names = append(names, name)
	}
	if len(s.invoicesOf(text(order, "id"))) == 0 {
		amount.Add(amount, rational(order["freightAmount"]))
		amount.Sub(amount, rational(order["discountAmount"]))
	}
	company, _ := s.get(KindCompanies, text(order, "_company"))
	doc := object{
		"_company": order["_company"], "status": statusCreated,
		"company": issuer(company), "amount": money(amount), "totals": object{"invoiceAmount": money(amount)},
		"order":    fieldsOf(order, "id", "date", "transactionId"),
		"receiver": receiverOf(part(order, "customer"), group.model == modelService),
	}
	if group.model == modelService {
		doc["description"] = strings.Join(names, "; ")
	}
	s.completeInvoice(group.model, doc)
	return invoiceRef{group.model, text(s.insert(group.model.kind, doc), "id")}
}

// receiverOf writes a customer the way invoices show their parties.
func receiverOf(customer object, municipal bool) object {
	receiver := object{
		"name": customer["name"], "federalTaxNumber": customer["federalTaxNumber"], "stateTaxNumber": nil,
		"suframaTaxNumber": nil, "cityTaxNumber": nil, "email": customer["email"], "phoneNumber": customer["phone"],
		"address": nil,
	}
	if municipal {
		receiver["municipalTaxNumber"] = nil
	}
	if address := part(customer, "address"); address != nil {
		shown := fieldsOf(address, "street", "district", "postalCode", "number", "additionalInformation")
		shown["city"], shown["country"] = cityWithNumber(address["city"]), part(address, "country")["name"]
		receiver["address"] = shown
	}
	return receiver
}
