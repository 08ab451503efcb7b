package engine

import (
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Want is what is to become of an invoice.
type Want struct {
	Issue             bool // false keeps a draft
	AcceptContingency bool // valid in contingency is enough
}

// decision is what the status of an invoice asks for next.
type decision int

const (
	decidePost      decision = iota // nothing exists: send the payload
	decideDone                      // settled as wanted
	decideWait                      // in progress
	decideIssue                     // a draft that is wanted issued
	decideAdopt                     // SPD004: an authorized one exists somewhere; look patiently
	decideReconcile                 // rejected for good, unless the authority knows better
	decideDead                      // cannot become an invoice any more
)

// decide is the whole state machine of issuing. processingDetail.status does not
// count: "success" only says that the queued work ran.
func decide(v *einvoice.Invoice, want Want) decision {
	if v == nil {
		return decidePost
	}
	switch string(v.Status) {
	case einvoice.StatusAuthorized:
		return decideDone
	case einvoice.StatusRejected:
		switch code := RejectionCode(v); {
		case fiscal.IsTransient(code):
			return decideWait
		case code == fiscal.CodeAlreadyAuthorized:
			return decideAdopt
		default:
			return decideReconcile
		}
	case einvoice.StatusCanceled, einvoice.StatusDenied, einvoice.StatusRemoved, einvoice.StatusDisabled:
		return decideDead
	}
	if !want.Issue && v.Status != "" { // A draft, or an answer other than created that is kept as it is.
		return decideDone
	}
	switch string(v.Status) {
	case einvoice.StatusCreated:
		return decideIssue
	case einvoice.StatusInContingent:
		if want.AcceptContingency {
			return decideDone
		}
	}
	return decideWait
}

// IsRejected tells that an invoice was rejected for good, as far as the service
// knows; the authority may hold another result.
func IsRejected(v *einvoice.Invoice) bool { return decide(v, Want{}) == decideReconcile }

// HasFailed tells that an invoice has ended otherwise than wanted.
func HasFailed(v *einvoice.Invoice) bool { return IsRejected(v) || decide(v, Want{}) == decideDead }

// RejectionCode is the code of the last processing, in upper case.
func RejectionCode(v *einvoice.Invoice) string {
	if v.ProcessingDetail == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(string(v.ProcessingDetail.Code)))
}

// lastWord is when something was last said of an invoice.
func lastWord(v *einvoice.Invoice) einvoice.Text {
	if v.ProcessingDetail != nil && v.ProcessingDetail.On != "" {
		return v.ProcessingDetail.On
	}
	return v.IssuedOn
}

// SameWord tells that nothing was said of an invoice since it was read before.
func SameWord(before, now *einvoice.Invoice) bool {
	return einvoice.SameTime(lastWord(before), lastWord(now))
}

// saidLater tells which of two invoices was judged last.
func saidLater(a, b *einvoice.Invoice) bool {
	at, _ := einvoice.ParseTime(string(lastWord(a)))
	bt, _ := einvoice.ParseTime(string(lastWord(b)))
	return at.After(bt)
}
