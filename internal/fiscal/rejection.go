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

// The kinds of a rejection. A transient or internal one ends without another
// request to issue. A definitive one stays until its cause is removed.
const (
	RejectionTransient  RejectionKind = "transient"
	RejectionDefinitive RejectionKind = "definitive"
	RejectionInternal   RejectionKind = "internal"
	RejectionUnknown    RejectionKind = "unknown"
	RejectionNone       RejectionKind = "none" // The invoice is authorized.
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
	// Code is the explained code, in upper case.
	Code   string
	Origin RejectionOrigin
	Kind   RejectionKind
	// Cause says why it was refused, and Source by what rule; ""
	// where only the message of the authority says it.
	Cause, Source string
	// Action says what to do next, to somebody who runs apply
	// and knows the invoice by its integration_id.
	Action string

	advice string // Action with the places {again}, {Again} and {id}
	remedy string // the part of it that says what to correct, "" where only the message says it
}

// RemedyFor says what to correct, without what to run then; "" where
// only the message of the authority says it.
func (r Rejection) RemedyFor(id string) string { return strings.ReplaceAll(r.remedy, "{id}", id) }

// ActionFor is Action for a reader who continues in another way, such as "invoke
// the action again", and knows the invoice by another id.
func (r Rejection) ActionFor(again, id string) string {
	begun := strings.ToUpper(again[:1]) + again[1:]
	return strings.NewReplacer("{again}", again, "{Again}", begun, "{id}", id).Replace(r.advice)
}

const (
	adviceFixAndApply = "Read the authority's message, correct what it names, and {again}: " +
		"the invoice is sent again under the same {id}."
	adviceUnknown = "Read the message, and look at the invoice at the service. Find and remove the cause, then {again}. " +
		"Do not reissue under another {id}."
	goesOn = "If the time ran out, {again}: it continues to wait. Do not reissue under another {id}."
)

// serviceCodes are what the service's own codes mean, and what to do.
var serviceCodes = map[string]struct {
	kind   RejectionKind
	advice string
}{
	CodeStillProcessing: {
		RejectionTransient,
		"Wait: the provider keeps waiting and asks the authority for the result. " + goesOn,
	},
	CodeCancellationInProgress: {RejectionTransient, "Wait: the provider keeps waiting for the cancellation. " +
		"If the time ran out, run the same command again: it sends no second cancellation. Do not cancel in the " +
		"back office meanwhile."},
	CodeInvalidPayload: {RejectionDefinitive, "Correct the field that the message names, in the payload or " +
		"in the company's data, and {again}: the invoice is sent again under the same {id}."},
	CodeAlreadyAuthorized: {
		RejectionDefinitive,
		"Do not reissue. {Again}: the provider finds the authorized invoice and adopts it.",
	},
	CodeNotSupported: {RejectionDefinitive, "The operation does not apply here, and repeating it changes nothing. " +
		"Check the model, the city and the environment of the invoice. If they are right, the service cannot do this " +
		"here: remove the block."},
	CodeQueued: {RejectionTransient, "Wait: the provider keeps waiting for the result. " + goesOn},
	CodeUnexpectedError: {RejectionInternal, "Wait: the service settles this by itself " +
		"without duplicating the invoice, and the provider keeps waiting. " + goesOn},
	CodeCommunicationError: {
		RejectionTransient,
		"Wait: the service tries again by itself, and the provider keeps waiting. " + goesOn,
	},
}

// ExplainRejection explains a rejection code, written in any case, of an invoice of a model, "" where it is not known.
// Numeric codes and E9999 come from the authority, codes that begin with SPD from the service (specification, section
// "Fiscal rejections"). A code that is not known gets the kind "unknown" and an action that is safe.
func ExplainRejection(code, model string) Rejection {
	code = normalizeCode(code)
	r := Rejection{Origin: OriginUnknown, Kind: RejectionUnknown, advice: adviceUnknown}
	law, known := LawOf(strings.TrimLeft(code, "0"))
	if own, ok := serviceCodes[code]; ok {
		r = Rejection{Origin: OriginService, Kind: own.kind, advice: own.advice}
	} else if strings.HasPrefix(code, "SPD") {
		r.Origin = OriginService
	} else if known && strings.Contains(law.Of, documents[model]) {
		r = law.rejection()
	} else if code == CodeGenericRejection || allDigits(code) {
		r = Rejection{Origin: OriginAuthority, Kind: RejectionDefinitive, advice: adviceFixAndApply}
	}
	r.Code, r.Action = code, r.ActionFor("run apply again", "integration_id")
	return r
}

// documents are the names that the laws have for the models.
var documents = map[string]string{modelNFe: "NF-e", modelNFCe: "NFC-e", modelNFSe: "NFS-e"}

// IsTransient reports whether a rejection with this code ends by itself, so that one must wait and not issue again:
// the transient codes of the service, and SPD998, which it settles internally. A rejection by the authority is none,
// even where the authority was not ready: the invoice has to be sent again later.
func IsTransient(code string) bool {
	kind := serviceCodes[normalizeCode(code)].kind
	return kind == RejectionTransient || kind == RejectionInternal
}

func normalizeCode(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
