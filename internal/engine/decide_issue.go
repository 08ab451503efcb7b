package engine

import (
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// decideStatus is a change of an order's status. shown is the order, read after a record was found; nil before that.
func decideStatus(
	want string, r journal.Record, shown *einvoice.Order, lost bool, now time.Time, patience time.Duration,
) doingStatus {
	young := isYoung(r, patience, now)
	switch {
	case r.Phase == journal.Idle:
		return statusSends
	case shown == nil:
		return statusReads
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
	hasRest, moved, same, lost, hasRejected bool
	reconciled                              bool // the authority was asked about each rejected one
	rejected                                int  // that stay so
	unissued, triggered, waited             bool
}

type doingRest int

const (
	restDone doingRest = iota
	restSettles
	restWaits
	restStops // IssueLost
	restAsks
	restLooks // until the trigger has moved it
	restSends
)

// decideRest is the explicit issue of an order.
func decideRest(r journal.Record, f restFacts, now time.Time, patience time.Duration) doingRest {
	young := isYoung(r, patience, now)
	sending, settled := r.Phase == journal.Sending, r.Phase == journal.Settled
	switch {
	case f.reconciled: // What was decided before it still holds.
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
