package engine

import (
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// orderWanted is all that a decision knows of the wanted order.
type orderWanted struct {
	status    string // of the wanted order
	holder    string
	triggered bool     // the service issues it by itself
	models    []string // of its invoices
	differ    func(*einvoice.Order) []Difference
}

// orderFacts are what one look has seen.
type orderFacts struct {
	listed     []*einvoice.Order
	noList     bool
	byInvoices []*einvoice.Order // that the lists of invoices show
	unlisted   []string          // models without a list
	asked      bool              // for both
	read       map[string]orderReading
	foreign    journal.Record // RETIRED

	sent, lost, mayRepeat bool
	patience              time.Duration
}

type orderReading struct {
	order *einvoice.Order // nil: gone
	other error           // it is another sale's
}

// orderMove is what a run does next.
type orderMove struct {
	do       doing // asksOne: asks the lists of invoices
	id       string
	order    *einvoice.Order
	orders   []*einvoice.Order
	differ   []Difference
	kind     Kind
	err      error // stops with it
	learned  bool
	record   journal.Record
	forgets  bool // the problem names no order
	unproven bool // the problem names the record
}

// decideOrder is the whole of bringing an order to the service.
func decideOrder(w *orderWanted, r journal.Record, f *orderFacts, now time.Time) orderMove {
	young := func(since time.Time) bool { return !since.IsZero() && now.Before(since.Add(f.patience)) }
	since := f.foreign.Stamp
	if r.Phase == journal.Sending {
		since = r.Stamp
	}
	inDoubt := young(since)

	// 1. What shows under the name, or by the invoices of the order.
	found := f.listed
	if f.noList || len(found) == 0 && r.Content == orderUnnamed {
		found = nil
		if r.Result == "" && (r.Phase != journal.Idle || f.foreign.Phase != journal.Idle) {
			if !f.asked {
				return orderMove{do: asksOne}
			}
			mayShow := func(model string) bool { return !slices.Contains(f.unlisted, model) }
			switch found = f.byInvoices; {
			case len(found) > 0:
			case inDoubt && w.triggered && slices.ContainsFunc(w.models, mayShow), inDoubt && !f.lost:
				return orderMove{do: looksAgain} // A list may lag, or another run may be about to record the answer.
			default:
				return orderMove{do: stops, kind: Unlisted, unproven: true}
			}
		}
	}
	listed, several := chosenOrder(found)
	switch {
	case several != nil:
		return orderMove{do: stops, kind: Several, orders: several}
	case listed == nil && r.Result == "" && inDoubt:
		return orderMove{do: looksAgain}
	}

	// 2. A list may lag behind in what it shows of an order, too.
	id := r.Result
	if listed != nil && (id == "" || !isOver(listed)) {
		id = string(listed.ID)
	}
	order, isRead := listed, false
	if id != "" {
		got, ok := f.read[lower(id)]
		switch {
		case !ok:
			return orderMove{do: readsOne, id: id}
		case got.other != nil && f.noList:
			return orderMove{do: stops, err: got.other} // No list says that there is no other one.
		case got.order != nil:
			order, isRead = got.order, true
		}
	}
	switch {
	case order == nil && f.lost && !f.mayRepeat:
		return orderMove{do: stops, kind: AnswerLost, forgets: true}
	case order == nil:
		return orderMove{do: sends}
	case r.Content == canceling && inDoubt && slices.ContainsFunc(order.Invoices, IsCancelable):
		return orderMove{do: stops, kind: BeingCanceled, order: order}
	}
	if differ := w.differ(order); len(differ) > 0 {
		return orderMove{do: stops, kind: Another, order: order, differ: differ}
	}
	if isOver(order) && string(order.Status) != w.status {
		return orderMove{do: stops, kind: Ended, order: order}
	}
	isRecorded := r.Phase == journal.Settled && r.Holder == w.holder && einvoice.SameID(r.Result, order.ID)
	next := orderMove{do: follows, order: order, learned: isRead && !isRecorded}
	next.record = r.In(journal.Settled, string(order.ID))
	return next
}

// chosenOrder picks the order to go on with, or returns the several that are alive.
func chosenOrder(found []*einvoice.Order) (order *einvoice.Order, several []*einvoice.Order) {
	alive := slices.DeleteFunc(slices.Clone(found), isOver)
	switch {
	case len(alive) == 1:
		return alive[0], nil
	case len(alive) > 1:
		return nil, alive
	case len(found) > 0:
		return found[len(found)-1], nil
	}
	return nil, nil
}

// decideStatus is a change of an order's status. shown is the order, read after a record was found; nil before that.
func decideStatus(want string, r journal.Record, shown *einvoice.Order, unreadable, lost bool, now time.Time, patience time.Duration) doingStatus {
	young := !r.Stamp.IsZero() && now.Before(r.Stamp.Add(patience))
	switch sending := r.Phase == journal.Sending; {
	case r.Phase == journal.Idle:
		return statusSends
	case shown == nil:
		return statusReads
	case unreadable && !sending:
		return statusTakes
	case unreadable && !young:
		return statusStops
	case string(shown.Status) == want:
		return statusTakes
	case young:
		return statusWaits
	case lost:
		return statusStops
	}
	return statusSends
}

type doingStatus int

const (
	statusSends doingStatus = iota
	statusReads
	statusTakes // it is as wanted: settle
	statusWaits
	statusStops // StatusLost
)

// restFacts are what a survey of an order shows.
type restFacts struct {
	hidden, hasRest, moved, same, lost, hasRejected bool
	reconciled                                      bool // the authority was asked about each rejected one
	rejected                                        int  // that stay so
	unissued, triggered, waited                     bool
}

type doingRest int

const (
	restDone doingRest = iota
	restSettles
	restWaits
	restStops       // IssueLost
	restStopsHidden // IssueLost, with the record
	restAsks
	restLooks // until the trigger has moved it
	restSends
)

// decideRest is the explicit issue of an order.
func decideRest(r journal.Record, f restFacts, now time.Time, patience time.Duration) doingRest {
	young := !r.Stamp.IsZero() && now.Before(r.Stamp.Add(patience))
	sending, settled := r.Phase == journal.Sending, r.Phase == journal.Settled
	switch {
	case f.reconciled: // What was decided before it still holds.
	case f.hidden && settled:
		return restDone
	case f.hidden && sending && !young:
		return restStopsHidden
	case f.lost && f.moved, sending && !f.hasRest:
		return restSettles
	case !f.hasRest:
		return restDone
	case sending && young && !f.moved, young && f.same:
		return restWaits
	case f.lost:
		return restStops
	case settled && f.same && !f.hasRejected:
		return restDone
	}
	switch {
	case !f.reconciled:
		return restAsks
	case f.rejected == 0 && !f.unissued:
		return restDone
	case f.rejected == 0 && f.triggered && !f.waited:
		return restLooks
	case f.waited && f.moved:
		return restDone
	}
	return restSends
}
