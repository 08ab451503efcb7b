package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// invoiceWanted is an invoice with more arguments.
func invoiceWanted(arguments ...string) string {
	return `
model          = "serviceInvoice"
integration_id = "order-1"
payload_json   = jsonencode({ description = "Consultoria", federalServiceCode = "17.01", total = { invoiceAmount = 100 } })
` + strings.Join(arguments, "\n")
}

// invoiceKind completes a kind with what all requests about invoices share. The
// other invoice is the same but for its identity.
func invoiceKind(k requestKind) requestKind {
	k.group, k.resource, k.objects, k.keeps = "Invoices", "einvoice_invoice_issuance", sandbox.KindServiceInvoices, true
	k.bystander = map[string]any{"integrationId": "order-2", "amount": 100, "number": 7, "status": "authorized"}
	k.task = "NFS-e"
	status := "authorized"
	if k.destroy {
		k.done, k.standing, status = canceled, "Destroying cancels", "canceled"
	}
	k.settled = func(c *cell) error {
		for _, invoice := range c.made() {
			if invoice["status"] != status {
				return fmt.Errorf("the invoice is %s, want %s", invoice["status"], status)
			}
		}
		return nil
	}
	return k
}

func canceled(c *cell) bool { return has("status", "canceled")(c) }

func issued(c *cell) bool {
	made := c.made()
	return len(made) == 1 && made[0]["status"] != "created"
}

// corrected has other words and the amount of the draft.
var corrected = strings.Replace(invoiceWanted(patiently), "Consultoria", "Assessoria", 1)

func isCorrected(c *cell) bool {
	return slices.ContainsFunc(c.made(), func(v map[string]any) bool { return v["description"] == "Assessoria" && v["status"] != "created" })
}

const (
	reasoned = `cancellation_reason = "Pedido em duplicidade"`
	draft    = `issue = false`
)

const (
	// patiently leaves time for all that repeats, and for the patience after a lost answer.
	patiently = `timeouts = { create = "90s", update = "90s", delete = "90s" }`
	// shortly ends before a wait asks the authority itself, which would answer.
	shortly = `timeouts = { create = "25s", update = "25s", delete = "25s" }`
)

// A wait asks again and again, whatever it is answered, but for an answer that
// says that the key is wrong.
var waited = everyFault(meetRepeated, map[string]meeting{faultKey: meetReported, faultRefused: meetReported})

// An answer that does not show what was done is followed by a read.
var shownByRead = map[string]meeting{faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless}

var invoiceKinds = []requestKind{
	invoiceKind(requestKind{
		name: "look up", method: "GET", path: "/v1/service-invoices", list: true, wanted: invoiceWanted(), done: exists,
		// The filter may have been ignored, so each entry is compared.
		instead: map[string]meeting{faultOther: meetHarmless},
	}),
	invoiceKind(requestKind{
		name: "issue", class: classCreation, named: true, method: "POST", path: "/v1/service-invoices", before: 1, wanted: invoiceWanted(), done: exists,
	}),
	invoiceKind(requestKind{
		name: "follow", first: true, method: "GET", path: "/v1/service-invoices/{id}", before: 2,
		options: sandbox.Options{AuthorizeAfter: time.Second},
		wanted:  invoiceWanted(shortly), done: exists, acted: true, instead: waited,
	}),
	invoiceKind(requestKind{
		name: "check the status", class: classRead, method: "POST", path: "/v1/service-invoices/{id}/check-status", before: 3,
		seed: func(s *sandbox.Server) map[string]string {
			s.ScriptInvoice("order-1", sandbox.TransientCode("SPD001", "Em processamento", sandbox.Authorize()).OnlyByCheck())
			return nil
		},
		wanted: invoiceWanted(patiently), done: exists, acted: true,
		instead: checked,
	}),
	invoiceKind(requestKind{
		name: "check a rejected one", class: classRead, method: "POST", path: "/v1/service-invoices/{id}/check-status", before: 1,
		seed: func(s *sandbox.Server) map[string]string {
			s.Seed(sandbox.KindServiceInvoices, map[string]any{
				"integrationId": "order-1", "status": "rejected", "amount": 100,
				"processingDetail": map[string]any{"status": "success", "code": "E160", "message": "Serviço inválido", "on": "2026-01-02T03:04:05Z"},
			})
			return nil
		},
		wanted: invoiceWanted(),
		instead: everyFault(meetReported, map[string]meeting{
			faultLimited: meetRepeated,
			// It is sent again, which is what the check is to save.
			faultNotFound: meetHarmless, faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless,
		}),
	}),
	invoiceKind(requestKind{
		// The invoice is issued, whatever this look would show.
		name: "look for a second one of the same name", method: "GET", path: "/v1/service-invoices", skip: 1, before: 3, list: true, wanted: invoiceWanted(), done: exists, acted: true,
		instead: everyFault(meetHarmless, nil),
	}),
	invoiceKind(requestKind{
		name: "look up before a correction", method: "GET", path: "/v1/service-invoices", before: 2, list: true, given: invoiceWanted(draft), wanted: corrected, done: isCorrected,
		instead: map[string]meeting{faultOther: meetHarmless},
	}),
	invoiceKind(requestKind{
		name: "correct a draft", class: classCreation, named: true, method: "POST", path: "/v1/service-invoices", before: 3, given: invoiceWanted(draft), wanted: corrected, done: isCorrected,
	}),
	invoiceKind(requestKind{
		name: "read", method: "GET", path: "/v1/service-invoices/{id}", given: invoiceWanted(), planOnly: true, instead: listed,
	}),
	invoiceKind(requestKind{
		name: "read a draft before issuing", method: "GET", path: "/v1/service-invoices/{id}", skip: 1, before: 1,
		given: invoiceWanted(draft), wanted: invoiceWanted(patiently), done: issued,
	}),
	invoiceKind(requestKind{
		name: "issue a draft", class: classCreation, method: "POST", path: "/v1/service-invoices/{id}/issue", before: 3,
		given: invoiceWanted(draft), wanted: invoiceWanted(patiently), done: issued,
		// The draft is read after any answer that does not show it.
		instead: shownByRead,
	}),
	invoiceKind(requestKind{
		name: "read before canceling", method: "GET", path: "/v1/service-invoices/{id}", skip: 1, before: 2,
		given: invoiceWanted(reasoned, patiently), destroy: true,
	}),
	invoiceKind(requestKind{
		name: "cancel", class: classCreation, method: "DELETE", path: "/v1/service-invoices/{id}", before: 3,
		given: invoiceWanted(reasoned, patiently), destroy: true,
		instead: shownByRead,
	}),
	invoiceKind(requestKind{
		name: "follow a cancellation", first: true, method: "GET", path: "/v1/service-invoices/{id}", skip: 2, before: 4,
		options: sandbox.Options{AuthorizeAfter: time.Second},
		given:   invoiceWanted(reasoned, shortly), destroy: true, acted: true,
		instead: waited,
	}),
}

// checked is how the check of a status in a wait is met: it is repeated after
// half a minute, and what it has brought about shows in the next read.
var checked = everyFault(meetRepeated, map[string]meeting{
	faultRefused: meetReported, faultNotFound: meetReported, faultLost: meetLookedUp, faultTooLarge: meetLookedUp,
	faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless,
})

const letterWanted = `
invoice_id = "INVOICE"
letter     = "Onde se lê 1 volume, leia-se 2 volumes."`

func letterKind(k requestKind) requestKind {
	k.group, k.resource, k.objects = "Correction letters", "einvoice_correction_letter", sandbox.KindProductInvoices
	k.bystander = map[string]any{"integrationId": "sale-2", "amount": 100, "number": 7, "status": "authorized"}
	k.seed = func(s *sandbox.Server) map[string]string {
		return map[string]string{"INVOICE": s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "sale-1", "amount": 100, "number": 8, "status": "authorized"})}
	}
	k.wanted, k.done = letterWanted, lettered
	k.settled = func(c *cell) error {
		if n := len(c.service.Corrections(c.words["INVOICE"])); n != 1 {
			return fmt.Errorf("%d letters, want 1", n)
		}
		return nil
	}
	return k
}

func lettered(c *cell) bool { return len(c.service.Corrections(c.words["INVOICE"])) > 0 }

const declarationWanted = `
invoice_id = "INVOICE"
status     = "confirmed"`

func declarationKind(k requestKind) requestKind {
	k.group, k.resource, k.objects = "Declarations about received NF-e", "einvoice_inbound_manifestation", sandbox.KindInbound
	k.seed = func(s *sandbox.Server) map[string]string {
		return map[string]string{"INVOICE": s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": "none"}})}
	}
	k.wanted = declarationWanted
	k.done = func(c *cell) bool {
		held, _ := c.service.Object(sandbox.KindInbound, c.words["INVOICE"])
		return held["manifestation"].(map[string]any)["status"] == "confirmed"
	}
	k.settled = func(c *cell) error {
		held, _ := c.service.Object(sandbox.KindInbound, c.words["INVOICE"])
		if events, _ := held["events"].([]any); len(events) != 1 {
			return fmt.Errorf("%d declarations, want 1", len(events))
		}
		return nil
	}
	return k
}

var declarationKinds = []requestKind{
	declarationKind(requestKind{
		name: "read the invoice", method: "GET", path: "/v1/inbound-product-invoices/{id}", task: "inbound NF-e",
		says: map[string]string{faultNotFound: "No inbound NF-e has invoice_id"},
	}),
	declarationKind(requestKind{
		name: "declare", class: classCreation, method: "POST", path: "/v1/inbound-product-invoices/{id}/manifest", before: 1, task: "declar",
	}),
}

var letterKinds = []requestKind{
	letterKind(requestKind{
		name: "read the invoice", method: "GET", path: "/v1/product-invoices/{id}", task: "the invoice to correct|not an NF-e",
		says: map[string]string{faultNotFound: "No NF-e has id"},
	}),
	letterKind(requestKind{
		// The service shows no list of letters to look one up in.
		name: "send", class: classCreation, method: "POST", path: "/v1/product-invoices/{id}/corrections", before: 1, task: "correction letter", person: true,
		instead: map[string]meeting{
			faultText: meetHarmless, faultWrongType: meetHarmless, faultOther: meetHarmless,
			faultCut: meetReported, faultLost: meetReported, faultFailed: meetReported, faultTooLarge: meetReported,
		},
	}),
}

// orderWanted is an order with more arguments.
func orderWanted(arguments ...string) string {
	return `
transaction_id = "sale-1"
amount         = 100
customer       = { name = "Maria", federal_tax_number = "52998224725" }
items = [{
  quantity = 4
  price    = 25
  amount   = 100
  product  = { code = "S1", name = "Consulta", invoice_model = "serviceInvoice" }
}]
` + strings.Join(arguments, "\n")
}

// orderKind completes a kind with what all requests about orders share. The
// other order is the same but for its identity.
func orderKind(k requestKind) requestKind {
	k.group, k.resource, k.objects = "Orders", "einvoice_order", sandbox.KindOrders
	k.bystander = map[string]any{
		"transactionId": "sale-2", "amount": 100, "autoIssueMode": "disabled", "status": "created", "customer": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
	}
	k.task = "sale-1|NFS-e"
	if k.standing = "order stays"; strings.Contains(k.wanted, "approved") {
		k.standing = "its invoices will be issued"
	}
	k.settled = func(c *cell) error {
		invoices := c.service.Invoices("")
		if len(invoices) != 1 || invoices[0]["status"] != "authorized" {
			return fmt.Errorf("the invoices are %v, want one that is authorized", invoices)
		}
		return nil
	}
	return k
}

// cancelOrderKind completes a kind with what all requests of a destroy that cancels
// share.
func cancelOrderKind(k requestKind) requestKind {
	k.given, k.destroy, k.done, k.keeps = orderWanted(reasoned, patiently), true, orderCanceled, true
	k = orderKind(k)
	k.standing = "Destroying cancels"
	k.settled = func(c *cell) error {
		if !orderCanceled(c) {
			return fmt.Errorf("the invoices are %v, want one that is canceled", c.service.Invoices(""))
		}
		return nil
	}
	return k
}

// orderCanceled tells whether the invoice of the order is canceled.
func orderCanceled(c *cell) bool {
	invoices := c.service.Invoices("")
	return len(invoices) == 1 && invoices[0]["status"] == "canceled"
}

// ordered tells whether the order has an invoice that is issued.
func ordered(c *cell) bool {
	for _, invoice := range c.service.Invoices("") {
		if invoice["status"] != "created" {
			return true
		}
	}
	return false
}

const (
	afterPayment = `auto_issue_mode = "afterPayment"`
	onDemand     = `auto_issue_mode = "disabled"`
)

var orderKinds = []requestKind{
	orderKind(requestKind{
		name: "look up", method: "GET", path: "/v1/orders", list: true, wanted: orderWanted(patiently), done: exists,
		instead: map[string]meeting{faultOther: meetHarmless},
	}),
	orderKind(requestKind{
		name: "create", class: classCreation, named: true, method: "POST", path: "/v1/orders", before: 1, wanted: orderWanted(patiently), done: exists,
	}),
	orderKind(requestKind{
		name: "follow an invoice", first: true, method: "GET", path: "/v1/service-invoices/{id}", before: 2,
		options: sandbox.Options{AuthorizeAfter: time.Second},
		wanted:  orderWanted(shortly), done: exists, acted: true,
		// The first read of an invoice may fail in any way: it is read again.
		instead: everyFault(meetRepeated, map[string]meeting{faultRefused: meetReported}),
	}),
	orderKind(requestKind{
		name: "read", method: "GET", path: "/v1/orders/{id}", given: orderWanted(), planOnly: true, instead: listed,
	}),
	orderKind(requestKind{
		name: "read before changing", method: "GET", path: "/v1/orders/{id}", skip: 1, before: 1, instead: listed,
		given: orderWanted(afterPayment), wanted: orderWanted(afterPayment, `status = "approved"`), done: ordered,
	}),
	orderKind(requestKind{
		name: "change the status", class: classCreation, method: "PUT", path: "/v1/orders/{id}/status", before: 2, instead: shownByRead,
		given: orderWanted(afterPayment), wanted: orderWanted(afterPayment, patiently, `status = "approved"`), done: ordered,
	}),
	orderKind(requestKind{
		name: "issue", class: classCreation, method: "POST", path: "/v1/orders/{id}/invoices/issue", before: 3, instead: shownByRead,
		given: orderWanted(onDemand), wanted: orderWanted(onDemand, patiently, `issue_invoices = true`), done: ordered,
	}),
	cancelOrderKind(requestKind{name: "read before canceling", method: "GET", path: "/v1/orders/{id}", skip: 1, before: 1, instead: listed}),
	cancelOrderKind(requestKind{name: "read an invoice before canceling", method: "GET", path: "/v1/service-invoices/{id}", before: 2}),
	cancelOrderKind(requestKind{
		name: "cancel an invoice", class: classCreation, method: "DELETE", path: "/v1/service-invoices/{id}", before: 3, instead: shownByRead,
	}),
}
