package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// update brings an invoice that is in state to what the configuration wants.
// It is addressed by id; a list could lag.
func (i *issuing) update(ctx context.Context, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	i.inState = true
	entry, err := journal.Open(ctx, i.journalDir, "invoice", i.client.Fingerprint(), i.model, i.integrationID)
	if err != nil {
		return nil, i.interrupted(nil, err)
	}
	v, diags := i.correct(ctx, entry, id, payloadChanged)
	diags.Append(releaseJournal(entry)...)
	if diags.HasError() {
		return v, diags
	}
	v, more := i.wait(ctx, v)
	diags.Append(more...)
	return v, diags
}

func (i *issuing) correct(ctx context.Context, entry *journal.Entry, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	current, err := i.client.Invoice(ctx, i.model, id)
	if err != nil {
		return nil, i.failed("read invoice", err)
	}
	correctable := string(current.Status) == statusCreated || i.decide(current) == decideReconcile
	switch {
	case payloadChanged && correctable:
		return i.post(ctx, entry, current)
	case payloadChanged:
		return current, i.issuedMeanwhile(current)
	case i.decide(current) == decideIssue:
		return i.issueDraft(ctx, current)
	}
	return current, nil
}

func (i *issuing) issuedMeanwhile(v *einvoice.Invoice) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+i.label(v),
		fmt.Sprintf("Its status at the service has become %q since the plan, so its content cannot be changed any more. Nothing was sent. Run plan again.", v.Status))}
}

// cancel cancels an authorized invoice and waits until it is canceled. What can
// no longer be canceled or never was issued is only forgotten, and so is what is
// missing since the refresh. One that only this read does not find may well be
// there, and valid.
func (i *issuing) cancel(ctx context.Context, id, reason string, missing bool) diag.Diagnostics {
	current, err := i.client.Invoice(ctx, i.model, id)
	if missing && errors.Is(err, einvoice.ErrNotFound) {
		return nil
	}
	if err != nil {
		return i.failed("cancel invoice", err)
	}
	switch string(current.Status) {
	case statusCanceled, statusRemoved, statusDisabled, statusDenied, statusRejected, statusCreated:
		return nil
	case statusAuthorized:
	case statusInContingent:
		return oneError("Cannot cancel "+i.label(current)+" in contingency", fmt.Sprintf("The service holds it with status %q (id %s). An invoice in contingency cannot be canceled until its definitive authorization.", current.Status, id),
			"Run destroy again after it is authorized. To forget it without canceling, remove `cancellation_reason`, apply, and destroy then.")
	default:
		return oneError("Cannot cancel "+i.label(current)+" yet", fmt.Sprintf("Its status at the service is %q (id %s); only an authorized invoice can be canceled.", current.Status, id),
			"Run destroy again when it is settled. To forget it without canceling, remove `cancellation_reason`, apply, and destroy then.")
	}
	before := current
	answer, err := i.client.CancelInvoice(ctx, i.model, id, reason)
	switch {
	case err != nil && (errors.Is(err, einvoice.ErrAmbiguous) || mentions(err, fiscal.CodeCancellationInProgress)):
		i.unanswered = err
	case err != nil:
		return i.failed("cancel invoice", err)
	case answer != nil && string(answer.ID) == id:
		current = answer
	}
	return i.followCancellation(ctx, before, current, id)
}

func mentions(err error, code string) bool {
	return strings.Contains(strings.ToUpper(err.Error()), code)
}

// followCancellation waits until the asynchronous cancellation is through, or
// the authority has refused it: the invoice is then still authorized, with a
// new word in its processing detail that is not transient.
func (i *issuing) followCancellation(ctx context.Context, before, current *einvoice.Invoice, id string) diag.Diagnostics {
	refusals := 0
	var failure error
	var missing time.Time // since when reads answer "not found"
	for poll := 0; string(current.Status) != statusCanceled; poll++ {
		if refusedCancellation(before, current) {
			if refusals++; refusals > 1 {
				return oneError("Cancellation refused: "+i.label(current), codeAndMessage(current.ProcessingDetail),
					"The invoice stays authorized and in state. Legal windows are short, commonly 24 hours for an NF-e, 30 minutes for an NFC-e, by city for an NFS-e. "+
						"To forget it without canceling, remove `cancellation_reason`, apply, and destroy then.")
			}
		}
		if err := i.sleep(ctx, pollPauses[min(poll, len(pollPauses)-1)]); err != nil {
			return i.cancellationTimedOut(current, err, failure)
		}
		v, err := i.client.Invoice(ctx, i.model, id)
		switch {
		case err == nil && string(v.ID) == id:
			current, failure, missing = v, nil, time.Time{}
		case ctx.Err() != nil: // Nothing that the service did.
		case errors.Is(err, einvoice.ErrNotFound):
			if missing.IsZero() {
				missing = i.now()
			}
			if i.now().Sub(missing) >= i.patience {
				return i.failed("follow the cancellation of invoice", err)
			}
			failure = err
		case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrUnauthorized):
			return i.failed("follow the cancellation of invoice", err)
		default:
			failure = err
		}
	}
	return nil
}

func refusedCancellation(before, current *einvoice.Invoice) bool {
	detail := current.ProcessingDetail
	if string(current.Status) != statusAuthorized || detail == nil || detail.Code == "" || string(detail.Status) == "processing" {
		return false
	}
	code := rejectionCode(current)
	if fiscal.IsTransient(code) {
		return false
	}
	prior := before.ProcessingDetail
	return prior == nil || code != rejectionCode(before) || detail.On != prior.On || detail.Message != prior.Message
}

func (i *issuing) cancellationTimedOut(v *einvoice.Invoice, err, failure error) diag.Diagnostics {
	happened := fmt.Sprintf("The cancellation was sent, and the status at the service is still %q (id %s).", v.Status, v.ID)
	if i.unanswered != nil {
		happened += " The answer to the cancellation was lost: " + sentence(i.unanswered.Error())
	}
	if p := v.ProcessingDetail; p != nil {
		happened += " Last word of the processing: " + processingWord(p) + "."
	}
	if failure != nil {
		happened += " The last look at it failed: " + sentence(failure.Error())
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		happened += " The run was interrupted."
	}
	return oneError("Cancellation still in progress: "+i.label(v), happened,
		"Run destroy again: it looks first, and goes on from there.")
}
