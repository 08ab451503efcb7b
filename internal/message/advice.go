package message

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Advice says what to do about a failure.
func Advice(err error) text.Text {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	isRead := isAnswer && failure.Method == http.MethodGet
	hasEnded := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	unproven := errors.Is(err, einvoice.ErrUnproven)
	switch {
	case errors.Is(err, einvoice.ErrNoAPIKey):
		return text.Of("config.no_key", nil)
	case errors.Is(err, einvoice.ErrBadID):
		return text.Of("advice.bad_id", nil)
	case errors.Is(err, einvoice.ErrMissing):
		return text.Of("advice.missing", text.With{
			"unproven": unproven, "missing": MissingOperation(failure.Missing), "instead": instead(failure.Missing),
		})
	case errors.Is(err, einvoice.ErrNotSent) && hasEnded:
		return text.Of("advice.ended", nil)
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return text.Of("advice.forbidden", nil)
	case errors.Is(err, einvoice.ErrRateLimited) && failure.RetryAfter > time.Minute:
		return text.Of("advice.wait", text.With{
			"until": time.Now().Add(failure.RetryAfter).Format(time.RFC3339), "wait": failure.RetryAfter,
		})
	case errors.Is(err, einvoice.ErrRateLimited):
		return text.Of("advice.limit", nil)
	case errors.Is(err, einvoice.ErrRedirect) && !errors.Is(err, einvoice.ErrAmbiguous):
		return text.Of("advice.redirect", nil)
	case unproven:
		return text.Of("advice.unproven", nil)
	case isRead && (errors.Is(err, einvoice.ErrAmbiguous) || errors.Is(err, einvoice.ErrServer)):
		return text.Of("advice.unread", nil)
	case errors.Is(err, einvoice.ErrNotFound):
		return text.Of("advice.not_found", nil)
	case errors.Is(err, einvoice.ErrAmbiguous):
		return text.Of("advice.lost", nil)
	case errors.Is(err, einvoice.ErrNotSent):
		return text.Of("advice.not_sent", nil)
	case errors.Is(err, einvoice.ErrBadRequest):
		if about := AboutCode(err); !about.IsZero() {
			return about
		}
		return text.Of("advice.refused", text.With{"read": isRead})
	case errors.Is(err, einvoice.ErrServer):
		return text.Of("advice.server", nil)
	default:
		return text.Text{}
	}
}

// MissingOperation says that the service does not have an operation, and how the provider block names its path.
func MissingOperation(name string) text.Text {
	operation := einvoice.StandardOperation(name)
	var kept []string
	for _, placeholder := range einvoice.Placeholders(operation) {
		kept = append(kept, "`{"+placeholder+"}`")
	}
	return text.Of("operation.missing", text.With{
		"name": name, "operation": operation, "changeable": slices.Contains(einvoice.OperationNames(), name), "kept": kept,
	})
}

// instead is what can be done at a service that lacks an operation, by the operation's name or its verb.
func instead(name string) text.Text {
	verb, _, _ := strings.Cut(name, "_")
	for _, key := range []string{"instead." + name, "instead." + verb} {
		if text.Has(key) {
			return text.Of(key, nil)
		}
	}
	return text.Text{}
}

// serviceCode is a code of the service in the text of a refusal.
var serviceCode = regexp.MustCompile(`(?i)\bSPD\d{3}\b`)

// AboutCode says what to do about a refusal that names a code of the service; nothing where the value is to be
// corrected.
func AboutCode(err error) text.Text {
	code := strings.ToUpper(serviceCode.FindString(err.Error()))
	switch {
	case code == fiscal.CodeNotSupported:
		return fiscal.ExplainRejection(code, "").ActionFor("")
	case code == fiscal.CodeAlreadyAuthorized:
		return text.Of("advice.status", nil)
	case fiscal.IsTransient(code):
		return text.Of("advice.busy", nil)
	}
	return text.Text{}
}
