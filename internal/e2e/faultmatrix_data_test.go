package e2e_test

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// dataKind completes a kind with what all reads of data sources share: an object
// of the service, next to another one.
func dataKind(k requestKind, source string, object map[string]any) requestKind {
	k.group, k.resource, k.planOnly = "Data sources", "data."+source, true
	if k.list {
		k.group = "Data sources that search"
	}
	if object != nil {
		k.seed = func(s *sandbox.Server) map[string]string {
			return map[string]string{"WANTED": s.Seed(k.objects, object)}
		}
		if k.holds == nil {
			k.holds = func(c *cell, attributes map[string]any) error {
				if attributes["id"] != c.words["WANTED"] {
					return fmt.Errorf("the id is %v, want %s", attributes["id"], c.words["WANTED"])
				}
				return nil
			}
		}
	}
	return k
}

// with adds to an object.
func with(object, more map[string]any) map[string]any {
	all := maps.Clone(object)
	maps.Copy(all, more)
	return all
}

var (
	customerObject = map[string]any{"name": "Padaria", "federalTaxNumber": "11222333000181"}
	productObject  = map[string]any{"name": "Pão", "code": "P-1", "price": 1.5}
	webhookObject  = map[string]any{"event": "invoice.authorized", "url": "https://erp.example/hooks", "enabled": true}
	companyObject  = map[string]any{"name": "Filial", "legalName": "Filial Ltda", "federalTaxNumber": "11222333000181"}
	orderOther     = map[string]any{"transactionId": "sale-2", "amount": 100}
	orderObject    = with(orderOther, map[string]any{"transactionId": "sale-1"})
	invoiceOther   = map[string]any{"integrationId": "order-2", "amount": 100, "number": 7, "status": "authorized"}
	invoiceObject  = with(invoiceOther, map[string]any{"integrationId": "order-1", "number": 8})
)

// notFound is what a search says that comes upon other objects only.
func notFound(text string) map[string]string { return map[string]string{faultOther: text} }

var dataKinds = []requestKind{
	dataKind(requestKind{
		name: "customer", method: "GET", path: "/v1/customers/{id}", wanted: `id = "WANTED"`, task: "read customer",
		objects: sandbox.KindCustomers, bystander: customerOther, instead: listed,
	}, "einvoice_customer", customerObject),
	dataKind(requestKind{
		name: "product", method: "GET", path: "/v1/products/{id}", wanted: `id = "WANTED"`, task: "read product",
		objects: sandbox.KindProducts, bystander: productOther, instead: listed,
	}, "einvoice_product", productObject),
	dataKind(requestKind{
		name: "webhook", method: "GET", path: "/v1/webhooks/{id}", wanted: `id = "WANTED"`, task: "read webhook",
		objects: sandbox.KindWebhooks, bystander: webhookOther, instead: listed,
	}, "einvoice_webhook", webhookObject),
	dataKind(requestKind{
		name: "company", method: "GET", path: "/v1/companies/{id}", wanted: `id = "WANTED"`, task: "read company",
		objects: sandbox.KindCompanies, bystander: companyOther, instead: listed,
	}, "einvoice_company", companyObject),
	dataKind(requestKind{
		name: "company settings", method: "GET", path: "/v1/companies/{id}/settings", wanted: `company_id = "OWNER"`, task: "company",
		other: settingsKinds[0].other, says: map[string]string{faultNotFound: "HTTP 404|No company has"},
	}, "einvoice_company_settings", nil),
	dataKind(requestKind{
		name: "invoice", method: "GET", path: "/v1/service-invoices/{id}", wanted: "model = \"serviceInvoice\"\nid = \"WANTED\"", task: "invoice",
		objects: sandbox.KindServiceInvoices, bystander: invoiceOther, says: map[string]string{faultNotFound: "HTTP 404|No invoice has"},
	}, "einvoice_invoice", invoiceObject),
	dataKind(requestKind{
		name: "order", method: "GET", path: "/v1/orders/{id}", wanted: `id = "WANTED"`, task: "read order",
		objects: sandbox.KindOrders, bystander: orderOther, instead: listed,
	}, "einvoice_order", orderObject),
	dataKind(requestKind{
		name: "payload examples", method: "GET", path: "/v1/service-invoices/cities/{code}/payload-example", wanted: `city_code = "3550308"`,
		task: "payload examples|city not found", other: anotherInvoice, says: map[string]string{faultNotFound: "knows no payload examples"},
		instead: map[string]meeting{faultWrongType: meetNone}, // A bare list may be the examples.
	}, "einvoice_payload_examples", nil),
	dataKind(requestKind{
		name: "inbound invoice", method: "GET", path: "/v1/inbound-product-invoices/{id}", wanted: "model = \"productInvoice\"\nid = \"WANTED\"", task: "inbound invoice",
		objects: sandbox.KindInbound, bystander: map[string]any{"amount": 1}, says: map[string]string{faultNotFound: "has received no NF-e"},
	}, "einvoice_inbound_invoice", map[string]any{"amount": 2}),
	dataKind(requestKind{
		name: "inbound sync status", method: "GET", path: "/v1/inbound-product-invoices/sync-status",
		task: "inbound sync status", other: anotherInvoice,
	}, "einvoice_inbound_sync_status", nil),
	documentKind("pdf"),
	documentKind("xml"),

	dataKind(requestKind{
		name: "customer", method: "GET", path: "/v1/customers", list: true, wanted: `federal_tax_number = "11222333000181"`, task: "customer",
		objects: sandbox.KindCustomers, bystander: customerOther, says: notFound("No customer has"),
	}, "einvoice_customer", customerObject),
	dataKind(requestKind{
		name: "product", method: "GET", path: "/v1/products", list: true, wanted: `code = "P-1"`, task: "product",
		objects: sandbox.KindProducts, bystander: productOther, says: notFound("No product has"),
	}, "einvoice_product", productObject),
	dataKind(requestKind{
		name: "webhook", method: "GET", path: "/v1/webhooks", list: true, task: "webhook",
		wanted:  "event = \"invoice.authorized\"\nurl = \"https://erp.example/hooks\"",
		objects: sandbox.KindWebhooks, bystander: webhookOther, says: notFound("No webhook sends"),
	}, "einvoice_webhook", webhookObject),
	dataKind(requestKind{
		name: "company", method: "GET", path: "/v1/companies", list: true, wanted: `federal_tax_number = "11222333000181"`, task: "company",
		objects: sandbox.KindCompanies, bystander: companyOther, says: notFound("No company has"),
	}, "einvoice_company", companyObject),
	dataKind(requestKind{
		name: "invoice", method: "GET", path: "/v1/service-invoices", list: true, task: "invoice",
		wanted:  "model = \"serviceInvoice\"\nintegration_id = \"order-1\"",
		objects: sandbox.KindServiceInvoices, bystander: invoiceOther, says: notFound("No invoice has"),
	}, "einvoice_invoice", invoiceObject),

	dataKind(requestKind{
		name: "order", method: "GET", path: "/v1/orders", list: true, wanted: `transaction_id = "sale-1"`, task: "order",
		objects: sandbox.KindOrders, bystander: orderOther, says: notFound("No order has"),
	}, "einvoice_order", orderObject),

	listKind(requestKind{name: "orders", path: "/v1/orders", objects: sandbox.KindOrders, bystander: orderOther}, "orders", orderObject),
	listKind(requestKind{name: "customers", path: "/v1/customers", objects: sandbox.KindCustomers, bystander: customerOther}, "customers", customerObject),
	listKind(requestKind{name: "products", path: "/v1/products", objects: sandbox.KindProducts, bystander: productOther}, "products", productObject),
	listKind(requestKind{name: "webhooks", path: "/v1/webhooks", objects: sandbox.KindWebhooks, bystander: webhookOther}, "webhooks", webhookObject),
	listKind(requestKind{name: "companies", path: "/v1/companies", objects: sandbox.KindCompanies}, "companies", companyObject),
	listKind(requestKind{
		name: "company certificates", path: "/v1/companies/{id}/certificates", wanted: `company_id = "OWNER"`, objects: sandbox.KindCertificates,
		task: "company certificates", says: map[string]string{faultNotFound: "`list_certificates`"},
		seed: func(s *sandbox.Server) map[string]string {
			s.Seed(sandbox.KindCertificates, map[string]any{"_companyId": s.OwnerCompanyID(), "subject": "CN=A", "isActive": true})
			return nil
		},
	}, "certificates", nil),
	listKind(requestKind{
		name: "invoices", path: "/v1/service-invoices", wanted: `model = "serviceInvoice"`, objects: sandbox.KindServiceInvoices, bystander: invoiceOther,
	}, "invoices", invoiceObject),
	listKind(requestKind{
		name: "inbound invoices", path: "/v1/inbound-product-invoices", objects: sandbox.KindInbound, bystander: map[string]any{"amount": 1},
	}, "invoices", map[string]any{"amount": 2}),
	listKind(requestKind{
		name: "disablements", path: "/v1/product-invoices/disablements", objects: sandbox.KindDisablements, bystander: map[string]any{"series": "1"},
	}, "disablements", map[string]any{"series": "2"}),
	monthKind(requestKind{
		name: "invoice totals", path: "/v1/service-invoices", wanted: "model = \"serviceInvoice\"", objects: sandbox.KindServiceInvoices,
		task: "add up invoices", holds: hasNumber("invoice_count", 2),
	}, "einvoice_invoice_totals"),
	monthKind(requestKind{
		name: "numbers", path: "/v1/product-invoices", wanted: numbersWanted, objects: sandbox.KindProductInvoices,
		task: "read the numbers", holds: hasNumber("used", 2),
	}, "einvoice_numbering"),
	monthKind(requestKind{
		name: "numbers declared unused", path: "/v1/product-invoices/disablements", before: 1, wanted: numbersWanted, objects: sandbox.KindProductInvoices,
		task: "read the numbers", holds: hasNumber("disabled", 0),
	}, "einvoice_numbering"),
	listKind(requestKind{name: "service cities", path: "/v1/service-invoices/cities", wanted: `code = "3550308"`}, "cities", nil),
}

// listKind completes a kind with what data sources of whole lists share. Another
// list cannot be told from the right one.
func listKind(k requestKind, attribute string, object map[string]any) requestKind {
	k.method, k.list, k.task = "GET", true, cmp.Or(k.task, "read "+k.name)
	k.instead = map[string]meeting{faultOther: meetNone}
	k.holds = func(c *cell, attributes map[string]any) error {
		want := 1
		if c.kind.objects != "" {
			want = len(c.service.Objects(c.kind.objects))
		}
		if listed, _ := attributes[attribute].([]any); len(listed) != want {
			return fmt.Errorf("%d are listed, want %d", len(listed), want)
		}
		return nil
	}
	k = dataKind(k, "einvoice_"+strings.ReplaceAll(k.name, " ", "_"), object)
	k.group = "Data sources of lists"
	return k
}

const numbersWanted = "model = \"productInvoice\"\nseries = \"1\""

// monthKind completes a kind with what data sources of a month share.
func monthKind(k requestKind, source string) requestKind {
	k.method, k.list, k.wanted = "GET", true, k.wanted+"\nmonth = \"2026-11\""
	k.instead = map[string]meeting{faultOther: meetNone}
	k.bystander = map[string]any{"effectiveDate": "2026-11-10", "amount": 1, "number": 7, "series": "1"}
	k = dataKind(k, source, with(k.bystander, map[string]any{"number": 8}))
	k.group = "Data sources of lists"
	return k
}

// hasNumber checks a number that a data source reads.
func hasNumber(name string, want float64) func(*cell, map[string]any) error {
	return func(_ *cell, attributes map[string]any) error {
		if attributes[name] != want {
			return fmt.Errorf("%s is %v, want %v", name, attributes[name], want)
		}
		return nil
	}
}

// documentKind is the download of a document.
func documentKind(format string) requestKind {
	return dataKind(requestKind{
		name: strings.ToUpper(format), method: "GET", path: "/v1/service-invoices/{id}/" + format, task: "read invoice document",
		wanted:  "model = \"serviceInvoice\"\nid = \"WANTED\"\nformat = \"" + format + "\"",
		objects: sandbox.KindServiceInvoices, bystander: invoiceOther,
	}, "einvoice_invoice_document", with(invoiceObject, map[string]any{"authorization": map[string]any{"protocol": "135261250961531"}}))
}

func anotherInvoice(*sandbox.Server) string {
	return `{"id": "00000000-0000-4000-8000-000000000001", "integrationId": "order-2", "status": "authorized"}`
}
