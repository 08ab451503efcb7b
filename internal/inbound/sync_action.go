package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuing"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*inboundSyncAction)(nil)
	_ action.ActionWithModifyPlan = (*inboundSyncAction)(nil)
)

func NewSyncAction() action.Action { return &inboundSyncAction{} }

// inboundSyncAction asks for a search for invoices issued against the company.
// Asking twice does no harm: the service refuses inside its minimum interval.
type inboundSyncAction struct {
	session.ActionBase
}

type inboundSyncActionModel struct {
	Wait    types.Bool   `tfsdk:"wait"`
	Timeout types.String `tfsdk:"timeout"`
}

const defaultSyncTimeout = 10 * time.Minute

func (a *inboundSyncAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_sync"
}

func (a *inboundSyncAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Asks the service to search now for NF-e issued against the company whose key the provider has. The service searches by itself about every hour; " +
			"between two searches a minimum interval applies, and the action waits for its end where that fits into `timeout`, else it fails and names the time. " +
			"It is safe to invoke again." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			"wait": schema.BoolAttribute{
				MarkdownDescription: "Whether to wait until the search has run, and to fail when it did not go well. Defaults to `false`: the action ends once the service has accepted it.",
				Optional:            true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "How long the action may take in all, as a duration such as `10m`, which is the default.",
				Optional:            true,
				Validators:          []validator.String{attribute.PositiveDurationValidator{}},
			},
		},
	}
}

func (a *inboundSyncAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config inboundSyncActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(a.Usable()...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout := defaultSyncTimeout
	if !config.Timeout.IsNull() {
		timeout, _ = time.ParseDuration(config.Timeout.ValueString()) // Checked by the validator.
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := &syncing{client: a.Client, now: time.Now, sleep: session.Pause, report: session.Reporter(ctx, resp), timeout: timeout}
	resp.Diagnostics.Append(session.InActionWords(s.perform(ctx, config.Wait.ValueBool()))...)
}

// syncing is one search for inbound invoices on its way.
type syncing struct {
	client  *einvoice.Client
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	report  func(string)
	timeout time.Duration
}

func (s *syncing) perform(ctx context.Context, wait bool) diag.Diagnostics {
	tell := session.Telling(s.report)
	before, err := s.client.InboundSyncStatus(ctx)
	if err != nil {
		return message.ApiError(ctx, "read inbound sync status", err, nil)
	}
	tell("Asking for a search for inbound invoices; the last one was %s.", syncLabel(before))
	diags, lost := s.ask(ctx)
	if diags.HasError() {
		return diags
	}
	if lost == nil {
		tell("The service has accepted the search.")
	}
	if wait {
		return append(diags, s.follow(ctx, before)...)
	}
	if lost != nil {
		return message.Error("Answer to the sync of inbound invoices lost", "Whether the search was accepted is not known: "+message.Sentence(lost.Error()),
			"Invoke the action again; a second search does no harm.")
	}
	return diags
}

// ask waits out the minimum interval, if that fits into the time there is. An
// answer that is lost is no failure: whether the search runs shows in its status.
func (s *syncing) ask(ctx context.Context) (diags diag.Diagnostics, lost error) {
	for {
		err := s.client.SyncInbound(ctx)
		var failure *einvoice.Error
		switch {
		case err == nil:
			return nil, nil
		case errors.Is(err, einvoice.ErrAmbiguous):
			session.Telling(s.report)("The answer was lost; a look at the status tells whether the search runs.")
			return nil, err
		case !errors.Is(err, einvoice.ErrRateLimited), !errors.As(err, &failure), failure.RetryAfter <= 0:
			return message.ApiError(ctx, "sync inbound invoices", err, nil), nil
		}
		until := s.now().Add(failure.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && until.After(deadline) {
			return s.tooEarly(failure, until), nil
		}
		session.Telling(s.report)("A search is allowed again at %s; waiting until then.", until.Local().Format(time.RFC3339))
		if err := s.sleep(ctx, failure.RetryAfter); err != nil {
			return s.ended(nil, err), nil
		}
	}
}

// follow waits until the status shows another attempt than before.
func (s *syncing) follow(ctx context.Context, before *einvoice.SyncStatus) diag.Diagnostics {
	for poll := 0; ; poll++ {
		if err := s.sleep(ctx, issuing.PollPauses[min(poll, len(issuing.PollPauses)-1)]); err != nil {
			return s.ended(before, err)
		}
		current, err := s.client.InboundSyncStatus(ctx)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return s.ended(before, ctx.Err())
		case errors.Is(err, einvoice.ErrServer), errors.Is(err, einvoice.ErrAmbiguous), errors.Is(err, einvoice.ErrNotSent):
			session.Telling(s.report)("The status cannot be read; looking again.")
			continue
		default:
			return message.ApiError(ctx, "read inbound sync status", err, nil)
		}
		if current.LastAttemptAt == "" || current.LastAttemptAt == before.LastAttemptAt {
			continue
		}
		session.Telling(s.report)("The search has run: %s.", syncLabel(current))
		if healthy, advice := syncAdvice(string(current.LastAttemptOutcome)); !healthy {
			said := ""
			if current.LastAttemptMessage != "" {
				said = "Message of the authority: " + message.Sentence(string(current.LastAttemptMessage))
			}
			return message.Error("Search for inbound invoices failed: "+string(current.LastAttemptOutcome), said, advice)
		}
		return nil
	}
}

// syncLabel reads "upToDate at 2026-11-21T10:00:00-03:00 (NSU 17)".
func syncLabel(s *einvoice.SyncStatus) string {
	if s.LastAttemptAt == "" {
		return "never"
	}
	label := fmt.Sprintf("%s at %s", s.LastAttemptOutcome, s.LastAttemptAt)
	if s.LastNSU != nil {
		label += fmt.Sprintf(" (NSU %d)", *s.LastNSU)
	}
	return label
}

func (s *syncing) tooEarly(failure *einvoice.Error, until time.Time) diag.Diagnostics {
	return message.Error("Sync of inbound invoices not allowed yet",
		fmt.Sprintf("The service allows the next search at %s, in %s, which is beyond `timeout` (%s). Nothing was started.",
			until.Local().Format(time.RFC3339), failure.RetryAfter.Round(time.Second), s.timeout),
		"Invoke the action again after that time, or raise `timeout`. The service also searches by itself.", message.Reference(failure))
}

// ended is a run whose time is over, or that was interrupted. before is nil while
// nothing was accepted.
func (s *syncing) ended(before *einvoice.SyncStatus, err error) diag.Diagnostics {
	happened := "The service had not accepted the search yet."
	if before != nil {
		happened = "The service was asked for the search, and its status does not show it yet."
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return message.Error("Search for inbound invoices not finished", happened+fmt.Sprintf(" `timeout` (%s) is over.", s.timeout),
			"Look at the data source einvoice_inbound_sync_status later, or invoke the action again with a longer `timeout`.")
	}
	return message.Error("Search for inbound invoices interrupted", happened, "It is safe to invoke the action again.")
}
