package einvoice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/url"
	"slices"
	"time"
)

// The values of an order's autoIssueMode (specification: What the service does,
// rule 5). The third is spelled as the service spells it.
const (
	IssueImmediately   = "immediately"
	IssueAfterPayment  = "afterPayment"
	IssueAfterWarranty = "afterWarrency"
	IssueDisabled      = "disabled"
)

// AutoIssueModes are the values of an order's autoIssueMode.
var AutoIssueModes = []string{IssueImmediately, IssueAfterPayment, IssueAfterWarranty, IssueDisabled}

// OrderApproved is the status that afterPayment waits for, and the only one that the specification names.
const OrderApproved = "approved"

// Order is a sale that the service issues invoices from, with the taxation of the
// company's configuration. The specification shows autoIssueMode, the status
// approved and the two POST routes; every other field and route is assumed.
type Order struct {
	ID                  Text        `json:"id,omitempty"`
	TransactionID       Text        `json:"transactionId,omitempty"` // the caller's own; it need not be unique
	Date                Text        `json:"date,omitempty"`
	Status              Enum        `json:"status,omitempty"`
	Amount              *Number     `json:"amount,omitempty"` // in BRL: items + freight - discount
	DiscountAmount      *Number     `json:"discountAmount,omitempty"`
	FreightAmount       *Number     `json:"freightAmount,omitempty"`
	PaymentMethod       Enum        `json:"paymentMethod,omitempty"` // other words than those of an invoice's payments
	AutoIssueMode       Enum        `json:"autoIssueMode,omitempty"`
	WarrantyDate        Text        `json:"warrantyDate,omitempty"`
	SendEmailToCustomer *Flag       `json:"sendEmailToCustomer,omitempty"`
	Customer            *Customer   `json:"customer,omitempty"`
	Items               []OrderItem `json:"items,omitempty"`

	// Invoices are shown with id, model and status. There may be none: nothing is queued before the order's trigger.
	Invoices []*Invoice `json:"invoices,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// OrderItem is one line of a sale.
type OrderItem struct {
	Quantity       *Number  `json:"quantity,omitempty"`
	Price          *Number  `json:"price,omitempty"`  // of one unit, in BRL
	Amount         *Number  `json:"amount,omitempty"` // quantity x price - discount
	DiscountAmount *Number  `json:"discountAmount,omitempty"`
	FreightAmount  *Number  `json:"freightAmount,omitempty"`
	Product        *Product `json:"product,omitempty"`
}

func (v *Order) keep(a *answer) {
	v.Raw = a.object
	v.Invoices = slices.DeleteFunc(v.Invoices, func(invoice *Invoice) bool {
		return invoice == nil || invoice.ID == "" || invoice.Model == ""
	})
	for _, invoice := range v.Invoices {
		invoice.leaveOutNumberZero()
	}
}

// orderPeriod is the one that a list of orders is asked for, which a service may insist on: whole days, a day more than
// the known times at each end, or any time where none is known.
func orderPeriod(known ...time.Time) url.Values {
	from, to := "2000-01-01", "2099-12-31"
	if len(known) > 0 {
		from = slices.MinFunc(known, time.Time.Compare).In(SaoPaulo).AddDate(0, 0, -1).Format(time.DateOnly)
		to = slices.MaxFunc(known, time.Time.Compare).In(SaoPaulo).AddDate(0, 0, 1).Format(time.DateOnly)
	}
	return queryOf(map[string]string{"initialDate": from, "endDate": to})
}

// Orders walks the orders with a transactionId, or all of them where it is "", that lie between known times; any where
// there are none. The list may not filter by it: callers compare again.
func (c *Client) Orders(ctx context.Context, transactionID string, known ...time.Time) iter.Seq2[*Order, error] {
	filter := ordersWith(transactionID)
	if len(known) > 0 {
		maps.Copy(filter, orderPeriod(known...))
	}
	list := c.listed(ctx, kindOrder, filter)
	if transactionID != "" {
		list = underName(list, "transactionId", Text(transactionID))
	}
	return decodeEach[Order](list)
}

func ordersWith(transactionID string) url.Values {
	return queryOf(map[string]string{"transactionId": transactionID})
}

// Order reads one order, or finds it in the list under its transactionId. Invoices that it does not show are looked
// up in their lists. The error is [ErrMissing] when the service lists no orders and does not read this one.
func (c *Client) Order(ctx context.Context, id, transactionID string) (*Order, error) {
	order, err := decode[Order](c.findOrder(ctx, id, transactionID))
	return c.withInvoices(ctx, order, transactionID, err)
}

// findOrder reads one order, or finds it in the list.
func (c *Client) findOrder(ctx context.Context, id, transactionID string) (*answer, error) {
	a, err := c.byID(ctx, kindOrder, id)
	if isNotFound(err) {
		return c.orderListed(ctx, id, transactionID, err)
	}
	return a, err
}

// orderListed looks in the list for an order that its read by id did not find.
func (c *Client) orderListed(ctx context.Context, id, transactionID string, readErr error) (*answer, error) {
	found, alone, err := entryOf(c.listed(ctx, kindOrder, ordersWith(transactionID)), id)
	switch {
	case errors.Is(err, ErrMissing):
		return nil, missingOperation("get_order", readErr)
	case err != nil:
		return nil, unproven(err, readErr)
	case found != nil:
		return found, nil
	}
	return nil, c.unlessAlone(ctx, kindOrder, alone, readErr)
}

// RefreshOrder reads an order whose id is known, and shares the list of orders with other
// such reads: see listCache. known reports whether an order is as the caller has it; one
// that is listed otherwise, or without its invoices, is read by id.
func (c *Client) RefreshOrder(ctx context.Context, id, transactionID string, known func(*Order) bool) (*Order, error) {
	inList := func(ctx context.Context, id string, readErr error) (*answer, error) {
		return c.orderListed(ctx, id, transactionID, readErr)
	}
	isKnown := func(v *Order) bool { return v.ShowsInvoices() && known(v) }
	order, err := refresh(ctx, c.lists[kindOrder], id, span{}, isKnown, inList)
	return c.withInvoices(ctx, order, transactionID, err)
}

// withInvoices looks for the invoices of an order that says nothing about them.
func (c *Client) withInvoices(ctx context.Context, order *Order, transactionID string, err error) (*Order, error) {
	if err != nil || order.ShowsInvoices() {
		return order, err
	}
	named := string(cmp.Or(order.TransactionID, Text(transactionID)))
	order.Invoices, err = c.invoicesOf(ctx, string(order.ID), named)
	return order, err
}

// ShowsInvoices reports whether the service said which invoices there are, with the id and
// the model of each: without these none can be read.
func (v *Order) ShowsInvoices() bool {
	var shown []json.RawMessage
	if json.Unmarshal(membersOf(v.Raw)["invoices"], &shown) != nil || shown == nil {
		return false
	}
	return len(shown) == len(v.Invoices)
}

// invoicesOf finds the invoices of each model that name the order, by its id or else by its transactionId. A service
// need not list each model.
func (c *Client) invoicesOf(ctx context.Context, id, transactionID string) (found []*Invoice, err error) {
	for _, model := range Models {
		list := c.filtered(ctx, model, InvoiceFilter{TransactionID: transactionID})
		for entry, err := range list {
			if isNotFound(err) {
				break
			}
			v, err := decode[Invoice](entry, err)
			switch {
			case err != nil:
				return nil, err
			case v.isOfOrder(id, transactionID):
				v.Model = cmp.Or(v.Model, Enum(model))
				found = append(found, v)
			case entry.isAlone():
				return nil, entry.provesNothing()
			}
		}
	}
	return found, nil
}

// orderShown returns what an invoice shows of its order.
func (v *Invoice) orderShown() *Order {
	order := &Order{ID: v.Order.ID, TransactionID: v.Order.TransactionID, Date: v.Order.Date}
	if v.Receiver != nil {
		order.Customer = &Customer{FederalTaxNumber: v.Receiver.FederalTaxNumber}
	}
	return order
}

// isOfOrder reports whether an invoice names an order, by its id or else by its transactionId.
func (v *Invoice) isOfOrder(id, transactionID string) bool {
	switch {
	case v.Order == nil:
		return false
	case v.Order.ID != "":
		return SameID(v.Order.ID, id)
	}
	return transactionID != "" && string(v.Order.TransactionID) == transactionID
}

// CreateOrder records a sale, and queues what autoIssueMode asks for. extra, a JSON object or nil, is merged into the
// body. A second order with the same transactionId may be accepted: look it up first, and after an ErrAmbiguous.
//
// An order that issues immediately may be answered with its invoice (specification: States and transitions). The order
// is then what the invoice names, without Raw; where nothing shows its id, the error is [ErrOrderUnnamed].
func (c *Client) CreateOrder(
	ctx context.Context, in Order, extra json.RawMessage, guard Guard,
) (*Order, error) {
	a, err := c.create(ctx, kindOrder, in, extra, guard)
	if err != nil || !holdsInvoice(a.object) {
		return decode[Order](a, err)
	}
	v, err := decode[Invoice](a, nil)
	if err == nil && !v.namesOrder() && slices.Contains(Models, string(v.Model)) {
		if read, readErr := c.Invoice(ctx, string(v.Model), string(v.ID)); readErr == nil {
			v = read
		}
	}
	if err != nil || !v.namesOrder() {
		return nil, a.unusable(ErrOrderUnnamed)
	}
	order := v.orderShown()
	if v.Model != "" {
		order.Invoices = []*Invoice{v}
	}
	return order, nil
}

func (v *Invoice) namesOrder() bool { return v.Order != nil && v.Order.ID != "" }

// holdsInvoice reports whether the answer to an order's creation is an invoice.
func holdsInvoice(object json.RawMessage) bool {
	members := membersOf(object)
	if textOf(members["transactionId"]) != "" || members["autoIssueMode"] != nil || members["invoices"] != nil {
		return false
	}
	isOfInvoices := func(name string) bool { return textOf(members[name]) != "" }
	return isObject(members["order"]) || slices.ContainsFunc([]string{"model", "number", "accessKey"}, isOfInvoices)
}

// SetOrderStatus changes the status of an order; approved queues the invoices of an order with afterPayment, so that
// it is sent once. The order is nil, without an error, when the answer does not hold it.
func (c *Client) SetOrderStatus(ctx context.Context, id, status string, guard Guard) (*Order, error) {
	req := c.operation("update_order_status", id).with(map[string]string{"status": status})
	req.once, req.about, req.guard = true, id, guard
	return decodeShown[Order](c.change(ctx, req, c.hasOrder(id)))
}

// hasOrder reports whether an order is there, or cannot be looked up here at all.
func (c *Client) hasOrder(id string) presence {
	return func(ctx context.Context) bool {
		_, err := c.findOrder(ctx, id, "")
		return err == nil || errors.Is(err, ErrMissing)
	}
}

// IssueOrderInvoices issues the invoices of an order that are not issued yet (specification: Endpoints).
// effectiveDate, a date-time, may be "". The answer is not shown by the specification, so nothing is read from it.
func (c *Client) IssueOrderInvoices(ctx context.Context, id, effectiveDate string, guard Guard) error {
	req := c.operation("issue_order_invoices", id)
	if effectiveDate != "" {
		req = req.with(map[string]string{"effectiveDate": effectiveDate})
	}
	req.anyBody, req.guard = true, guard
	_, err := c.change(ctx, req, c.hasOrder(id))
	return err
}
