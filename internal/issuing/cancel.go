package issuing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Cancel cancels an authorized invoice and waits until it is canceled. What can
// no longer be canceled or never was issued is only forgotten, and so is what is
// missing since the refresh. One that only this read does not find may well be
// there, and valid. A cancellation that is in processing already (SPD002) is
// followed and not sent again.
func (i *Issuing) Cancel(ctx context.Context, id, reason string, missing bool) diag.Diagnostics {
	current, err := i.Client.Invoice(ctx, i.Model, id)
	if missing && errors.Is(err, einvoice.ErrNotFound) {
		return nil
	}
	if err != nil {
		return i.notCanceled("cancel invoice", nil, err)
	}
	return i.cancelHeld(ctx, id, reason, current)
}

// cancelHeld cancels an invoice that was just read.
func (i *Issuing) cancelHeld(ctx context.Context, id, reason string, current *einvoice.Invoice) diag.Diagnostics {
	switch string(current.Status) {
	case einvoice.StatusCanceled, einvoice.StatusRemoved, einvoice.StatusDisabled, einvoice.StatusDenied, einvoice.StatusRejected, einvoice.StatusCreated:
		return nil
	case einvoice.StatusAuthorized:
	case einvoice.StatusInContingent:
		return message.Error("Cannot cancel "+i.Label(current)+" in contingency", fmt.Sprintf("The service holds it with status %q (id %s). An invoice in contingency cannot be canceled until its definitive authorization.", current.Status, id),
			"Run destroy again after it is authorized. "+message.ForgetInstead)
	default:
		return message.Error("Cannot cancel "+i.Label(current)+" yet", fmt.Sprintf("Its status at the service is %q (id %s); only an authorized invoice can be canceled.", current.Status, id),
			"Run destroy again when it is settled. "+message.ForgetInstead)
	}
	c := &canceling{Issuing: i, id: id, before: current, current: current, since: i.Now()}
	if RejectionCode(current) == fiscal.CodeCancellationInProgress {
		return c.follow(ctx)
	}
	answer, err := i.Client.CancelInvoice(ctx, i.Model, id, reason)
	switch {
	case err != nil && (errors.Is(err, einvoice.ErrAmbiguous) || Mentions(err, fiscal.CodeCancellationInProgress)):
		i.unanswered = err
		i.tell("The answer does not tell whether the cancellation began; looking what comes of it.")
	case err != nil:
		return i.notCanceled("cancel invoice", current, err)
	case answer != nil && string(answer.ID) == id:
		c.current = answer
	}
	i.tell("Waiting for the authority to cancel %s.", i.Label(current))
	return c.follow(ctx)
}

func Mentions(err error, code string) bool {
	return strings.Contains(strings.ToUpper(err.Error()), code)
}

// canceling follows one cancellation, which is asynchronous.
type canceling struct {
	*Issuing
	id          string
	before      *einvoice.Invoice // as it was before the cancellation
	current     *einvoice.Invoice
	since       time.Time
	checked     time.Time // when check-status was last called
	uncheckable bool      // the model has no check-status
	missing     time.Time // since when reads answer "not found"
	failure     error     // of the last read; named when time runs out
}

// follow waits until the cancellation is through, or the authority has refused
// it: the invoice is then still authorized, with a new word in its processing
// detail that is not transient.
func (c *canceling) follow(ctx context.Context) diag.Diagnostics {
	refusals := 0
	for poll := 0; !c.over(); poll++ {
		if c.refused() {
			// Seen twice: the first read may still show what was there before.
			if refusals++; refusals > 1 {
				return c.cancellationRefused(c.current)
			}
		}
		if err := c.Sleep(ctx, PollPauses[min(poll, len(PollPauses)-1)]); err != nil {
			return c.cancellationTimedOut(c.current, err, c.failure)
		}
		if c.check(ctx) {
			continue
		}
		if diags := c.read(ctx); diags.HasError() {
			return diags
		}
		if c.unanswered != nil && !c.moved() && c.Now().Sub(c.since) >= c.Patience {
			return c.cancellationLost(c.current)
		}
	}
	return nil
}

// over tells that the invoice is not valid any more, in whatever way that ended.
func (c *canceling) over() bool {
	switch string(c.current.Status) {
	case einvoice.StatusCanceled, einvoice.StatusRemoved, einvoice.StatusDenied, einvoice.StatusDisabled:
		return true
	}
	return false
}

// moved tells that there is anything to be seen of the cancellation.
func (c *canceling) moved() bool {
	return c.current.Status != c.before.Status || RejectionCode(c.current) != RejectionCode(c.before) || !c.missing.IsZero()
}

func (c *canceling) refused() bool {
	detail := c.current.ProcessingDetail
	if string(c.current.Status) != einvoice.StatusAuthorized || detail == nil || detail.Code == "" || string(detail.Status) == "processing" {
		return false
	}
	code := RejectionCode(c.current)
	if fiscal.IsTransient(code) {
		return false
	}
	prior := c.before.ProcessingDetail
	return prior == nil || code != RejectionCode(c.before) || !einvoice.SameTime(detail.On, prior.On) || detail.Message != prior.Message
}

// check has the service ask the authority when a cancellation does not move, and
// tells whether that brought a look at the invoice.
func (c *canceling) check(ctx context.Context) bool {
	if c.uncheckable || !c.missing.IsZero() || c.Now().Sub(c.since) < staleAfter || !c.checked.IsZero() && c.Now().Sub(c.checked) < checkInterval {
		return false
	}
	v, err := c.Client.CheckInvoiceStatus(ctx, c.Model, c.id)
	c.checked = c.Now()
	if errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed) {
		c.uncheckable = true
	}
	if err != nil || v == nil || string(v.ID) != c.id {
		return false // The plain read goes on, and reports what does not get better.
	}
	c.current, c.failure, c.missing = v, nil, time.Time{}
	return true
}

func (c *canceling) read(ctx context.Context) diag.Diagnostics {
	const task = "follow the cancellation of invoice"
	v, err := c.Client.Invoice(ctx, c.Model, c.id)
	switch {
	case err == nil && string(v.ID) == c.id:
		c.current, c.failure, c.missing = v, nil, time.Time{}
	case ctx.Err() != nil: // Nothing that the service did.
	case errors.Is(err, einvoice.ErrNotFound):
		if c.missing.IsZero() {
			c.missing = c.Now()
		}
		if c.Now().Sub(c.missing) >= c.Patience {
			return c.notCanceled(task, c.current, err)
		}
		c.failure = err
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
		return c.notCanceled(task, c.current, err)
	default:
		c.failure = err
	}
	return nil
}

// notCanceled is a request about a cancellation that the service refused, or
// that did not reach it.
func (i *Issuing) notCanceled(task string, v *einvoice.Invoice, err error) diag.Diagnostics {
	summary := fmt.Sprintf("Cannot %s: %s", task, i.Label(v))
	var failure *einvoice.Error
	if !errors.As(err, &failure) {
		return message.Error(summary, message.Sentence(err.Error()))
	}
	what := message.Advice(err)
	switch {
	case Mentions(err, fiscal.CodeQueued):
		what = "The invoice stays as it is, and in state. Run destroy again when it is settled. " + message.ForgetInstead
	case errors.Is(err, einvoice.ErrBadRequest):
		what = "The invoice stays as it is, and in state. " + message.ForgetInstead
	case what != "" && !errors.Is(err, einvoice.ErrForbidden):
		what += " The invoice stays in state. Running destroy again is safe: it looks at the invoice first."
	}
	return message.Error(summary, message.RefusalWords(failure), what, message.Reference(failure))
}

// cancellationRefused is the authority's no.
func (i *Issuing) cancellationRefused(v *einvoice.Invoice) diag.Diagnostics {
	return message.Error("Cancellation refused: "+i.Label(v), CodeAndMessage(v.ProcessingDetail),
		"The invoice stays authorized and in state. Legal windows are short, commonly 24 hours for an NF-e, 30 minutes for an NFC-e, by city for an NFS-e. "+message.ForgetInstead)
}

// cancellationLost is a request of which nothing is to be seen after a while.
func (i *Issuing) cancellationLost(v *einvoice.Invoice) diag.Diagnostics {
	return message.Error("Answer to a cancellation lost: "+i.Label(v),
		fmt.Sprintf("No usable answer came (%s), and the status at the service is still %q (id %s).", strings.TrimSuffix(i.unanswered.Error(), "."), v.Status, v.ID),
		"The invoice stays in state. Run destroy again: it looks first, follows a cancellation that is in processing, and sends another one only if there is none.")
}

func (i *Issuing) cancellationTimedOut(v *einvoice.Invoice, err, failure error) diag.Diagnostics {
	happened := fmt.Sprintf("The cancellation is under way, and the status at the service is still %q (id %s).", v.Status, v.ID)
	if i.unanswered != nil {
		happened += " The answer to the cancellation was lost: " + message.Sentence(i.unanswered.Error())
	}
	if p := v.ProcessingDetail; p != nil {
		happened += " Last word of the processing: " + processingWord(p) + "."
	}
	if failure != nil {
		happened += " The last look at it failed: " + message.Sentence(failure.Error())
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		happened += " The run was interrupted."
	}
	return message.Error("Cancellation still in progress: "+i.Label(v), happened,
		"Run destroy again: it looks first, and goes on from there.")
}

// CancelOnly cancels an invoice that nobody wants to forget: what a destroy
// takes for settled is refused where the invoice is not canceled.
func (i *Issuing) CancelOnly(ctx context.Context, id, reason string) diag.Diagnostics {
	held, err := i.Client.Invoice(ctx, i.Model, id)
	if err != nil {
		return message.ReadError(ctx, message.DocumentNames[i.Model], "id", id, err)
	}
	i.Known = ByIntegrationID(string(held.IntegrationID))
	if i.Known.Value == "" {
		i.Known.Value = id
	}
	switch string(held.Status) {
	case einvoice.StatusCanceled:
		i.tell("%s is canceled already; nothing was sent.", i.Label(held))
		return nil
	case einvoice.StatusRejected, einvoice.StatusDenied, einvoice.StatusRemoved, einvoice.StatusDisabled, einvoice.StatusCreated:
		return message.Error("Nothing to cancel: "+i.Label(held)+" is "+string(held.Status),
			fmt.Sprintf("Only an authorized invoice can be canceled, and the service holds this one with status %q (id %s). Nothing was sent.", held.Status, id))
	}
	i.tell("Canceling %s, which is %s.", i.Label(held), held.Status)
	diags := i.cancelHeld(ctx, id, reason, held)
	if !diags.HasError() {
		i.tell("%s is canceled.", i.Label(held))
	}
	return diags
}
