package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// problem is why something was not done. It has no words for a person.
type problem struct {
	kind    problemKind
	task    string               // of requestFailed, such as readSyncStatus
	invoice string               // of a declaration: a label, or of invoiceUnreadable the id
	status  string               // of a declaration: what was declared
	cause   error                // of the last request, or why the time is over
	until   time.Time            // of syncTooEarly: when the next search is allowed
	timeout time.Duration        // of a search: the argument
	sync    *einvoice.SyncStatus // of searchFailed
}

type problemKind string

const (
	requestFailed     problemKind = "request failed"           // refused, or it did not reach the service
	invoiceUnreadable problemKind = "invoice unreadable"       // the invoice could not be read
	otherRecipient    problemKind = "other recipient"          // the key is another company's, or nobody can tell
	tooLate           problemKind = "declaration too late"     // the invoice has one that says more
	unrecorded        problemKind = "declaration not recorded" // in the journal, so that nothing was sent
	declarationLost   problemKind = "declaration lost"         // no response came, and the invoice does not show it
	syncLost          problemKind = "search lost"              // no response came; there may be a search
	syncTooEarly      problemKind = "search too early"         // the minimum interval outlasts the time there is
	syncNotAccepted   problemKind = "search not accepted"      // the time was over before the service took the search
	syncNotShown      problemKind = "search not shown"         // the time was over before the status showed the search
	searchFailed      problemKind = "search has no success"    // the search has run and failed
)

const readSyncStatus = "read inbound sync status"

func (p *problem) Error() string { return fmt.Sprintf("%s: %v", p.kind, p.cause) }

func (p *problem) diagnostics(ctx context.Context, front message.Front, schema message.PathSchema) diag.Diagnostics {
	switch p.kind {
	case requestFailed:
		return front.APIError(ctx, p.task, p.cause, schema)
	case invoiceUnreadable:
		return front.ReadError(ctx, "inbound NF-e", front.Either("invoice_id", "id"), p.invoice, p.cause)
	case otherRecipient:
		if other, ok := errors.AsType[*engine.Problem](p.cause); ok {
			return message.OtherCompanysKey(companyArgument, p.invoice, other.Issuer, other.Owner)
		}
		return front.APIError(ctx, "find out whose key it is for "+p.invoice, p.cause, nil)
	case tooLate:
		return message.ErrorAt("status", "Declared already: "+p.invoice,
			fmt.Sprintf("It was declared as %s. The tax authority does not take `acknowledged` after that (rejection "+
				"655), and nothing was sent.", p.status),
			fmt.Sprintf("Set `status` to %q.", p.status))
	case unrecorded:
		return message.Unrecorded("declaration about "+p.invoice, p.cause, front.Again)
	case declarationLost:
		return message.Error("Response to a declaration lost: "+p.invoice,
			fmt.Sprintf("The response was lost (%s), and the invoice has not shown the declaration. "+
				"Nothing was sent again.", message.Clause(p.cause)),
			front.Again+": it looks first, and declares only what is not declared yet.")
	case syncLost:
		return message.Error("Response to the sync of inbound invoices lost",
			"It is not known whether the search was accepted: "+message.Reason(p.cause),
			"Invoke the action again; a second search does no harm.")
	case syncTooEarly:
		return p.early()
	case syncNotAccepted:
		return p.ended("The service had not accepted the search yet.")
	case syncNotShown:
		return p.ended("The service was asked for the search, and its status does not show it yet.")
	default:
		said := ""
		if p.sync.LastAttemptMessage != "" {
			said = "Message of the authority: " + message.Sentence(message.OneLine(string(p.sync.LastAttemptMessage)))
		}
		outcome := string(p.sync.LastAttemptOutcome)
		_, advice := syncAdvice(outcome)
		return message.Error("Search for inbound invoices failed: "+outcome, said, advice)
	}
}

// early is a search that the service does not allow within the time there is.
func (p *problem) early() diag.Diagnostics {
	wait, reference := time.Duration(0), ""
	if failure, ok := errors.AsType[*einvoice.Error](p.cause); ok {
		wait, reference = failure.RetryAfter, message.Reference(failure)
	}
	return message.Error("Sync of inbound invoices not allowed yet",
		fmt.Sprintf("The service allows the next search at %s, in %s, which is beyond `timeout` (%s). Nothing was "+
			"started.", p.until.Format(time.RFC3339), wait.Round(time.Second), p.timeout),
		"Invoke the action again after that time, or raise `timeout`. The service also searches by itself.", reference)
}

// ended is a run whose time is over, or that was interrupted.
func (p *problem) ended(happened string) diag.Diagnostics {
	if errors.Is(p.cause, context.DeadlineExceeded) {
		return message.Error("Search for inbound invoices not finished",
			happened+fmt.Sprintf(" `timeout` (%s) is over.", p.timeout),
			"Look at the data source einvoice_inbound_sync_status later, or invoke the action with a longer `timeout`.")
	}
	return message.Error("Search for inbound invoices interrupted", happened, "It is safe to invoke the action again.")
}
