package einvoice

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// Sentinels for errors.Is. The specification documents 400, 403 and 429 (Errors).
var (
	ErrBadRequest       = errors.New("the service refused the request")           // 400, 422
	ErrUnauthorized     = errors.New("the service does not accept the API key")   // 401
	ErrForbidden        = errors.New("the service does not allow this")           // 403
	ErrNotFound         = errors.New("not found")                                 // 404
	ErrMethodNotAllowed = errors.New("the service does not offer this operation") // 405, 501
	ErrRateLimited      = errors.New("the service's request limit is exceeded")   // 429
	ErrServer           = errors.New("the service failed")                        // 5xx
	ErrNoAPIKey         = errors.New("no API key is configured")                  // nothing was sent
	ErrBadID            = errors.New("this cannot be the id of an object")        // nothing was sent
	ErrMissing          = errors.New("the service does not have this operation")  // and is there otherwise
	ErrNotSuccessful    = errors.New("the service answered success: false")       // in a 2xx
	ErrRedirect         = errors.New("the service answered with a redirect")      // not followed
	ErrBadAnswer        = errors.New("the service's answer could not be understood")
	ErrAmbiguous        = errors.New("the service may have processed the request") // no usable answer came
	ErrNotSent          = errors.New("the request did not reach the service")      // not one byte of it

	// ErrMasked is of a secret of which the service shows a mask.
	ErrMasked = errors.New("the service shows the secret masked")
	// ErrUnproven is of an object that was found neither by its id nor in a list.
	ErrUnproven = errors.New("neither the object nor the list it would be in was found, " +
		"which does not prove that the object is gone")
	// ErrOrderUnnamed is of an order that was created, and answered with an invoice that does not name it.
	ErrOrderUnnamed = errors.New("it is an invoice that does not name its order")
	// ErrOnlyUnlisted is of an object of a kind that is not known to be read by id.
	ErrOnlyUnlisted = errors.New("the list does not show the object")
	// ErrCannotDelete is of a 405, a 501, or a 404 for an object that can be read.
	ErrCannotDelete = errors.New("the service cannot delete this object")
)

// FieldMessage is one message of the service about a request. Path is the field
// in the service's own words, "" when the message is not about one field.
type FieldMessage struct {
	Message string
	Path    string
}

// Error is the one error type of this package, always returned as a pointer. It never
// holds an API key, a query or a complete body.
type Error struct {
	Method string
	Path   string // route with its ids, no host, no query
	Status int    // HTTP status; 0 when no answer came

	Messages   []FieldMessage
	Text       string        // excerpt of a body that is not JSON, at most 512 bytes
	TraceID    string        // the service's own reference of the exchange, "" when it gave none
	RetryAfter time.Duration // what the service asked to wait for; 0 when it did not
	Attempts   int           // exchanges made, the last one included
	Missing    string        // the name of an operation that the service does not have; "" for any other failure

	// Err is the cause: one of the sentinels, a transport error, or both joined.
	Err error

	ambiguous bool
	mayBeDone bool // by an earlier attempt of the same call
	notSent   bool
	passing   bool     // another attempt may succeed
	cut       bool     // a gateway or the connection failed: not the request itself, and not for time
	next      *url.URL // of a redirect that may be followed
}

// Error names the operation, the status and the service's own messages.
func (e *Error) Error() string {
	parts := []string{strings.TrimSpace(e.Method + " " + e.Path)}
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))))
	}
	if detail := e.Detail(); detail != "" {
		parts = append(parts, detail)
	}
	text := strings.Join(parts, ": ")
	if e.Attempts > 1 {
		text += fmt.Sprintf(" (after %d attempts)", e.Attempts)
	}
	if e.TraceID != "" {
		text += " (trace " + e.TraceID + ")"
	}
	return plain.Line(text)
}

// Detail is what is known beside the operation and the status: the service's own messages and the cause. "" is nothing.
func (e *Error) Detail() string {
	var messages, parts []string
	for _, m := range e.Messages {
		messages = append(messages, strings.TrimPrefix(m.Path+": "+m.Message, ": "))
	}
	if len(messages) > 0 {
		parts = append(parts, strings.Join(messages, "; "))
	}
	if e.Text != "" {
		parts = append(parts, e.Text)
	}
	if e.Err != nil {
		parts = append(parts, strings.ReplaceAll(e.Err.Error(), "\n", ": "))
	}
	return plain.Line(strings.Join(parts, ": "))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is answers for the sentinels that follow from the status or from what is known
// of the exchange. The others are found through Unwrap.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrAmbiguous:
		return e.ambiguous
	case ErrNotSent:
		return e.notSent
	case ErrMissing:
		return e.Missing != ""
	}
	// An object that can be read after its deletion answered 404 was found, and one
	// whose list is missing too may be there.
	if errors.Is(e.Err, ErrCannotDelete) || errors.Is(e.Err, ErrUnproven) {
		return false
	}
	// What the service does not do says nothing about an object.
	if e.Missing != "" && (target == ErrNotFound || target == ErrMethodNotAllowed) {
		return false
	}
	for sentinel, statuses := range statusesOf {
		if target == sentinel {
			return slices.Contains(statuses, e.Status)
		}
	}
	return target == ErrServer && e.Status >= 500
}

// refusals are the statuses after which nothing was processed, by the interface (HTTP errors) or, about the request as
// such, by HTTP. Of any other one the interface says "a generic error": 404, 405, 409, 422 and 501 prove nothing.
var refusals = []int{
	http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotAcceptable,
	http.StatusLengthRequired, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong,
	http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
}

// IsRefusal reports whether a failed request was certainly not processed.
func IsRefusal(err error) bool {
	var failure *Error
	if !errors.As(err, &failure) || failure.ambiguous {
		return false
	}
	isError := failure.Status >= 400
	return !isError || failure.Missing != "" || slices.Contains(refusals, failure.Status)
}

// statusesOf are the statuses that the sentinels stand for.
var statusesOf = map[error][]int{
	ErrBadRequest:       {http.StatusBadRequest, http.StatusUnprocessableEntity},
	ErrUnauthorized:     {http.StatusUnauthorized},
	ErrForbidden:        {http.StatusForbidden},
	ErrNotFound:         {http.StatusNotFound},
	ErrMethodNotAllowed: {http.StatusMethodNotAllowed, http.StatusNotImplemented},
	ErrRateLimited:      {http.StatusTooManyRequests},
}
