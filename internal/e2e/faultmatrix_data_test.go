package e2e_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// dataKind completes a kind with what all reads of data sources share: an object
// of the service, next to another one.
func dataKind(k requestKind, source string, object object) requestKind {
	k.group, k.resource, k.planOnly, k.method = "Data sources", "data."+source, true, "GET"
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
func with(of, more object) map[string]any {
	all := maps.Clone(of)
	maps.Copy(all, more)
	return all
}

var (
	customerObject = object{"name": "Padaria", "federalTaxNumber": "11222333000181"}
	productObject  = object{"name": "Pão", "code": "P-1", "price": 1.5}
	webhookObject  = object{"event": "invoice.authorized", "url": "https://erp.example/hooks", "enabled": true}
	companyObject  = object{"name": "Filial", "legalName": "Filial Ltda", "federalTaxNumber": "11222333000181"}
	orderOther     = object{"transactionId": "sale-2", "amount": 100}
	orderObject    = with(orderOther, object{"transactionId": "sale-1"})
	invoiceOther   = object{"integrationId": "order-2", "amount": 100, "number": 7, "status": "authorized"}
	invoiceObject  = with(invoiceOther, object{"integrationId": "order-1", "number": 8})
)

// dataKinds are reads of one object, searches, and reads of whole lists.
var dataKinds = func() []requestKind {
	gets, searches, lists := []requestKind{}, []requestKind{}, []requestKind{}
	for _, of := range []struct {
		noun, plural, objects, by, none string // none is what a search says that comes upon other objects only
		object, other                   object
	}{
		{"customer", "customers", sandbox.KindCustomers, byNumber, "No customer has", customerObject, customerOther},
		{"product", "products", sandbox.KindProducts, `code = "P-1"`, "No product has", productObject, productOther},
		{"webhook", "webhooks", sandbox.KindWebhooks, webhookGiven, "No webhook sends", webhookObject, webhookOther},
		{"company", "companies", sandbox.KindCompanies, byNumber, "No company has", companyObject, companyOther},
		{"order", "orders", sandbox.KindOrders, `transaction_id = "sale-1"`, "No order has", orderObject, orderOther},
		{"invoice", "invoices", sandbox.KindServiceInvoices, byName, "No invoice has", invoiceObject, invoiceOther},
	} {
		k := requestKind{
			name: of.noun, first: of.noun == "customer", path: "/v1/" + of.plural, task: "read " + of.noun,
			objects: of.objects, bystander: of.other,
		}
		get, search, list := k, k, k
		get.wanted, get.instead = `id = "WANTED"`, listed
		search.list, search.wanted, search.task, search.says = true, of.by, of.noun, map[string]string{faultOther: of.none}
		list.name, list.task = of.plural, ""
		if of.noun == "invoice" {
			search.path, list.path, list.wanted = fixture.ServiceInvoices, fixture.ServiceInvoices, ofService
			get.path, get.wanted, get.task, get.instead = fixture.ServiceInvoices, ofService+get.wanted, "invoice", nil
			get.says = map[string]string{faultNotFound: "HTTP 404|No invoice has"}
		}
		get.path += "/{id}"
		gets = append(gets, dataKind(get, "einvoice_"+of.noun, of.object))
		searches = append(searches, dataKind(search, "einvoice_"+of.noun, of.object))
		lists = append(lists, listKind(list, of.plural, of.object))
	}
	return slices.Concat(gets, otherGets, searches, lists, otherLists)
}()

const (
	ofService = "model = \"serviceInvoice\"\n"
	byName    = ofService + `integration_id = "order-1"`
	byNumber  = `federal_tax_number = "11222333000181"`
)

var otherGets = []requestKind{
	dataKind(requestKind{
		name: "company settings", path: "/v1/companies/{id}/settings", wanted: `company_id = "OWNER"`, task: "company",
		other: settingsKinds[0].other, says: map[string]string{faultNotFound: "HTTP 404|No company has"},
	}, "einvoice_company_settings", nil),
	dataKind(requestKind{
		name: "payload examples", path: "/v1/service-invoices/cities/{code}/payload-example", wanted: `city_code = "3550308"`,
		task: "payload examples|city not found", other: anotherInvoice, says: map[string]string{faultNotFound: "knows no payload examples"},
		instead: map[string]meeting{faultWrongType: meetNone}, // A bare list may be the examples.
	}, "einvoice_payload_examples", nil),
	dataKind(requestKind{
		name: "inbound invoice", path: "/v1/inbound-product-invoices/{id}", task: "inbound invoice",
		wanted: "model = \"productInvoice\"\nid = \"WANTED\"", objects: sandbox.KindInbound, bystander: object{"amount": 1},
		says: map[string]string{faultNotFound: "has received no NF-e"},
	}, "einvoice_inbound_invoice", object{"amount": 2}),
	dataKind(requestKind{
		name: "inbound sync status", path: "/v1/inbound-product-invoices/sync-status", task: "inbound sync status",
		other: anotherInvoice,
	}, "einvoice_inbound_sync_status", nil),
	documentKind("pdf"),
	documentKind("xml"),
}

var otherLists = []requestKind{
	listKind(requestKind{
		name: "company certificates", path: "/v1/companies/{id}/certificates", wanted: `company_id = "OWNER"`, objects: sandbox.KindCertificates,
		task: "company certificates", says: map[string]string{faultNotFound: "`list_certificates`"},
		seed: func(s *sandbox.Server) map[string]string {
			s.Seed(sandbox.KindCertificates, object{"_companyId": s.OwnerCompanyID(), "subject": "CN=A", "isActive": true})
			return nil
		},
	}, "certificates", nil),
	listKind(requestKind{
		name: "inbound invoices", path: "/v1/inbound-product-invoices", objects: sandbox.KindInbound, bystander: object{"amount": 1},
	}, "invoices", object{"amount": 2}),
	listKind(requestKind{
		name: "disablements", path: "/v1/product-invoices/disablements", objects: sandbox.KindDisablements, bystander: object{"series": "1"},
	}, "disablements", object{"series": "2"}),
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
func listKind(k requestKind, attribute string, object object) requestKind {
	k.list, k.task = true, cmp.Or(k.task, "read "+k.name)
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
	k.list, k.wanted = true, k.wanted+"\nmonth = \"2026-11\""
	k.instead = map[string]meeting{faultOther: meetNone}
	k.bystander = object{"effectiveDate": "2026-11-10", "amount": 1, "number": 7, "series": "1"}
	k = dataKind(k, source, with(k.bystander, object{"number": 8}))
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
		name: strings.ToUpper(format), path: "/v1/service-invoices/{id}/" + format, task: "read invoice document",
		wanted:  "model = \"serviceInvoice\"\nid = \"WANTED\"\nformat = \"" + format + "\"",
		objects: sandbox.KindServiceInvoices, bystander: invoiceOther,
	}, "einvoice_invoice_document", with(invoiceObject, object{"authorization": object{"protocol": "135261250961531"}}))
}

var anotherInvoice = always(`"integrationId": "order-2", "status": "authorized"`)
