package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// problem is why an action has not done what was wanted. It says nothing in
// prose: the action words it.
type problem struct {
	kind          problemKind
	id            string               // of invoiceUnread and manifestUnrecorded: the invoice
	label, status string               // of a declaration: the invoice, and what was declared
	cause         error                // of the last request, or why the time is over
	until         time.Time            // of syncTooEarly: when the next search is allowed
	wait          time.Duration        // of syncTooEarly: how long that is from now
	timeout       time.Duration        // of a search: the argument
	sync          *einvoice.SyncStatus // of searchFailed
}

type problemKind string

const (
	invoiceUnread      problemKind = "invoice unread"           // the invoice could not be read
	otherRecipient     problemKind = "other recipient"          // the key is another company's, or nobody can tell
	manifestTooLate    problemKind = "declaration too late"     // the invoice has one that says more
	manifestRefused    problemKind = "declaration refused"      // nothing was declared
	manifestUnrecorded problemKind = "declaration not recorded" // in the journal, so that nothing was sent
	manifestLost       problemKind = "declaration lost"         // no answer came, and the invoice does not show the declaration
	syncUnread         problemKind = "status unread"            // the status of the search could not be read
	syncRefused        problemKind = "search refused"           // there is no search
	syncLost           problemKind = "search lost"              // no answer came; there may be a search
	syncTooEarly       problemKind = "search too early"         // the interval between two searches lasts longer than the time there is
	syncNotAccepted    problemKind = "search not accepted"      // the time was over before the service took the search
	syncNotShown       problemKind = "search not shown"         // the time was over before the status showed the search
	searchFailed       problemKind = "search has no success"    // the search has run and failed
)

func (p *problem) Error() string { return fmt.Sprintf("%s: %v", p.kind, p.cause) }

func (p *problem) diagnostics(ctx context.Context, front message.Front, schema message.PathSchema) diag.Diagnostics {
	switch p.kind {
	case invoiceUnread:
		return front.ReadError(ctx, "inbound NF-e", front.Either("invoice_id", "id"), p.id, p.cause)
	case otherRecipient:
		if other := (*engine.Problem)(nil); errors.As(p.cause, &other) {
			return message.OtherCompanysKey(companyArgument, p.label, other.Issuer, other.Holder)
		}
		return front.APIError(ctx, "find out whose key it is for "+p.label, p.cause, nil)
	case manifestTooLate:
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("status"), "Declared already: "+p.label, message.Paragraphs(
			fmt.Sprintf("It was declared as %s. The tax authority does not take `acknowledged` after that (rejection 655), and nothing was sent.", p.status),
			fmt.Sprintf("Set `status` to %q.", p.status)))}
	case manifestRefused:
		return front.APIError(ctx, "declare "+p.label+" as "+p.status, p.cause, schema)
	case manifestUnrecorded:
		return message.Unrecorded("declaration about NF-e "+p.id, p.cause, front.Again)
	case manifestLost:
		return message.Error("Answer to a declaration lost: "+p.label,
			fmt.Sprintf("The answer was lost (%s), and the invoice does not show the declaration. Nothing was sent a second time.", message.Clause(p.cause)),
			front.Again+": it looks first, and declares only what is not declared yet.")
	case syncUnread:
		return front.APIError(ctx, "read inbound sync status", p.cause, nil)
	case syncRefused:
		return front.APIError(ctx, "sync inbound invoices", p.cause, nil)
	case syncLost:
		return message.Error("Answer to the sync of inbound invoices lost", "Whether the search was accepted is not known: "+message.Reason(p.cause),
			"Invoke the action again; a second search does no harm.")
	case syncTooEarly:
		reference := ""
		if failure := (*einvoice.Error)(nil); errors.As(p.cause, &failure) {
			reference = message.Reference(failure)
		}
		return message.Error("Sync of inbound invoices not allowed yet",
			fmt.Sprintf("The service allows the next search at %s, in %s, which is beyond `timeout` (%s). Nothing was started.", p.until.Format(time.RFC3339), p.wait.Round(time.Second), p.timeout),
			"Invoke the action again after that time, or raise `timeout`. The service also searches by itself.", reference)
	case syncNotAccepted:
		return p.ended("The service had not accepted the search yet.")
	case syncNotShown:
		return p.ended("The service was asked for the search, and its status does not show it yet.")
	default:
		said := ""
		if p.sync.LastAttemptMessage != "" {
			said = "Message of the authority: " + message.Sentence(message.OneLine(string(p.sync.LastAttemptMessage)))
		}
		_, advice := syncAdvice(string(p.sync.LastAttemptOutcome))
		return message.Error("Search for inbound invoices failed: "+string(p.sync.LastAttemptOutcome), said, advice)
	}
}

// ended is a run whose time is over, or that was interrupted.
func (p *problem) ended(happened string) diag.Diagnostics {
	if errors.Is(p.cause, context.DeadlineExceeded) {
		return message.Error("Search for inbound invoices not finished", happened+fmt.Sprintf(" `timeout` (%s) is over.", p.timeout),
			"Look at the data source einvoice_inbound_sync_status later, or invoke the action again with a longer `timeout`.")
	}
	return message.Error("Search for inbound invoices interrupted", happened, "It is safe to invoke the action again.")
}

// warnings says what a person should know of a declaration that was made.
func (m *manifested) warnings() (warnings diag.Diagnostics) {
	if m.lost != nil {
		warnings.AddWarning("Answer to a declaration lost: "+m.label,
			fmt.Sprintf("The answer was lost (%s). The invoice is %s now, so the declaration has been made; nothing was sent a second time.", message.Clause(m.lost), m.status))
	}
	return warnings
}
