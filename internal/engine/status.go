package engine

import (
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Want is what is to become of an invoice.
type Want struct {
	Issue             bool // false keeps a draft
	AcceptContingency bool // valid in contingency is enough, of an NFC-e
}

// decision is what the status of an invoice asks for next.
type decision int

const (
	decideDone      decision = iota // settled as wanted
	decideWait                      // in progress
	decideIssue                     // a draft that is to be issued
	decideAdopt                     // SPD004: an authorized one exists somewhere; look for it patiently
	decideReconcile                 // rejected for good, unless the authority holds another result
	decideEnded                     // cannot become a valid invoice any more
)

// decide is the state machine of issuing. A processingDetail.status of "success" only says that the queued work ran.
func decide(v *einvoice.Invoice, want Want) decision {
	m := v.Meaning()
	switch {
	case m.Valid && m.Final:
		return decideDone
	case string(v.Status) == einvoice.StatusRejected:
		switch code := RejectionCode(v); {
		case fiscal.IsTransient(code):
			return decideWait
		case code == fiscal.CodeAlreadyAuthorized:
			return decideAdopt
		default:
			return decideReconcile
		}
	case m.HasEnded():
		return decideEnded
	case !want.Issue && v.Status != "": // A draft, or an answer other than created that is kept as it is.
		return decideDone
	case v.IsDraft():
		return decideIssue
	case m.Valid && want.AcceptContingency && v.Model != einvoice.ModelProduct: // Rule 8: an NF-e is authorized at once.
		return decideDone
	}
	return decideWait
}

// IsDoneWith reports whether nothing is sent or waited for any more: the invoice is as wanted, or cannot become valid.
func (w Want) IsDoneWith(v *einvoice.Invoice) bool {
	next := decide(v, w)
	return next == decideDone || next == decideEnded
}

// IsRejected reports whether an invoice was rejected for good, as far as the service knows.
func IsRejected(v *einvoice.Invoice) bool { return decide(v, Want{}) == decideReconcile }

// IsCorrectable reports whether the payload may be sent again under the id: the invoice is a draft or was rejected.
func IsCorrectable(v *einvoice.Invoice) bool { return v.IsDraft() || IsRejected(v) }

// HasFailed reports whether an invoice has ended otherwise than wanted.
func HasFailed(v *einvoice.Invoice) bool { return IsRejected(v) || v.Meaning().HasEnded() }

// RejectionCode returns the code of the last processing, in upper case.
func RejectionCode(v *einvoice.Invoice) string {
	if v.ProcessingDetail == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(string(v.ProcessingDetail.Code)))
}

// judgedOn returns when the service last said something about an invoice.
func judgedOn(v *einvoice.Invoice) einvoice.Text {
	if v.ProcessingDetail != nil && v.ProcessingDetail.On != "" {
		return v.ProcessingDetail.On
	}
	return v.IssuedOn
}

// sameJudgment reports whether the service has said nothing about an invoice since it was read before.
func sameJudgment(before, now *einvoice.Invoice) bool {
	return einvoice.SameTime(judgedOn(before), judgedOn(now))
}
