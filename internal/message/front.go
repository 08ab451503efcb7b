package message

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Front is the way in which the reader reaches an object: by apply, destroy or an action.
type Front struct {
	Again   string // "Run apply again"
	Running string // "Running apply again"

	advice
}

// advice has the words that differ between the fronts.
type advice struct{ correct, gone, lost, certainlyGone string }

var ofApply = advice{
	correct:       "Correct the value and apply again.",
	gone:          "Run plan again: it shows whether the object is gone.",
	lost:          "Run plan again and read what it shows before you apply.",
	certainlyGone: " If the object is certainly gone, take it out of the state with `state rm`.",
}

// The fronts.
var (
	Applying   = Front{"Run apply again", "Running apply again", ofApply}
	Destroying = Front{"Run destroy again", "Running destroy again", ofApply}
	Invoking   = Front{"Invoke the action again", "Invoking the action again", advice{
		correct: "Correct the value and invoke the action again.",
		gone:    "Look at the service whether the object is gone.",
		lost:    "Look at it at the service before you invoke the action again.",
	}}
)

// InSentence is Again in the middle of a sentence: "run apply again".
func (f Front) InSentence() string { return strings.ToLower(f.Again[:1]) + f.Again[1:] }

// spoken is a context whose texts have the form of the front.
func (f Front) spoken() context.Context {
	return text.InForm(context.Background(), map[string]text.Form{
		Applying.Again: text.Apply, Destroying.Again: text.Destroy, Invoking.Again: text.Action,
	}[f.Again])
}

// Either is the text for somebody who applies, or for somebody who invokes.
func (f Front) Either(applying, invoking string) string {
	if f == Invoking {
		return invoking
	}
	return applying
}

// Advice says what to do about a failure.
func (f Front) Advice(err error) string {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	isRead := isAnswer && failure.Method == http.MethodGet
	hasEnded := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case errors.Is(err, einvoice.ErrNoAPIKey):
		return MissingAPIKey
	case errors.Is(err, einvoice.ErrBadID):
		return "Nothing was sent. Correct the id."
	case errors.Is(err, einvoice.ErrMissing):
		late := ""
		if errors.Is(err, einvoice.ErrUnproven) {
			late = mayShowLate
		}
		return late + MissingOperation(failure.Missing) + withoutOperation(failure.Missing) + " Nothing was changed. " +
			f.Again + " then."
	case errors.Is(err, einvoice.ErrNotSent) && hasEnded:
		return "The run ended before it could be sent. " + f.Again + "."
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return "Check that the key (`api_key`, or the company's key in `company_keys`) " +
			"belongs to this account (test accounts and production accounts have different keys) and was not replaced in " +
			"the back office. Companies, settings, certificates and webhooks need the main company's key; " +
			"invoices need the key of the company that issues them."
	case errors.Is(err, einvoice.ErrRateLimited) && failure.RetryAfter > time.Minute:
		return fmt.Sprintf("The service asks to wait until %s, %s from now. %s then.",
			time.Now().Add(failure.RetryAfter).Format(time.RFC3339), failure.RetryAfter.Round(time.Second), f.Again)
	case errors.Is(err, einvoice.ErrRateLimited):
		return "Others with the same key use up the limit of 60 requests a minute and 5 a second. " + f.Again +
			" later, or lower `requests_per_minute` to the share that this run may use."
	case errors.Is(err, einvoice.ErrRedirect) && !errors.Is(err, einvoice.ErrAmbiguous):
		return "Set `base_url` to the address that the service really has. The provider never sends a key to a redirect."
	case errors.Is(err, einvoice.ErrUnproven):
		return mayShowLate + "Otherwise check `base_url`: a wrong address answers everything like this. " +
			"Nothing was changed." + f.certainlyGone
	case isRead && (errors.Is(err, einvoice.ErrAmbiguous) || errors.Is(err, einvoice.ErrServer)):
		return "Nothing was changed. Run again. If the error remains, check `base_url`, or ask the service's support."
	case errors.Is(err, einvoice.ErrNotFound):
		return mayShowLate + "Otherwise check `base_url`, and that `api_key` belongs to the account that has the " +
			"object. " + f.gone
	case errors.Is(err, einvoice.ErrAmbiguous):
		return "The service may have done it anyway. " + f.lost
	case errors.Is(err, einvoice.ErrNotSent):
		return "Nothing was sent. Check `base_url` and the network, then run again."
	case errors.Is(err, einvoice.ErrBadRequest) && isRead:
		return cmp.Or(f.AboutCode(err), "Nothing was changed. If the message names a value of the configuration, "+
			"correct it; otherwise ask the service's support.")
	case errors.Is(err, einvoice.ErrBadRequest):
		return cmp.Or(f.AboutCode(err), f.correct)
	case errors.Is(err, einvoice.ErrServer):
		return "The service has a problem of its own. It is safe to run again."
	default:
		return ""
	}
}

// mayShowLate is about an object that was not found.
const mayShowLate = "An object that was created moments ago may show a little later. "

// MissingOperation says that the service does not have an operation, and how the provider
// block names its path.
func MissingOperation(name string) string {
	lacking := fmt.Sprintf("The service does not have the operation `%s` (%s)", name, einvoice.StandardOperation(name))
	if !slices.Contains(einvoice.OperationNames(), name) {
		return lacking + ", which the interface shows. Ask the service's support."
	}
	with := ""
	if names := einvoice.Placeholders(einvoice.StandardOperation(name)); len(names) > 0 {
		with = ". The path keeps `{" + strings.Join(names, "}` and `{") + "}`"
	}
	return fmt.Sprintf("%s. If it has it elsewhere, write the method and path from its documentation "+
		"into the provider block: `operations = { %s = \"METHOD /v1/PATH\" }`%s.", lacking, name, with)
}

// instead is what can be done at a service that lacks an operation, by the operation's name or its verb.
var instead = map[string]string{
	"create": "create it in the back office and import it if the service shows it, or leave it out of the configuration",
	"get":    "leave it out of the configuration, and look at it in the back office",
	"list":   "name a single one by its `id`, if the service reads it",
	"update": "change it in the back office, and configure the values that it has",
	"cancel": "cancel it in the back office",
	"issue":  "issue it in the back office",
	"check":  "look at it in the back office",

	"update_product": anew,
	"update_webhook": anew,

	"create_certificate":       "upload it in the back office, and leave it out of the configuration",
	"list_certificates":        "manage certificates in the back office, and leave them out of the configuration",
	"rotate_webhook_secret":    "rotate the secret in the back office",
	"update_settings":          "change the settings in the back office, and leave them out of the configuration",
	"update_order_status":      "change the status in the back office, and leave `status` out of the configuration",
	"correct_invoice":          "correct the invoice in the back office",
	"manifest_inbound_invoice": "declare it in the back office",
	"sync_inbound":             "wait for the service's own search",
	"list_cities":              "ask the service's support about the city",
}

// anew also works at a service that does not show the object.
const anew = "delete it in the back office, take it out of the state with `state rm`, and apply to create it anew"

// withoutOperation says what can be done without an operation.
func withoutOperation(name string) string {
	verb, _, _ := strings.Cut(name, "_")
	if does := cmp.Or(instead[name], instead[verb]); does != "" {
		return " Otherwise, " + does + "."
	}
	return ""
}

// serviceCode is a code of the service in the text of a refusal.
var serviceCode = regexp.MustCompile(`(?i)\bSPD\d{3}\b`)

// AboutCode says what to do about a refusal that names a code of the service; "" where the
// value is to be corrected.
func (f Front) AboutCode(err error) string {
	code := strings.ToUpper(serviceCode.FindString(err.Error()))
	switch {
	case code == fiscal.CodeNotSupported:
		return fiscal.ExplainRejection(code, "").ActionFor("").In(f.spoken())
	case code == fiscal.CodeAlreadyAuthorized:
		return "The status of the invoice does not allow it, and repeating it changes nothing."
	case fiscal.IsTransient(code):
		return "Nothing is wrong with the request: the service is still busy with it. " + f.Again + " later."
	}
	return ""
}
