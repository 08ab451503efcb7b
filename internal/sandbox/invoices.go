package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
)

// The states of an invoice (specification, States and transitions).
const (
	statusCreated      = "created"
	statusEnqueued     = "enqueued"
	statusReceived     = "received"
	statusAuthorized   = "authorized"
	statusInContingent = "inContingent"
	statusRejected     = "rejected"
	statusCanceled     = "canceled"
	statusDenied       = "denied"
	statusRemoved      = "removed"
	statusDisabled     = "disabled"
)

// invoiceModel is one of the three kinds of invoice. Its handlers are in invoices.go and invoices_actions.go.
type invoiceModel struct {
	// name is the value of the field model, and the settings block.
	name string
	kind string
	path string
	// keyModel stands in the access key; a service invoice has none.
	keyModel string
}

var (
	modelService  = invoiceModel{"serviceInvoice", KindServiceInvoices, "/v1/service-invoices", ""}
	modelProduct  = invoiceModel{"productInvoice", KindProductInvoices, "/v1/product-invoices", "55"}
	modelConsumer = invoiceModel{"consumerInvoice", KindConsumerInvoices, "/v1/consumer-invoices", "65"}

	invoiceModels = []invoiceModel{modelService, modelProduct, modelConsumer}
)

// invoiceBook is the service's knowledge of invoices besides the documents. The server's lock guards it.
type invoiceBook struct {
	scripts map[string]*script
	// cycles counts the processings of an invoice, so that an outdated timer sees that a later one has begun.
	cycles map[string]int
	// pending is the outcome that follows the stage that an invoice shows.
	pending map[string]Outcome
	// used is the last number that was used, by company and model.
	used map[string]int64
	// undetected are the received invoices that their company's next sync finds; nsu is the last one that was given.
	undetected []object
	nsu        int64
	// searches are how a company's next searches go.
	searches map[string][]string
	// sync is the state of the search by company.
	sync map[string]object
}

func newInvoiceBook() invoiceBook {
	return invoiceBook{
		scripts: map[string]*script{}, cycles: map[string]int{}, pending: map[string]Outcome{},
		used: map[string]int64{}, sync: map[string]object{}, searches: map[string][]string{},
	}
}

// invoiceRef identifies an invoice.
type invoiceRef struct {
	model invoiceModel
	id    string
}

// routesInvoices registers the three kinds. Every company's key reaches them, and only its own invoices: the key
// says which company issues. Only creation, reads, the list of two kinds and the check-status of one are in the
// specification; the rest is reported for all three.
func (s *Server) routesInvoices() {
	for _, m := range invoiceModels {
		s.shape(m.kind, func(doc object) { s.completeInvoice(m, doc) })
		s.route("POST "+m.path, anyKey, m.create)
		s.route("GET "+m.path, anyKey, m.list)
		// Specification, Endpoints: the current status, without asking the authority.
		read := func(_ *call, doc object) (any, error) { return doc, nil }
		s.route("GET "+m.path+"/{id}", anyKey, owned(m.kind, read))
		if s.opts.CancelByPost {
			s.route("POST "+m.path+"/{id}/cancel", anyKey, owned(m.kind, m.cancel))
		} else {
			s.route("DELETE "+m.path+"/{id}", anyKey, owned(m.kind, m.cancel))
		}
		s.route("POST "+m.path+"/{id}/issue", anyKey, owned(m.kind, m.issue))
		s.route("POST "+m.path+"/{id}/check-status", anyKey, owned(m.kind, m.checkStatus))
		s.route("POST "+m.path+"/{id}/resend-email", anyKey, owned(m.kind, m.resendEmail))
		s.route("GET "+m.path+"/{id}/pdf", anyKey, owned(m.kind, issuedDocument(printedInvoice, contentTypePDF)))
		s.route("GET "+m.path+"/{id}/xml", anyKey, owned(m.kind, issuedDocument(signedInvoice, contentTypeXML)))
	}
	s.route("POST "+modelProduct.path+"/{id}/corrections", anyKey, owned(modelProduct.kind, modelProduct.correct))
	for format, contentType := range map[string]string{"pdf": contentTypePDF, "xml": contentTypeXML} {
		s.route("GET "+modelProduct.path+"/{id}/corrections/{eventId}/"+format, anyKey,
			owned(modelProduct.kind, correctionDocument(contentType)))
	}
}

// create follows the specification, What the service does: it answers with the invoice "enqueued", and the rest comes
// later. A second request with the same integrationId updates a draft or a rejected invoice, as reported. Two
// assumptions: in any other status it is refused, and the id counts per company and model.
func (m invoiceModel) create(c *call) (any, error) {
	s := c.s
	in := c.input()
	payload := m.payload(in)
	draft := (m == modelService || s.opts.GoodsDrafts) && in.in["issue"] == false && !s.opts.QueueDrafts
	in.extras(m.kind, payload)
	if m == modelService {
		in.noMore("CreateServiceInvoiceDto")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	ref, merged := invoiceRef{model: m}, false
	if id := text(payload, "integrationId"); id != "" && !s.opts.NoMergeByIntegrationID {
		earlier := s.all(m.kind, func(doc object) bool {
			return text(doc, "integrationId") == id && text(doc, "_company") == c.companyID()
		})
		if len(earlier) > 0 && s.opts.RefuseSecondPost {
			return nil, refuse(http.StatusConflict, "IntegrationId", "There is an invoice with this integrationId.")
		}
		if len(earlier) > 0 {
			last := earlier[len(earlier)-1]
			if err := mayIssue(last); err != nil {
				if s.opts.AnswersWithWhatIsThere {
					return s.invoice(invoiceRef{model: m, id: text(last, "id")}), nil
				}
				return nil, err
			}
			if ref.id, merged = text(last, "id"), true; s.opts.KeepsRejected && text(last, "status") == statusRejected {
				return last, nil
			}
		}
	}
	if merged {
		s.update(m.kind, ref.id, func(doc object) {
			series := doc["series"]
			maps.Copy(doc, payload)
			// An invoice issued in contingency before its rejection keeps its number, which counts in its series.
			if integer(doc, "number") != 0 {
				doc["series"] = series
			}
		})
	} else {
		payload["_company"] = c.companyID()
		payload["company"] = issuer(c.company)
		payload["status"] = statusEnqueued
		if draft {
			payload["status"] = statusCreated
		}
		s.completeInvoice(m, payload)
		ref.id = text(s.insert(m.kind, payload), "id")
	}
	if draft {
		s.restart(ref)
		s.transition(ref, statusCreated, func(doc object) { doc["processingDetail"] = nil })
	} else {
		s.enqueue(ref)
	}
	return s.invoice(ref), nil
}

// mayIssue returns why an invoice may not be sent to the authority, nil if it may.
func mayIssue(doc object) error {
	id, status := text(doc, "id"), text(doc, "status")
	switch status {
	case statusCreated:
		return nil
	case statusRejected:
		if !truth(doc, "_transient") {
			return nil
		}
		return invalid("",
			"SPD004: the invoice %s is still being processed; wait for its result and do not reissue it.", id)
	case statusAuthorized:
		return invalid("",
			"SPD004: the invoice %s is already authorized; the operation is incompatible with its state.", id)
	case statusCanceled, statusDenied, statusRemoved, statusDisabled:
		return invalid("", "SPD005: the invoice %s is %s and cannot be issued again.", id, status)
	default:
		return invalid("",
			"SPD004: the invoice %s is in process (%s); the operation is incompatible with its state.", id, status)
	}
}

// list is named by the specification. Its filters are reported, without one for the status; that they test for
// equality is assumed.
func (m invoiceModel) list(c *call) (any, error) {
	within, err := c.between("effectiveDateStart", "effectiveDateEnd")
	if err != nil {
		return nil, err
	}
	// Every filter is known to every model here, except two that only the service invoices' list is reported to have.
	wanted := map[string]string{
		"integrationId": c.filter("integrationId"),
		"transactionId": c.filter("transactionId"),
		"taxNumber":     plainTaxNumber(c.filter("receiverFederalTaxNumber")),
	}
	if m == modelService {
		wanted["name"] = c.filter("receiverName")
		wanted["email"] = c.filter("receiverEmail")
	}
	return c.page(c.s.listed(m.kind, func(doc object) bool {
		has := map[string]string{
			"integrationId": text(doc, "integrationId"),
			"transactionId": text(part(doc, "order"), "transactionId"),
			"taxNumber":     text(part(doc, "receiver"), "federalTaxNumber"),
			"name":          text(part(doc, "receiver"), "name"),
			"email":         text(part(doc, "receiver"), "email"),
		}
		for name, value := range wanted {
			if value != "" && has[name] != value {
				return false
			}
		}
		return text(doc, "_company") == c.companyID() && within(text(doc, "effectiveDate"))
	}), c.s.listedInvoice)
}

// listedInvoice is an invoice as a list shows it.
func (s *Server) listedInvoice(doc object) object {
	if s.opts.ListsWithoutIntegrationID {
		delete(doc, "integrationId")
	}
	return doc
}

// issuer is the part of a company that its invoices show.
func issuer(company object) object {
	return fieldsOf(company, "name", "legalName", "federalTaxNumber", "stateTaxNumber", "cityTaxNumber")
}

// invoice returns an invoice as it is now, also to those who hold only its reference.
func (s *Server) invoice(ref invoiceRef) object {
	doc, _ := s.get(ref.model.kind, ref.id)
	return doc
}

// completeInvoice adds the fields of the read shape that an invoice lacks. A seeded one without a company is the main
// company's.
func (s *Server) completeInvoice(m invoiceModel, doc object) {
	setDefault(doc, "_company", s.ownerID)
	company, _ := s.get(KindCompanies, text(doc, "_company"))
	if company != nil {
		setDefault(doc, "company", issuer(company))
	}
	settings := s.settingsBlock(text(doc, "_company"), m.name)
	setDefault(doc, "status", statusAuthorized)
	setDefault(doc, "model", m.name)
	setDefault(doc, "environmentType", environment(settings))
	setDefault(doc, "issuedOn", local(s.clock.Now()))
	setDefault(doc, "isFromApi", true)
	setDefault(doc, "operationType", "outgoing")
	setDefault(doc, "purposeType", "normal")
	setDefault(doc, "issueType", "normal")
	switch m {
	case modelService:
		setDefault(doc, "printingType", "none")
		setDefault(doc, "number", nil)
		nulls(doc, "rps", "batchNumber", "description", "totals")
	case modelConsumer:
		setDefault(doc, "printingType", "consumerInvoice")
		setDefault(doc, "number", 0)
	default:
		setDefault(doc, "printingType", "portrait")
		setDefault(doc, "number", 0)
	}
	// Invoices, too, have fields that no client knows.
	setDefault(doc, "transmission", object{"channel": "api", "attempts": 0, "lastError": nil})
	nulls(doc, "integrationId", "effectiveDate", "receiver", "company", "order", "authorization", "cancellation",
		"amount", "processingDetail", "accessKey", "series", "pickup", "delivery", "debitType", "creditType",
		"govPurchase", "govOperationType", "contingency", "authorizedPersons")
}

// environment is the environment type of a settings block; the service shows an unset one as the number 0.
func environment(settings object) any {
	if word := text(settings, "environmentType"); word != "" {
		return word
	}
	return json.Number("0")
}

// Invoices returns copies of all invoices of a model such as "serviceInvoice", "" for all three, as they are now, in
// the order of creation.
func (s *Server) Invoices(model string) []map[string]any {
	return s.invoicesWhere(model, nil)
}

// InvoicesByIntegrationID returns the invoices of every model and company that carry an integrationId.
func (s *Server) InvoicesByIntegrationID(id string) []map[string]any {
	return s.invoicesWhere("", func(doc object) bool { return text(doc, "integrationId") == id })
}

func (s *Server) invoicesWhere(model string, match func(object) bool) []map[string]any {
	return locked(s, func() []object {
		docs := []object{}
		for _, m := range invoiceModels {
			if model == "" || model == m.name {
				docs = append(docs, s.all(m.kind, match)...)
			}
		}
		return docs
	})
}

// SetInvoiceStatus moves an invoice to a status as somebody else would, with the events of that transition. Its
// pending outcomes are dropped. It reports whether there is such an invoice. Lists show it at once.
func (s *Server) SetInvoiceStatus(id, status string) bool {
	return locked(s, func() bool {
		ref, ok := s.findInvoice(id)
		if !ok {
			return false
		}
		s.restart(ref)
		now := s.clock.Now()
		s.transition(ref, status, func(doc object) {
			delete(doc, "_canceling")
			delete(doc, "_transient")
			switch status {
			case statusAuthorized:
				s.authorizeDocument(ref.model, doc)
			case statusCanceled:
				doc["cancellation"] = object{
					"date": local(now), "protocol": s.digits(15), "justification": "Cancelada fora da API",
				}
			}
		})
		s.shelf(ref.model.kind).byID[ref.id].listNow()
		return true
	})
}

// findInvoice looks an id up among all models.
func (s *Server) findInvoice(id string) (invoiceRef, bool) {
	for _, m := range invoiceModels {
		if doc, ok := s.get(m.kind, id); ok {
			return invoiceRef{m, text(doc, "id")}, true
		}
	}
	return invoiceRef{}, false
}
