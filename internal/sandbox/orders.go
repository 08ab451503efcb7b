package sandbox

import (
	"net/http"
	"time"
)

// The values of an order's autoIssueMode (specification, What the service does, rule 5).
const (
	issueImmediately   = "immediately"
	issueAfterPayment  = "afterPayment"
	issueAfterWarranty = "afterWarrency"
	issueDisabled      = "disabled"
)

const (
	orderCreated  = "created"
	orderApproved = "approved"
	orderCanceled = "canceled"
)

// orderStates are reported; the specification names only "approved".
var orderStates = []string{
	orderCreated, "awaitingPayment", orderApproved, "refundRequested", "completed", "chargeback",
	orderCanceled, "refunded", "expired", "refused", "deleted",
}

// routesOrders registers the orders. The specification names the creation and the explicit issue; the rest is reported.
// Every company's key reaches its own orders.
func (s *Server) routesOrders() {
	s.shape(KindOrders, s.completeOrder)
	s.route("POST /v1/orders", anyKey, s.createOrder)
	s.route("GET /v1/orders", anyKey, s.listOrders)
	s.route("GET /v1/orders/{id}", anyKey, owned(KindOrders, s.readOrder))
	s.route("PUT /v1/orders/{id}/status", anyKey, owned(KindOrders, s.changeOrderStatus))
	s.route("DELETE /v1/orders/{id}/cancel", anyKey, owned(KindOrders, s.cancelOrder))
	s.route("POST /v1/orders/{id}/invoices/issue", anyKey, owned(KindOrders, s.issueOrderInvoices))
}

// createOrder records a sale and, as autoIssueMode says, its invoices: enqueued, drafts that wait for their trigger, or
// none. That drafts exist while a trigger is awaited follows the specification's state "created". A repeated
// transactionId is assumed to make a second order.
func (s *Server) createOrder(c *call) (any, error) {
	doc, items, err := c.order()
	if err != nil {
		return nil, err
	}
	doc["_company"] = c.companyID()
	s.completeOrder(doc)
	s.linkCustomer(doc)
	s.linkProducts(items)
	doc["items"] = items
	stored := s.insert(KindOrders, doc)
	id := text(stored, "id")

	mode := text(stored, "autoIssueMode")
	if mode == issueDisabled {
		if !s.opts.IssueDisabledOrders {
			return s.shownOrder(id), nil
		}
		mode = issueImmediately
	}
	for _, group := range groupItems(stored) {
		ref := s.draftFor(stored, group)
		if mode != issueImmediately {
			s.transition(ref, statusCreated, func(object) {})
		}
	}
	switch mode {
	case issueImmediately:
		return s.issuedAtOnce(id), nil
	case issueAfterPayment:
		if text(stored, "status") == orderApproved {
			return s.issuedAtOnce(id), nil
		}
	case issueAfterWarranty:
		s.after(s.untilWarrantyIsOver(stored), func() {
			if doc, ok := s.get(KindOrders, id); ok && text(doc, "status") != orderCanceled {
				s.issueOrder(id, time.Time{})
			}
		})
	}
	return s.shownOrder(id), nil
}

// issuedAtOnce issues a new order, and returns the answer to its creation: the specification says that it "returns the
// invoice immediately", which may mean with its order or in the place of that.
func (s *Server) issuedAtOnce(id string) object {
	s.issueOrder(id, time.Time{})
	if refs := s.invoicesOf(id); s.opts.OrdersAnswerInvoice && len(refs) > 0 {
		return s.invoice(refs[0])
	}
	return s.shownOrder(id)
}

// untilWarrantyIsOver is the time to the beginning of the day after the warranty's last day.
func (s *Server) untilWarrantyIsOver(order object) time.Duration {
	t, _ := parseMoment(text(order, "warrantyDate"))
	year, month, day := t.In(localZone).Date()
	return time.Date(year, month, day+1, 0, 0, 0, 0, localZone).Sub(s.clock.Now())
}

// readOrder is reported.
func (s *Server) readOrder(c *call, doc object) (any, error) {
	return s.shownOrder(text(doc, "id")), nil
}

// listOrders is reported, with these filters.
func (s *Server) listOrders(c *call) (any, error) {
	within, err := c.between("initialDate", "endDate")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"initialDate", "endDate"} {
		if s.opts.OrdersNeedPeriod && c.filter(name) == "" {
			return nil, invalid(name, "The %s field is required.", pascal(name))
		}
	}
	transaction := c.filter("transactionId")
	return c.page(s.listed(KindOrders, func(doc object) bool {
		wanted := transaction == "" || text(doc, "transactionId") == transaction
		return wanted && text(doc, "_company") == c.companyID() && within(text(doc, "date"))
	}), s.withInvoices)
}

// changeOrderStatus is reported. "approved" is what afterPayment waits for.
func (s *Server) changeOrderStatus(c *call, doc object) (any, error) {
	in := c.input()
	status, _ := in.enum("status", orderStates...).(string)
	in.demand("status")
	if err := in.check(); err != nil {
		return nil, err
	}
	id := text(doc, "id")
	s.update(KindOrders, id, func(doc object) { doc["status"] = status })
	if status == orderApproved && text(doc, "autoIssueMode") == issueAfterPayment {
		s.issueOrder(id, time.Time{})
	}
	return s.shownOrder(id), nil
}

// cancelOrder is reported: it tries to cancel the invoices too, without a guarantee.
func (s *Server) cancelOrder(c *call, doc object) (any, error) {
	s.update(KindOrders, text(doc, "id"), func(doc object) { doc["status"] = orderCanceled })
	for _, ref := range s.invoicesOf(text(doc, "id")) {
		// A refusal is not an error: the cancellation of an order guarantees nothing.
		_ = s.cancelInvoice(ref, "Pedido cancelado pelo vendedor")
	}
	return success(), nil
}

// issueOrderInvoices follows the specification, Endpoints. Its answer is not documented: here it is empty. The
// refusal of a second call, when nothing is left to issue, is assumed.
func (s *Server) issueOrderInvoices(c *call, doc object) (any, error) {
	in := c.optionalInput()
	effective, _ := in.moment("effectiveDate")
	if err := in.check(); err != nil {
		return nil, err
	}
	id := text(doc, "id")
	if len(s.invoicesOf(id)) == 0 {
		for _, group := range groupItems(doc) {
			s.draftFor(doc, group)
		}
	}
	if s.issueOrder(id, effective) == 0 {
		return nil, invalid("", "SPD004: the invoices of the order %s are issued already or in process.", id)
	}
	return &reply{status: http.StatusOK}, nil
}

// issueOrder sends the invoices of an order that may be sent, and returns their number.
func (s *Server) issueOrder(id string, effective time.Time) int {
	issued := 0
	for _, ref := range s.invoicesOf(id) {
		if mayIssue(s.invoice(ref)) != nil {
			continue
		}
		if !effective.IsZero() {
			s.update(ref.model.kind, ref.id, func(doc object) { doc["effectiveDate"] = local(effective) })
		}
		s.enqueue(ref)
		issued++
	}
	return issued
}

// invoicesOf finds the invoices of an order in the order of the models' list.
func (s *Server) invoicesOf(orderID string) []invoiceRef {
	var refs []invoiceRef
	for _, m := range invoiceModels {
		for _, doc := range s.all(m.kind, func(doc object) bool { return text(part(doc, "order"), "id") == orderID }) {
			refs = append(refs, invoiceRef{m, text(doc, "id")})
		}
	}
	return refs
}

func (s *Server) shownOrder(id string) object {
	doc, _ := s.get(KindOrders, id)
	return s.withInvoices(doc)
}

// withInvoices adds the invoices to an order.
func (s *Server) withInvoices(order object) object {
	if delete(order, "invoices"); s.opts.OrdersWithoutInvoices {
		return order
	}
	invoices := []any{}
	for _, ref := range s.invoicesOf(text(order, "id")) {
		invoices = append(invoices, fieldsOf(s.invoice(ref), "id", "status", "model"))
	}
	order["invoices"] = invoices
	return order
}

func (s *Server) completeOrder(doc object) {
	setDefault(doc, "_company", s.ownerID)
	setDefault(doc, "date", local(s.clock.Now()))
	setDefault(doc, "status", orderCreated)
	setDefault(doc, "autoIssueMode", issueImmediately)
	setDefault(doc, "items", []any{})
	setDefault(doc, "invoices", []any{})
	nulls(doc, "transactionId", "amount", "discountAmount", "freightAmount", "paymentMethod", "warrantyDate",
		"sendEmailToCustomer", "customer")
}
