package fiscal

import (
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

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
	// Cause says why it was refused, and Source by what rule. They are empty where only the message of the authority
	// says it.
	Cause  text.Text
	Source string

	advice, remedy string // keys of texts; there is no remedy where only the message says it
	isSentAgain    bool   // after the remedy
}

// RemedyFor says what to correct, without what to run then, to somebody who knows the invoice by an argument, such as
// integration_id. It is empty where only the message of the authority says it.
func (r Rejection) RemedyFor(id string) text.Text { return text.Of(r.remedy, text.With{"id": id}) }

// ActionFor says what to do next.
func (r Rejection) ActionFor(id string) text.Text {
	return text.Of(r.advice, text.With{"id": id, "remedy": r.RemedyFor(id), "is_sent_again": r.isSentAgain})
}

// ResourceActionFor is ActionFor for the reader of an action that only looked at the invoice of a resource.
func (r Rejection) ResourceActionFor(id string) text.Text {
	said := r.ActionFor(id)
	said.With["is_of_resource"] = true
	return said
}

// serviceCodes are what the service's own codes mean, and the text of what to do.
var serviceCodes = map[string]struct {
	kind   RejectionKind
	advice string
}{
	CodeStillProcessing:        {RejectionTransient, "rejection.still_processing"},
	CodeCancellationInProgress: {RejectionTransient, "rejection.cancellation_in_progress"},
	CodeInvalidPayload:         {RejectionDefinitive, "rejection.invalid_payload"},
	CodeAlreadyAuthorized:      {RejectionDefinitive, "rejection.already_authorized"},
	CodeNotSupported:           {RejectionDefinitive, "rejection.not_supported"},
	CodeQueued:                 {RejectionTransient, "rejection.queued"},
	CodeUnexpectedError:        {RejectionInternal, "rejection.unexpected_error"},
	CodeCommunicationError:     {RejectionTransient, "rejection.communication_error"},
}

// ExplainRejection explains a rejection code, written in any case, of an invoice of a model, "" where it is not known.
// Numeric codes and E9999 come from the authority, codes that begin with SPD from the service (specification, section
// "Fiscal rejections"). A code that is not known gets the kind "unknown" and an action that is safe.
func ExplainRejection(code, model string) Rejection {
	code = normalizeCode(code)
	r := Rejection{Origin: OriginUnknown, Kind: RejectionUnknown, advice: "rejection.unknown"}
	law, known := LawOf(strings.TrimLeft(code, "0"))
	if own, ok := serviceCodes[code]; ok {
		r = Rejection{Origin: OriginService, Kind: own.kind, advice: own.advice}
	} else if strings.HasPrefix(code, "SPD") {
		r.Origin = OriginService
	} else if known && strings.Contains(law.Of, documents[model]) {
		r = law.rejection()
	} else if code == CodeGenericRejection || allDigits(code) {
		r = Rejection{Origin: OriginAuthority, Kind: RejectionDefinitive, advice: "rejection.authority"}
	}
	r.Code = code
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
