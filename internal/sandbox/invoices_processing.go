package sandbox

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// usualDays is the age, in days, from which an invoice is authorized late (150).
const usualDays = 7

// invoiceEvents are the specific events of a transition, besides invoice.status_changed.
var invoiceEvents = map[string]string{
	statusAuthorized:   EventAuthorized,
	statusRejected:     EventRejected,
	statusCanceled:     EventCanceled,
	statusInContingent: EventContingency,
}

// The processingDetail.status values.
const (
	detailSuccess    = "success"
	detailProcessing = "processing"
	detailFailed     = "failed"
)

// transition sets the status of an invoice, applies change, and announces the status if it is new. The caller holds
// the lock, here and below.
func (s *Server) transition(ref invoiceRef, status string, change func(object)) {
	changed := false
	s.update(ref.model.kind, ref.id, func(doc object) {
		changed = text(doc, "_announced") != status
		doc["status"], doc["_announced"] = status, status
		change(doc)
	})
	if !changed {
		return
	}
	doc := s.invoice(ref)
	s.emit(EventStatusChanged, doc)
	if event := invoiceEvents[status]; event != "" {
		s.emit(event, doc)
	}
}

// detail sets the result of the last step of processing.
func (s *Server) detail(doc object, status, code, message string) {
	doc["processingDetail"] = object{
		"status": status, "code": orNull(code), "message": orNull(message), "on": local(s.clock.Now()),
	}
}

// restart begins a new processing of an invoice: the timers of the previous one no longer do anything.
func (s *Server) restart(ref invoiceRef) (cycle int) {
	delete(s.book.pending, ref.id)
	s.book.cycles[ref.id]++
	return s.book.cycles[ref.id]
}

// enqueue begins the processing of an invoice. Its outcome is drawn from the script now and comes later.
func (s *Server) enqueue(ref invoiceRef) {
	cycle := s.restart(ref)
	s.transition(ref, statusEnqueued, func(doc object) {
		delete(doc, "_sent")
		delete(doc, "_transient")
		if ref.model == modelProduct {
			doc["issueType"], doc["contingency"] = "normal", nil
		}
		doc["_enqueuedAt"] = instant(s.clock.Now())
		s.detail(doc, detailProcessing, "", "Nota fiscal na fila de processamento")
	})
	o := s.nextOutcome(s.invoice(ref))
	s.after(s.delay(o), func() { s.apply(ref, cycle, o) })
}

// apply lets an outcome take effect, unless the invoice is gone or a later processing has begun.
func (s *Server) apply(ref invoiceRef, cycle int, o Outcome) {
	if _, exists := s.get(ref.model.kind, ref.id); !exists || s.book.cycles[ref.id] != cycle {
		return
	}
	delete(s.book.pending, ref.id)
	s.update(ref.model.kind, ref.id, func(doc object) {
		doc["_sent"] = true
		delete(doc, "_transient")
	})
	switch {
	case o.Failed:
		o.Failed = false
		s.update(ref.model.kind, ref.id, func(doc object) {
			s.detail(doc, detailFailed, "", "Falha interna de infraestrutura; o processamento continua")
		})
		s.stage(ref, cycle, o, false)
		return
	case o.Received:
		o.Received = false
		s.transition(ref, statusReceived, func(doc object) {
			s.detail(doc, detailProcessing, "", "Nota fiscal recebida")
		})
		s.stage(ref, cycle, o, false)
		return
	}
	if o.Kind == OutcomeAuthorize || o.Kind == OutcomeContingency {
		if code, message := s.refusedByAuthority(ref); code != "" {
			o = Reject(code, message)
		}
	}
	switch o.Kind {
	case OutcomeReject:
		s.transition(ref, statusRejected, func(doc object) { s.detail(doc, detailSuccess, o.Code, o.Message) })
		if o.Then != nil {
			s.book.pending[ref.id] = o.next()
		}
	case OutcomeDeny:
		s.transition(ref, statusDenied, func(doc object) {
			s.assignNumber(ref.model, doc, emissionNormal)
			s.detail(doc, detailSuccess, o.Code, o.Message)
		})
	case OutcomeContingency:
		if ref.model == modelProduct {
			s.throughSVC(ref)
			s.apply(ref, cycle, o.next()) // It stays synchronous.
			return
		}
		if !s.mayContingency(ref) {
			wait := TransientCode("SPD999", "Falha de comunicação com a autoridade fiscal", o.next())
			s.transient(ref, cycle, wait.AsEnqueued())
			return
		}
		s.contingency(ref)
		s.stage(ref, cycle, o.next(), o.UntilCheck)
	case OutcomeStuck:
		s.stage(ref, cycle, o.next(), true)
	case OutcomeTransient:
		s.transient(ref, cycle, o)
	case OutcomeStatus:
		s.transition(ref, o.Status, func(doc object) { s.detail(doc, detailProcessing, o.Code, o.Message) })
		s.stage(ref, cycle, o.next(), o.UntilCheck)
	case OutcomeRemove:
		s.transition(ref, statusRemoved, func(doc object) { s.detail(doc, detailSuccess, o.Code, o.Message) })
	case OutcomeDisable:
		s.transition(ref, statusDisabled, func(doc object) { s.detail(doc, detailSuccess, o.Code, o.Message) })
	default:
		s.transition(ref, statusAuthorized, func(doc object) { s.authorizeDocument(ref.model, doc) })
	}
}

// stage leaves an invoice as it is until next comes: after a delay, if there is one, or by check-status.
func (s *Server) stage(ref invoiceRef, cycle int, next Outcome, untilCheck bool) {
	s.book.pending[ref.id] = next
	if d := s.delay(next); d > 0 && !untilCheck {
		s.after(d, func() { s.apply(ref, cycle, next) })
	}
}

// reconcile applies the pending outcome of an invoice at once, as check-status does. It reports whether there was
// one.
func (s *Server) reconcile(ref invoiceRef) bool {
	next, ok := s.book.pending[ref.id]
	if ok {
		s.apply(ref, s.restart(ref), next)
	}
	return ok
}

func (s *Server) transient(ref invoiceRef, cycle int, o Outcome) {
	if o.Status == statusEnqueued {
		s.update(ref.model.kind, ref.id, func(doc object) { s.detail(doc, detailProcessing, o.Code, o.Message) })
	} else {
		s.transition(ref, statusRejected, func(doc object) {
			doc["_transient"] = true
			s.detail(doc, detailSuccess, o.Code, o.Message)
		})
	}
	s.stage(ref, cycle, o.next(), o.UntilCheck)
}

// mayContingency follows the specification: an NFC-e waits in contingency where its company has allowed that.
func (s *Server) mayContingency(ref invoiceRef) bool {
	return ref.model == modelConsumer &&
		truth(s.settingsBlock(text(s.invoice(ref), "_company"), ref.model.name), "allowOfflineContingency")
}

// contingency issues an NFC-e that is valid from here on and still has to be authorized.
func (s *Server) contingency(ref invoiceRef) {
	s.transition(ref, statusInContingent, func(doc object) {
		s.assignNumber(ref.model, doc, emissionOffline)
		doc["issueType"] = "offLine"
		doc["contingency"] = object{"date": local(s.clock.Now()), "reason": "Autoridade fiscal indisponível"}
		s.detail(doc, detailProcessing, "", "Nota fiscal emitida em contingência, aguardando autorização")
	})
}

// statesOfSVCRS are the IBGE codes of the states whose NF-e the SVC-RS authorizes; the SVC-AN has the others.
var statesOfSVCRS = []string{"13", "21", "26", "29", "41", "50", "51", "52"}

// throughSVC sends an NF-e to the contingency environment of its state (specification, What the service does, rule 8).
func (s *Server) throughSVC(ref invoiceRef) {
	s.update(ref.model.kind, ref.id, func(doc object) {
		if doc["issueType"] = "svcan"; slices.Contains(statesOfSVCRS, s.stateCode(doc)) {
			doc["issueType"] = "svcrs"
		}
		doc["contingency"] = object{"date": local(s.clock.Now()), "reason": "Autoridade fiscal indisponível"}
	})
}

// authorizeDocument fills in the fields of an authorization.
func (s *Server) authorizeDocument(m invoiceModel, doc object) {
	emission := map[string]int{"svcan": emissionSVCAN, "svcrs": emissionSVCRS}[text(doc, "issueType")]
	s.assignNumber(m, doc, cmp.Or(emission, emissionNormal))
	now := s.clock.Now()
	doc["authorization"] = object{
		"date":        local(now),
		"protocol":    s.protocol(doc, now),
		"digestValue": base64.StdEncoding.EncodeToString(s.randomBytes(20)),
	}
	code, message := "100", "Autorizado o uso da NF-e"
	switch m {
	case modelConsumer:
		message = "Autorizado o uso da NFC-e"
	case modelService:
		code, message = "", "NFS-e autorizada"
	case modelProduct:
		emitted, ok := parseMoment(text(doc, "effectiveDate"))
		if ok && emitted.Before(now.AddDate(0, 0, -usualDays)) {
			code, message = "150", "Autorizado o uso da NF-e, autorização fora de prazo"
		}
	}
	s.detail(doc, detailSuccess, code, message)
}

// protocol is the 15 digits of an authority's receipt.
func (s *Server) protocol(doc object, now time.Time) string {
	return "1" + s.stateCode(doc) + now.In(localZone).Format("06") + s.digits(10)
}

// stateCode is the IBGE code of the issuer's state.
func (s *Server) stateCode(doc object) string {
	company, _ := s.get(KindCompanies, text(doc, "_company"))
	city := part(part(company, "address"), "city")
	if code := fmt.Sprint(city["code"]); len(code) == 7 {
		return code[:2]
	}
	return defaultStateCode
}

// assignNumber gives an invoice its number, dates and keys when it is first sent with success, and advances the next
// numbers of the settings. An invoice that was issued in contingency keeps what it has.
func (s *Server) assignNumber(m invoiceModel, doc object, emission int) {
	if integer(doc, "number") != 0 {
		return
	}
	now := s.clock.Now()
	if doc["effectiveDate"] == nil {
		doc["effectiveDate"] = local(now)
	}
	doc["issuedOn"] = doc["effectiveDate"]
	settings := s.settingsBlock(text(doc, "_company"), m.name)
	doc["environmentType"] = environment(settings)

	series := cmp.Or(text(doc, "series"), text(settings, "series"), "1")
	if m == modelService {
		series = cmp.Or(text(doc, "_rpsSeries"), series)
	}
	doc["series"] = series

	key := text(doc, "_company") + " " + m.name
	number := s.book.used[key] + 1
	if next := integer(settings, "nextNumber"); next > 0 {
		number = next
	}
	if wished := cmp.Or(integer(doc, "_number"), integer(doc, "_rpsNumber")); wished > 0 {
		number = wished
	} else if settings != nil {
		settings["nextNumber"] = json.Number(strconv.FormatInt(number+1, 10))
	}
	s.book.used[key] = max(s.book.used[key], number)
	doc["number"] = number

	if m == modelService {
		s.assignBatch(doc, settings, series, number)
		return
	}
	on, ok := parseMoment(text(doc, "effectiveDate"))
	if !ok {
		on = now
	}
	doc["accessKey"] = accessKey(s.stateCode(doc), on, text(part(doc, "company"), "federalTaxNumber"),
		m.keyModel, series, number, emission, s.digits(8))
}

// assignBatch gives a service invoice its provisional receipt and batch, and in the national environment its key.
func (s *Server) assignBatch(doc, settings object, series string, number int64) {
	doc["rps"] = object{"number": number, "series": series}
	key := text(doc, "_company") + " batch"
	batch := s.book.used[key] + 1
	if next := integer(settings, "nextBatchNumber"); next > 0 {
		batch = next
	}
	if wished := integer(doc, "_batchNumber"); wished > 0 {
		batch = wished
	} else if settings != nil {
		settings["nextBatchNumber"] = json.Number(strconv.FormatInt(batch+1, 10))
	}
	s.book.used[key] = max(s.book.used[key], batch)
	doc["batchNumber"] = batch
	if word := text(settings, "issueType"); word != "" {
		doc["issueType"] = word
	}
	if strings.EqualFold(text(doc, "issueType"), "annfs") {
		doc["accessKey"] = s.digits(50)
	}
}
