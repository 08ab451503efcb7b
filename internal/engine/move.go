package engine

import (
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// doing is what a run does next.
type doing int

const (
	reads      doing = iota // the invoice or order with the id
	asks                    // the authority about an invoice, or the lists of invoices about an order
	looksAgain              // after a pause
	sends                   // the payload: over the invoice, or for a new one
	issues                  // the draft
	follows                 // the invoice or order
	stops                   // with a problem
)

func (d doing) String() string {
	return [...]string{"read", "ask", "look again", "send", "issue", "follow", "stop"}[d]
}

// move is what a run does next, and why.
type move struct {
	do      doing
	why     string // for the log
	invoice *einvoice.Invoice
	order   *einvoice.Order

	record  journal.Record // as it is known by now
	learned bool           // the record is another one than the journal has

	id      string // reads: of what
	patient bool   // reads: it is known to have existed
	must    bool   // reads: that it is not found is an error
	as      Request

	kind        Kind // stops
	differ      []Difference
	found       []*einvoice.Invoice // Several
	orders      []*einvoice.Order   // Several
	isRefused   bool                // the service has refused what was sent
	showsRecord bool                // the problem names the record

	isSame    bool // sends: the payload that the invoice certainly holds
	isLost    bool // follows: what this run has sent, and whose answer was lost
	isAdopted bool // follows: it is somebody's, or an earlier run's
	step      Step // what a plan says of it

	seen     []*einvoice.Invoice // all of the sale
	isLooked bool                // that is known
}

// has returns what was read of an id, and whether it was read.
func (f *saleFacts) has(id string) (got reading, isRead bool) {
	got, isRead = f.read[lower(id)]
	return got, isRead
}

func lower(id string) string { return strings.ToLower(id) }
