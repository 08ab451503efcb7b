package sandbox

import (
	"fmt"
	"slices"
	"strconv"
)

// The values of a disablement's status (specification, Disablement).
const (
	disablementInProcessing = "inProcessing"
	disablementRegistered   = "registered"
	disablementRejected     = "rejected"
	disablementError        = "error"
)

// codeNumberUsed rejects the disablement of a range with a number that a document has.
const codeNumberUsed = "241"

var disablementStates = []string{disablementInProcessing, disablementRegistered, disablementRejected, disablementError}

// routesDisablements registers the voiding of number ranges. The specification names the list of NF-e alone; the list
// of NFC-e is assumed from it, and the creation below a singular path is reported for both.
func (s *Server) routesDisablements() {
	s.shape(KindDisablements, s.completeDisablement)
	for _, m := range []invoiceModel{modelProduct, modelConsumer} {
		s.route("GET "+m.path+"/disablements", anyKey, m.listDisablements)
		s.route("POST "+m.path+"/disablement", anyKey, m.disable)
	}
}

// disable is reported, with the field names that match the specification's read shape. The authority answers later; it
// refuses a range with a number that an invoice has used.
func (m invoiceModel) disable(c *call) (any, error) {
	s := c.s
	in := c.input()
	doc := object{
		"initialNumber": in.integer("initialNumber"),
		"finalNumber":   in.integer("finalNumber"),
		"series":        in.required("series", 3),
		"reason":        in.sentence("reason", 15, 255),
	}
	in.demand("initialNumber", "finalNumber")
	from, to := integer(doc, "initialNumber"), integer(doc, "finalNumber")
	if doc["initialNumber"] != nil && doc["finalNumber"] != nil && (from < 1 || to < from) {
		in.fail("finalNumber", "The field FinalNumber must not be less than InitialNumber, which must be at least 1.")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	now := s.clock.Now()
	doc["_company"], doc["_model"] = c.companyID(), m.name
	doc["status"] = disablementInProcessing
	doc["identifier"] = fmt.Sprintf("ID%s%s%s%s%03s%09d%09d", s.stateCode(doc), now.In(localZone).Format("06"),
		text(c.company, "federalTaxNumber"), m.keyModel, text(doc, "series"), from, to)
	s.completeDisablement(doc)
	stored := s.insert(KindDisablements, doc)
	s.after(s.opts.AuthorizeAfter, func() { s.registerDisablement(m, text(stored, "id")) })
	return stored, nil
}

func (s *Server) registerDisablement(m invoiceModel, id string) {
	voided, ok := s.get(KindDisablements, id)
	if !ok {
		return
	}
	_, used := s.find(m.kind, func(doc object) bool {
		n := integer(doc, "number")
		return text(doc, "_company") == text(voided, "_company") && text(doc, "series") == text(voided, "series") &&
			n >= integer(voided, "initialNumber") && n <= integer(voided, "finalNumber")
	})
	s.update(KindDisablements, id, func(doc object) {
		if used {
			doc["status"], doc["messageCode"] = disablementRejected, codeNumberUsed
			doc["messageText"] = "Rejeição: Um número da faixa já foi utilizado"
			return
		}
		doc["status"], doc["messageCode"] = disablementRegistered, "102"
		doc["messageText"] = "Inutilização de número homologado"
		doc["protocolNumber"] = s.protocol(doc, s.clock.Now())
	})
}

// listDisablements follows the specification, Endpoints. The names of its filters are not shown; these are assumed.
func (m invoiceModel) listDisablements(c *call) (any, error) {
	within, err := c.between("startDate", "endDate")
	if err != nil {
		return nil, err
	}
	status, err := c.wordFilter("status", disablementStates...)
	if err != nil {
		return nil, err
	}
	return c.page(c.s.listed(KindDisablements, func(doc object) bool {
		return text(doc, "_company") == c.companyID() && text(doc, "_model") == m.name &&
			(len(status) == 0 || slices.Contains(status, text(doc, "status"))) && within(text(doc, "date"))
	}), asStored)
}

// completeDisablement adds the fields of the read shape that a disablement lacks.
func (s *Server) completeDisablement(doc object) {
	setDefault(doc, "_company", s.ownerID)
	setDefault(doc, "_model", modelProduct.name)
	setDefault(doc, "date", local(s.clock.Now()))
	setDefault(doc, "environment", environment(s.settingsBlock(text(doc, "_company"), text(doc, "_model"))))
	setDefault(doc, "status", disablementRegistered)
	setDefault(doc, "identifier", "ID"+strconv.Itoa(len(s.shelf(KindDisablements).order)+1))
	nulls(doc, "initialNumber", "finalNumber", "series", "reason", "protocolNumber", "messageCode", "messageText")
}
