package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// The words of a received invoice's event (specification, Inbound invoice), and the codes that stand for them here: of
// the authority for an NF-e, of the national standard for an NFS-e.
var (
	inboundEventCodes = map[string]map[string]string{
		modelProduct.name: {
			"cancellation": "110111", "correctionLetter": "110110", "delivery": "110130", "manifestation": "210200",
			"other": "610600",
		},
		modelService.name: {"cancellation": "101101", "manifestation": "203202", "other": "305101"},
	}
	inboundEventTypes  = []string{"cancellation", "correctionLetter", "delivery", "manifestation", "other"}
	manifestationCodes = map[string]string{
		"confirmed": "210200", "acknowledged": "210210", "unknown": "210220", "notPerformed": "210240",
	}
)

// syncOutcomes are the outcomes of a search that a script may name, with the message of the authority, if it has one.
var syncOutcomes = map[string]string{
	syncSynchronized: "", syncUpToDate: "", syncCertificateMissing: "",
	"throttledByAuthority": "656: Consumo indevido", "communicationFailure": "A SEFAZ não responde",
	"unexpectedResponse": "Resposta inesperada da SEFAZ", syncApplyFailure: "Documento ilegível",
	"unexpectedError": "",
}

// receivedFields are what a control may say of a received invoice.
var receivedFields = []string{
	"id", "model", "environmentType", "accessKey", "nsu", "isComplete", "status", "issuedOn", "amount", "operationType",
	"issuer", "manifestation", "number", "serviceDescription", "serviceLocation", "role", "events", "undetected",
}

// receivedWords are the words of the enumerations among them.
var receivedWords = map[string][]string{
	"model": {modelProduct.name, modelService.name}, "environmentType": environmentTypes, "status": inboundStates,
	"operationType": {"incoming", "outgoing"},
}

// Receive makes an invoice that was issued against a company, as its search would find it, and announces it. Events in
// it are attached one by one. With "undetected" it stays at the authority, where the company's next search finds it.
func (s *Server) Receive(companyID string, doc map[string]any) (received map[string]any, err error) {
	s.locked(func() { received, err = s.receive(companyID, wired(doc)) })
	return received, err
}

func (s *Server) receive(companyID string, doc object) (object, error) {
	if _, ok := s.get(KindCompanies, companyID); !ok {
		return nil, notFound()
	}
	for name, value := range doc {
		word, isText := value.(string)
		switch {
		case !slices.Contains(receivedFields, name):
			return nil, invalid(name, "A received invoice has no such field; it has %s.", strings.Join(receivedFields, ", "))
		case receivedWords[name] != nil && (!isText || !slices.Contains(receivedWords[name], word)):
			return nil, invalid(name, "The value %v is not one of %s.", value, strings.Join(receivedWords[name], ", "))
		}
	}
	if held := part(doc, "manifestation"); held != nil && !slices.Contains(manifestationStates, text(held, "status")) {
		return nil, invalid("manifestation.status", "It is one of %s.", strings.Join(manifestationStates, ", "))
	}
	events, undetected := objectsOf(doc["events"]), truth(doc, "undetected")
	delete(doc, "events")
	delete(doc, "undetected")
	doc["_company"] = companyID
	if undetected {
		s.book.undetected = append(s.book.undetected, doc)
		return success(), nil
	}
	s.completeInbound(doc)
	stored := s.insert(KindInbound, doc)
	s.emit(EventInboundDetected, stored)
	for _, event := range events {
		if _, err := s.attach(text(stored, "id"), event); err != nil {
			return nil, err
		}
	}
	stored, _ = s.get(KindInbound, text(stored, "id"))
	return stored, nil
}

// attach adds an event to a received invoice and announces it. A cancellation cancels the invoice.
func (s *Server) attach(id string, sent object) (object, error) {
	doc, ok := s.get(KindInbound, id)
	if !ok {
		return nil, notFound()
	}
	kind := text(sent, "type")
	code, known := inboundEventCodes[text(doc, "model")][kind]
	if !known {
		return nil, invalid("type", "An event of this model is no %q; it is one of %s.", kind, strings.Join(inboundEventTypes, ", "))
	}
	now, sequence := s.clock.Now(), 1
	events, _ := doc["events"].([]any)
	for _, earlier := range objectsOf(doc["events"]) {
		if earlier["type"] == kind {
			sequence++
		}
	}
	event := fieldsOf(sent, "type", "eventCode", "date", "protocol", "description")
	defaults := object{"eventCode": code, "date": local(now), "description": fmt.Sprintf("Evento %s", code)}
	if text(doc, "model") == modelProduct.name {
		defaults["protocol"] = s.protocol(doc, now)
	} else {
		delete(event, "protocol") // Of an NF-e only.
	}
	for name, value := range defaults {
		if event[name] == nil {
			event[name] = value
		}
	}
	event["id"], event["sequenceNumber"] = s.newID(), sequence
	s.update(KindInbound, id, func(doc object) {
		if doc["events"] = append(events, event); kind == "cancellation" {
			doc["status"] = statusCanceled
		}
	})
	doc, _ = s.get(KindInbound, id)
	s.emit(EventInboundEvent, object{"invoice": doc, "event": event})
	return event, nil
}

// ScriptSearches decides how a company's next searches for received invoices go, in this order. The first may begin at
// once. They need no certificate, and one that is to find documents finds one.
func (s *Server) ScriptSearches(companyID string, outcomes ...string) error {
	return locked(s, func() error { return s.scriptSearches(companyID, outcomes) })
}

func (s *Server) scriptSearches(companyID string, outcomes []string) error {
	if _, ok := s.get(KindCompanies, companyID); !ok {
		return notFound()
	}
	for _, outcome := range outcomes {
		if _, known := syncOutcomes[outcome]; !known {
			return invalid("outcomes", "A search does not end in %q.", outcome)
		}
	}
	s.book.searches[companyID] = append(s.book.searches[companyID], outcomes...)
	s.syncStatus(companyID)["nextAllowedSyncAt"] = nil
	return nil
}

func (s *Server) takeReceived(c *call) (any, error) {
	in := c.input()
	if in.unreadable != nil {
		return nil, in.unreadable
	}
	received, err := s.receive(s.companyAt(c), in.in)
	return received, err
}

func (s *Server) takeEvent(c *call) (any, error) {
	in := c.input()
	if in.unreadable != nil {
		return nil, in.unreadable
	}
	event, err := s.attach(c.id(), in.in)
	return event, err
}

func (s *Server) takeSearches(c *call) (any, error) {
	var in struct {
		Outcomes []string `json:"outcomes"`
	}
	if err := strictly(c.body, &in); err != nil {
		return nil, invalid("outcomes", "%s", err)
	}
	return success(), s.scriptSearches(s.companyAt(c), in.Outcomes)
}

// companyAt is the company of a control's path; "main" is the main company.
func (s *Server) companyAt(c *call) string {
	if id := c.r.PathValue("id"); id != "main" {
		return id
	}
	return s.ownerID
}
