package fiscal

import "strings"

// RejectionOrigin says who refused an invoice.
type RejectionOrigin string

// The origins of a rejection.
const (
	OriginAuthority RejectionOrigin = "authority"
	OriginService   RejectionOrigin = "service"
	OriginUnknown   RejectionOrigin = "unknown"
)

// RejectionKind says what a rejection means for the invoice.
type RejectionKind string

// The kinds of a rejection. Transient and internal ones pass without another
// request to issue; a definitive one stays until its cause is removed.
const (
	RejectionTransient  RejectionKind = "transient"
	RejectionDefinitive RejectionKind = "definitive"
	RejectionInternal   RejectionKind = "internal"
	RejectionUnknown    RejectionKind = "unknown"
)

// The rejection codes of the service itself and the authority's code for a
// rejection without one (specification, section "Fiscal rejections").
const (
	CodeStillProcessing        = "SPD001"
	CodeCancellationInProgress = "SPD002"
	CodeInvalidPayload         = "SPD003"
	CodeAlreadyAuthorized      = "SPD004"
	CodeNotSupported           = "SPD005"
	CodeQueued                 = "SPD006"
	CodeUnexpectedError        = "SPD998"
	CodeCommunicationError     = "SPD999"
	CodeGenericRejection       = "E9999"
)

// Rejection explains the code of a refused invoice.
type Rejection struct {
	// Code is the code asked for, in upper case.
	Code   string
	Origin RejectionOrigin
	Kind   RejectionKind
	// Meaning says what happened: a clause without a capital or a full stop.
	Meaning string
	// Action says in whole sentences what to do next, to somebody who runs apply
	// and knows the invoice by its integration_id.
	Action string

	advice string // Action, with {again} and {id} for what it may say otherwise
}

// ActionFor is Action for somebody who goes on in another way, such as "Invoke
// the action again", or who knows the invoice by another id.
func (r Rejection) ActionFor(again, id string) string {
	return strings.NewReplacer("{again}", strings.ToLower(again[:1])+again[1:], "{Again}", again, "{id}", id).Replace(r.advice)
}

const (
	adviceFixAndApply = "Read the authority's message, correct what it names, and {again}: the invoice is sent again under the same {id}."
	adviceUnknown     = "Do not reissue. Read the message, look the invoice up at the service, and {again} only once its cause is known and removed."
)

var rejections = map[string]Rejection{
	CodeStillProcessing: {
		Origin:  OriginService,
		Kind:    RejectionTransient,
		Meaning: "the invoice is still being processed at the city's provider",
		advice:  "Wait: the provider keeps waiting and asks the authority for the result. If the wait ran out, {again} and it goes on from there. Do not reissue under another {id}.",
	},
	CodeCancellationInProgress: {
		Origin:  OriginService,
		Kind:    RejectionTransient,
		Meaning: "the cancellation is being processed",
		advice:  "Wait: the provider keeps waiting for the cancellation. If the wait ran out, run the same command again. Do not ask for the cancellation a second time.",
	},
	CodeInvalidPayload: {
		Origin:  OriginService,
		Kind:    RejectionDefinitive,
		Meaning: "the payload did not pass validation and was not sent to the authority (a required field, a format, or the order of fields)",
		advice:  "Correct the field that the message names, in the payload or in the company's data, and {again}: the invoice is sent again under the same {id}.",
	},
	CodeAlreadyAuthorized: {
		Origin:  OriginService,
		Kind:    RejectionDefinitive,
		Meaning: "the invoice is already authorized, and the operation does not fit its state",
		advice:  "Do not reissue. {Again}: the authorized invoice is looked up and adopted.",
	},
	CodeNotSupported: {
		Origin:  OriginService,
		Kind:    RejectionDefinitive,
		Meaning: "the service or the operation is not supported in this case",
		advice:  "The operation does not apply here, and repeating it changes nothing. Check the model, the city and the environment of the invoice, and leave the operation out.",
	},
	CodeQueued: {
		Origin:  OriginService,
		Kind:    RejectionTransient,
		Meaning: "the invoice is queued and has no result yet",
		advice:  "Wait: the provider keeps waiting for the result. If the wait ran out, {again} and it goes on from there. Do not reissue under another {id}.",
	},
	CodeUnexpectedError: {
		Origin:  OriginService,
		Kind:    RejectionInternal,
		Meaning: "the service had an unexpected error of its own, which is no rejection by the authority",
		advice:  "Wait: the service settles this by itself without duplicating the invoice, and the provider keeps waiting. If the wait ran out, {again} and it goes on from there. Do not reissue under another {id}.",
	},
	CodeCommunicationError: {
		Origin:  OriginService,
		Kind:    RejectionTransient,
		Meaning: "the service could not reach the authority",
		advice:  "Wait: the service tries again by itself, and the provider keeps waiting. If the wait ran out, {again} and it goes on from there. Do not reissue under another {id}.",
	},
	CodeGenericRejection: {
		Origin:  OriginAuthority,
		Kind:    RejectionDefinitive,
		Meaning: "the authority rejected the invoice without a code of its own",
		advice:  adviceFixAndApply,
	},
}

// ExplainRejection explains a rejection code in any case. Numeric codes and
// E9999 are the authority's, codes that begin with SPD the service's
// (specification, section "Fiscal rejections"). It always answers: a code that
// is not known has the kind "unknown" and an action that is safe.
func ExplainRejection(code string) Rejection {
	code = normalizeCode(code)
	r, known := rejections[code]
	switch {
	case known:
	case allDigits(code):
		r = Rejection{
			Origin:  OriginAuthority,
			Kind:    RejectionDefinitive,
			Meaning: "the authority rejected the invoice with its own code " + code,
			advice:  adviceFixAndApply,
		}
	case strings.HasPrefix(code, "SPD"):
		r = Rejection{
			Origin:  OriginService,
			Kind:    RejectionUnknown,
			Meaning: "the service rejected the invoice with a code that this version does not know",
			advice:  adviceUnknown,
		}
	case code == "":
		r = Rejection{
			Origin:  OriginUnknown,
			Kind:    RejectionUnknown,
			Meaning: "the invoice was rejected without a code",
			advice:  adviceUnknown,
		}
	default:
		r = Rejection{
			Origin:  OriginUnknown,
			Kind:    RejectionUnknown,
			Meaning: "the invoice was rejected with a code that is neither the authority's nor the service's",
			advice:  adviceUnknown,
		}
	}
	r.Code, r.Action = code, r.ActionFor("Run apply again", "integration_id")
	return r
}

// IsTransient reports whether a rejection with this code passes by itself, so
// that waiting is right and reissuing is wrong: the transient codes, and
// SPD998, which the service settles internally.
func IsTransient(code string) bool {
	r, known := rejections[normalizeCode(code)]
	return known && (r.Kind == RejectionTransient || r.Kind == RejectionInternal)
}

func normalizeCode(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
