package sandbox

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

var (
	inboundStates       = []string{statusAuthorized, statusDenied, statusCanceled}
	manifestationStates = []string{"none", "acknowledged", "confirmed", "unknown", "notPerformed", "rejected"}
	manifestations      = []string{"acknowledged", "confirmed", "unknown", "notPerformed"}
	environmentTypes    = []string{"production", "development", "simulation"}
)

const (
	pathInboundProduct = "/v1/inbound-product-invoices"
	pathInboundService = "/v1/inbound-service-invoices"
)

// routesInbound registers the invoices issued against the calling company. The specification names the list and reads,
// sync and sync-status; manifestation and documents are reported.
func (s *Server) routesInbound() {
	s.shape(KindInbound, s.completeInbound)
	s.route("GET "+pathInboundProduct, anyKey, s.listInbound)
	s.route("POST "+pathInboundProduct+"/{id}/manifest", anyKey, received(modelProduct, s.manifest))
	s.route("POST "+pathInboundProduct+"/sync", anyKey, s.syncInbound)
	s.route("GET "+pathInboundProduct+"/sync-status", anyKey, s.readSyncStatus)
	models := map[string]invoiceModel{pathInboundProduct: modelProduct, pathInboundService: modelService}
	for path, model := range models {
		s.route("GET "+path+"/{id}", anyKey, received(model, readInbound))
		s.route("GET "+path+"/{id}/pdf", anyKey, received(model, inboundPDF))
		s.route("GET "+path+"/{id}/xml", anyKey, received(model, inboundXML))
	}
}

// listInbound follows the specification, Rules per endpoint: newest first, by cursor, with these filters; their names
// are reported but for operationType, which is assumed.
func (s *Server) listInbound(c *call) (any, error) {
	within, err := c.between("initialDate", "endDate")
	if err != nil {
		return nil, err
	}
	wanted := map[string][]string{}
	for name, words := range map[string][]string{
		"status": inboundStates, "manifestationStatus": manifestationStates, "operationType": {"incoming", "outgoing"},
		"environmentType": environmentTypes,
	} {
		if wanted[name], err = c.wordFilter(name, words...); err != nil {
			return nil, err
		}
	}
	key := c.filter("accessKey")
	docs := s.listed(KindInbound, func(doc object) bool {
		has := map[string]string{
			"status": text(doc, "status"), "manifestationStatus": text(part(doc, "manifestation"), "status"),
			"operationType": text(doc, "operationType"), "environmentType": text(doc, "environmentType"),
		}
		for name, words := range wanted {
			if len(words) > 0 && !slices.Contains(words, has[name]) {
				return false
			}
		}
		return text(doc, "_company") == c.companyID() && text(doc, "model") == modelProduct.name &&
			(key == "" || text(doc, "accessKey") == key) && within(text(doc, "issuedOn"))
	})
	slices.SortStableFunc(docs, func(a, b object) int {
		first, _ := parseMoment(text(a, "issuedOn"))
		second, _ := parseMoment(text(b, "issuedOn"))
		return second.Compare(first)
	})
	return c.cursorPage(docs, shownInbound)
}

// readInbound follows the specification, Endpoints.
func readInbound(_ *call, doc object) (any, error) { return shownInbound(doc), nil }

// shownInbound leaves out the fields that the specification lists only for webhook payloads.
func shownInbound(doc object) object {
	for _, name := range []string{"company", "events", "number", "serviceDescription", "serviceLocation", "role"} {
		delete(doc, name)
	}
	if sender := part(doc, "issuer"); sender != nil {
		doc["issuer"] = fieldsOf(sender, "name", "legalName", "federalTaxNumber")
	}
	return doc
}

// wordFilter reads a filter of one or more words; none is nil.
func (c *call) wordFilter(name string, allowed ...string) ([]string, error) {
	words := c.filters(name)
	for _, word := range words {
		if !slices.Contains(allowed, word) {
			return nil, invalid(name, "The value '%s' is not valid for %s.", word, pascal(name))
		}
	}
	return words, nil
}

// received hands the invoice of the path to a handler, if it is of the model and the calling company received it.
func received(m invoiceModel, h func(c *call, doc object) (any, error)) handler {
	return owned(KindInbound, func(c *call, doc object) (any, error) {
		if text(doc, "model") != m.name {
			return nil, notFound()
		}
		return h(c, doc)
	})
}

// manifest is reported: the recipient's statement about an NF-e, with a justification of 15 to 255 characters for the
// last two kinds. It releases a summary complete, which is assumed of the first two.
func (s *Server) manifest(c *call, doc object) (any, error) {
	in := c.input()
	status, _ := in.enum("status", manifestations...).(string)
	in.demand("status")
	justification := in.text("justification", 255)
	if status == "unknown" || status == "notPerformed" {
		if given, _ := justification.(string); utf8.RuneCountInString(given) < 15 {
			in.tooShort("justification", 15, 255)
		}
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if text(doc, "status") != statusAuthorized {
		return nil, invalid("", "The invoice is %s: the authority refuses its manifestation.", text(doc, "status"))
	}
	// MOC, events of the recipient: 573 and 655. A conclusive statement may follow another one.
	switch held := text(part(doc, "manifestation"), "status"); {
	case held == status:
		return nil, invalid("", "573: the event was registered before.")
	case status == "acknowledged" && held != "none" && held != "rejected":
		return nil, invalid("", "655: the final declaration of the recipient was registered before.")
	}
	id, now := c.id(), s.clock.Now()
	s.update(KindInbound, id, func(doc object) {
		doc["manifestation"] = object{
			"status": status, "date": local(now), "justification": justification, "protocol": s.protocol(doc, now),
		}
	})
	doc, _ = s.get(KindInbound, id)
	if _, err := s.attach(id, object{
		"type": "manifestation", "eventCode": manifestationCodes[status], "protocol": part(doc, "manifestation")["protocol"],
		"description": "Manifestação do destinatário: " + status,
	}); err != nil {
		return nil, err
	}
	stored, _ := s.get(KindInbound, id)
	if !truth(stored, "isComplete") && (status == "acknowledged" || status == "confirmed") {
		s.after(s.opts.AuthorizeAfter, func() { s.completeSummary(id) })
	}
	if s.opts.EmptyManifestAnswer {
		return &reply{}, nil
	}
	return shownInbound(stored), nil
}

// completeSummary releases the whole XML of an NF-e.
func (s *Server) completeSummary(id string) {
	if !s.update(KindInbound, id, func(doc object) { doc["isComplete"] = true }) {
		return
	}
	doc, _ := s.get(KindInbound, id)
	s.emit(EventInboundCompleted, doc)
}

// inboundXML is reported: before manifestation it is the summary only.
func inboundXML(c *call, doc object) (any, error) {
	if !truth(doc, "isComplete") {
		summary := `<?xml version="1.0" encoding="UTF-8"?><resNFe versao="1.01">` +
			`<chNFe>` + escapeXML(text(doc, "accessKey")) + `</chNFe>` +
			`<xNome>` + escapeXML(text(part(doc, "issuer"), "name")) + `</xNome></resNFe>`
		return c.document([]byte(summary), contentTypeXML), nil
	}
	return c.document(signedInvoice(inboundAsIssued(doc)), contentTypeXML), nil
}

// inboundPDF is reported. That a summary has no printed document is assumed.
func inboundPDF(c *call, doc object) (any, error) {
	if !truth(doc, "isComplete") {
		return nil, invalid("",
			"The invoice is known in summary only; its document is available after its manifestation.")
	}
	return c.document(printedInvoice(inboundAsIssued(doc)), contentTypePDF), nil
}

// inboundAsIssued is a received invoice in the shape that documents are made of.
func inboundAsIssued(doc object) object {
	issued := wired(doc)
	issued["company"] = doc["issuer"]
	issued["authorization"] = object{"protocol": text(part(doc, "manifestation"), "protocol")}
	return issued
}

// SeedInbound stores an invoice issued against a company, adds the fields that it lacks, and returns its id. Its
// model is "productInvoice" unless doc says otherwise. Its isComplete is false by default, as of the summary of an
// NF-e.
func (s *Server) SeedInbound(companyID string, doc map[string]any) string {
	seeded := wired(doc)
	seeded["_company"] = companyID
	return s.Seed(KindInbound, seeded)
}

// QueueInbound leaves an invoice at the authority: the company's next sync finds and announces it.
func (s *Server) QueueInbound(companyID string, doc map[string]any) {
	s.locked(func() {
		queued := wired(doc)
		queued["_company"] = companyID
		s.book.undetected = append(s.book.undetected, queued)
	})
}

// completeInbound adds the fields of the read shape that a received invoice lacks.
func (s *Server) completeInbound(doc object) {
	setDefault(doc, "_company", s.ownerID)
	company, _ := s.get(KindCompanies, text(doc, "_company"))
	setDefault(doc, "model", modelProduct.name)
	setDefault(doc, "issuer", object{
		"name": "Fornecedor", "legalName": "Fornecedor Ltda", "federalTaxNumber": "42318949000184",
		"stateTaxNumber": nil, "cityTaxNumber": nil, "address": nil,
	})
	s.book.nsu++
	setDefault(doc, "nsu", s.book.nsu)
	setDefault(doc, "environmentType", "production")
	setDefault(doc, "status", statusAuthorized)
	setDefault(doc, "issuedOn", local(s.clock.Now()))
	setDefault(doc, "amount", json.Number("100"))
	setDefault(doc, "operationType", "outgoing")
	setDefault(doc, "company", issuer(company))
	setDefault(doc, "events", []any{})
	manifestation := object{"status": "none", "date": nil, "justification": nil, "protocol": nil}
	if text(doc, "model") == modelService.name {
		doc["isComplete"] = true
		delete(manifestation, "protocol")
		manifestation["reasonCode"] = nil
		setDefault(doc, "accessKey", s.digits(50))
		setDefault(doc, "role", "taker")
		nulls(doc, "number", "serviceDescription", "serviceLocation")
	} else {
		setDefault(doc, "isComplete", false)
		on, _ := parseMoment(text(doc, "issuedOn"))
		setDefault(doc, "accessKey", accessKey(defaultStateCode, on, text(part(doc, "issuer"), "federalTaxNumber"),
			"55", "1", s.book.nsu, emissionNormal, s.digits(8)))
	}
	setDefault(doc, "manifestation", manifestation)
}
