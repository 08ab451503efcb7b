package sandbox

// issue is reported: it sends a draft or a rejected invoice. Its answer is not documented: here it is the invoice.
func (m invoiceModel) issue(c *call, doc object) (any, error) {
	in := c.optionalInput()
	effective, dated := in.moment("effectiveDate")
	if err := in.check(); err != nil {
		return nil, err
	}
	if err := mayIssue(doc); err != nil {
		return nil, err
	}
	ref := invoiceRef{m, text(doc, "id")}
	if dated {
		c.s.update(m.kind, ref.id, func(doc object) { doc["effectiveDate"] = local(effective) })
	}
	c.s.enqueue(ref)
	return c.s.invoice(ref), nil
}

// checkStatus follows the specification for product invoices, and is reported for the others: it reconciles the
// invoice with what the authority holds, and answers 400 while the invoice is queued and not yet sent.
func (m invoiceModel) checkStatus(c *call, doc object) (any, error) {
	ref := invoiceRef{m, text(doc, "id")}
	status := text(doc, "status")
	if c.s.opts.CheckStatusQueued || status == statusCreated || status == statusEnqueued && !truth(doc, "_sent") {
		return nil, invalid("",
			"SPD006: the invoice %s was not sent to the authority yet; its result is not available.", ref.id)
	}
	if truth(doc, "_canceling") && truth(doc, "_cancelStuck") {
		c.s.finishCancellation(ref, c.s.restart(ref), Outcome{Kind: OutcomeCancel})
	} else {
		c.s.reconcile(ref)
	}
	return c.s.invoice(ref), nil
}

// cancel is reported: DELETE with {reason}. It is asynchronous, so that it answers with the unchanged invoice. It is
// assumed to remove a draft.
func (m invoiceModel) cancel(c *call, doc object) (any, error) {
	s := c.s
	in := c.input()
	reason := in.sentence("reason", 15, 255)
	if err := in.check(); err != nil {
		return nil, err
	}
	ref := invoiceRef{m, text(doc, "id")}
	if err := s.cancelInvoice(ref, reason); err != nil {
		return nil, err
	}
	return s.invoice(ref), nil
}

// cancelInvoice begins the cancellation of an invoice, or returns why it cannot be canceled.
func (s *Server) cancelInvoice(ref invoiceRef, reason string) error {
	doc := s.invoice(ref)
	switch status := text(doc, "status"); status {
	case statusCreated:
		s.restart(ref)
		s.transition(ref, statusRemoved, func(object) {})
		return nil
	case statusAuthorized:
	case statusInContingent:
		return invalid("", "SPD005: an invoice in contingency cannot be canceled before it is authorized.")
	case statusRejected:
		return invalid("", "SPD005: a rejected invoice cannot be canceled.")
	case statusCanceled, statusDenied, statusRemoved, statusDisabled:
		return invalid("", "SPD004: the invoice is %s; the operation is incompatible with its state.", status)
	default:
		return invalid("", "SPD006: the invoice is not processed yet (%s) and cannot be canceled.", status)
	}
	if truth(doc, "_canceling") {
		return invalid("", "SPD002: the cancellation of this invoice is already in processing.")
	}
	o := s.nextCancellation(doc)
	cycle := s.restart(ref)
	s.update(ref.model.kind, ref.id, func(doc object) {
		doc["_canceling"] = true
		doc["_cancelStuck"] = o.Kind == OutcomeCancelStuck
		doc["_reason"] = reason
		s.detail(doc, detailProcessing, "SPD002", "Cancelamento em processamento")
	})
	if o.Kind != OutcomeCancelStuck {
		s.after(s.delay(o), func() { s.finishCancellation(ref, cycle, o) })
	}
	return nil
}

// finishCancellation applies the authority's decision on a cancellation.
func (s *Server) finishCancellation(ref invoiceRef, cycle int, o Outcome) {
	doc := s.invoice(ref)
	if doc == nil || s.book.cycles[ref.id] != cycle {
		return
	}
	if o.Kind == OutcomeCancelRefused {
		s.update(ref.model.kind, ref.id, func(doc object) {
			delete(doc, "_canceling")
			s.detail(doc, detailSuccess, o.Code, o.Message)
		})
		return
	}
	now := s.clock.Now()
	s.transition(ref, statusCanceled, func(doc object) {
		delete(doc, "_canceling")
		doc["cancellation"] = object{
			"date": local(now), "protocol": s.protocol(doc, now), "justification": text(doc, "_reason"),
		}
		s.detail(doc, detailSuccess, "135", "Evento registrado e vinculado à nota fiscal")
	})
}

// resendEmail is reported.
func (m invoiceModel) resendEmail(c *call, doc object) (any, error) {
	if part(doc, "authorization") == nil {
		return nil, invalid("", "The invoice is not authorized: there is nothing to send.")
	}
	return success(), nil
}

// correct follows the specification, Rules per endpoint: NF-e only, authorized only, 15 to 1000 characters, and each
// call is a new event. The answer holds the letter, and the eventId that is also described.
func (m invoiceModel) correct(c *call, doc object) (any, error) {
	in := c.input()
	letter := in.sentence("letter", 15, 1000)
	if err := in.check(); err != nil {
		return nil, err
	}
	if status := text(doc, "status"); status != statusAuthorized {
		return nil, invalid("", "SPD005: a correction letter needs an authorized invoice; this one is %s.", status)
	}
	event := c.s.newID()
	c.s.update(m.kind, c.id(), func(doc object) {
		sent, _ := doc["_corrections"].([]any)
		doc["_corrections"] = append(sent, object{"eventId": event, "letter": letter, "sequence": len(sent) + 1})
	})
	return object{"letter": letter, "eventId": event}, nil
}

// Corrections returns the correction letters of an invoice in their order: eventId, letter and sequence.
func (s *Server) Corrections(invoiceID string) []map[string]any {
	return locked(s, func() []object {
		doc, _ := s.get(KindProductInvoices, invoiceID)
		sent, _ := doc["_corrections"].([]any)
		out := []object{}
		for _, letter := range sent {
			if letter, ok := letter.(object); ok {
				out = append(out, letter)
			}
		}
		return out
	})
}
