package message

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// PathSchema is what a schema offers to tell whether an attribute exists.
type PathSchema interface {
	TypeAtPath(ctx context.Context, p path.Path) (attr.Type, diag.Diagnostics)
}

// ApiError turns a failed request into diagnostics: one on each attribute that
// the service names, or one for the whole object. task reads "create customer".
func ApiError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	return Apply.APIError(ctx, task, err, schema)
}

// APIError is [ApiError] for one front.
func (f Front) APIError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	var failure *einvoice.Error
	if !errors.As(err, &failure) {
		return Error("Cannot "+task, Sentence(err.Error()))
	}
	var diags diag.Diagnostics
	summary, advice := "Cannot "+task, f.Advice(err)
	var rest []einvoice.FieldMessage
	for _, m := range failure.Messages {
		at, ok := attributePath(ctx, schema, m.Path)
		if !ok || failure.Status != http.StatusBadRequest {
			rest = append(rest, m)
			continue
		}
		about := ""
		if len(at.Steps()) > 1 { // The CLIs show the line of a root attribute only.
			about = " about `" + at.String() + "`"
		}
		diags.AddAttributeError(at, summary, Paragraphs("API message"+about+": "+Sentence(m.Message), advice, Reference(failure)))
	}
	if len(rest) == 0 && diags.HasError() {
		return diags
	}
	diags.AddError(summary, Paragraphs(quoted(rest, failure), advice, Reference(failure)))
	return diags
}

// RefusalWords quotes the service verbatim, where it said anything.
func RefusalWords(failure *einvoice.Error) string { return quoted(failure.Messages, failure) }

func quoted(messages []einvoice.FieldMessage, failure *einvoice.Error) string {
	if len(messages) == 0 {
		return Sentence(failure.Error())
	}
	text := "API message:"
	for _, m := range messages {
		text += " "
		if m.Path != "" {
			text += m.Path + ": "
		}
		text += Sentence(m.Message)
	}
	return text
}

// Advice says what to do about a failure.
func Advice(err error) string { return Apply.Advice(err) }

// Advice is [Advice] for one front.
func (f Front) Advice(err error) string {
	var failure *einvoice.Error
	reading := errors.As(err, &failure) && failure.Method == http.MethodGet
	switch {
	case errors.Is(err, einvoice.ErrNoAPIKey):
		return MissingAPIKey
	case errors.Is(err, einvoice.ErrNotSent) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return "The run was ended before it could be sent. " + SentenceCase(f.Again()) + "."
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return "Check that `api_key` belongs to this environment (test and production keys differ) and was not replaced in the back office. " +
			"Companies, settings, certificates and webhooks need the main company's key; invoices need the key of the company that issues them."
	case errors.Is(err, einvoice.ErrRateLimited):
		return "The limit of 60 requests a minute and 5 a second is used up by others with the same key. " + SentenceCase(f.Again()) + " later, or lower `requests_per_minute` " +
			"to the share that this run may use."
	case errors.Is(err, einvoice.ErrRedirect):
		return "Set `base_url` to the address the service really has; keys never follow a redirect."
	case errors.Is(err, einvoice.ErrUnproven):
		return "Check `base_url`: a wrong address answers like this to everything. Nothing was changed." +
			f.Either(" If the object is certainly gone, take it out of the state with `state rm`.", "")
	case reading && (errors.Is(err, einvoice.ErrAmbiguous) || errors.Is(err, einvoice.ErrServer)):
		return "Nothing was changed by this. Run again; if it lasts, check `base_url`, or ask the service's support."
	case errors.Is(err, einvoice.ErrNotFound):
		return "Check `base_url`, and that `api_key` belongs to the account that has the object. " +
			f.Either("Run plan again: it shows whether the object is gone.", "Look at the service whether the object is gone.")
	case errors.Is(err, einvoice.ErrAmbiguous):
		return "The service may have done it all the same. " +
			f.Either("Run plan again and read what it shows before you apply.", "Look at it at the service before you invoke the action again.")
	case errors.Is(err, einvoice.ErrNotSent):
		return "Nothing was sent. Check `base_url` and the network, then run again."
	case errors.Is(err, einvoice.ErrBadRequest):
		return "Correct the value and " + f.Again() + "."
	case errors.Is(err, einvoice.ErrServer):
		return "The service has a problem of its own; it is safe to run again."
	default:
		return ""
	}
}

// Reference is the line that a support request needs.
func Reference(failure *einvoice.Error) string {
	if failure.Status == 0 {
		return ""
	}
	line := fmt.Sprintf("%s %s · HTTP %d", failure.Method, failure.Path, failure.Status)
	if failure.TraceID != "" {
		line += " · trace " + failure.TraceID
	}
	if failure.Attempts > 1 {
		line += fmt.Sprintf(" · %d attempts", failure.Attempts)
	}
	return line
}

// attributePath finds the attribute that the service means by a field such as
// "Address.City.Code" or "items[0].price".
func attributePath(ctx context.Context, schema PathSchema, field string) (path.Path, bool) {
	if field == "" || schema == nil {
		return path.Empty(), false
	}
	at := path.Empty()
	for step := range strings.SplitSeq(strings.TrimPrefix(field, "$."), ".") {
		name, index, indexed := strings.Cut(step, "[")
		at = at.AtName(SnakeCase(name))
		if n := 0; indexed {
			if _, err := fmt.Sscanf(index, "%d]", &n); err != nil {
				return path.Empty(), false
			}
			at = at.AtListIndex(n)
		}
	}
	_, diags := schema.TypeAtPath(ctx, at)
	return at, !diags.HasError()
}
