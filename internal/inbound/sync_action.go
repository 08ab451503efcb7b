package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ action.ActionWithConfigure  = (*inboundSyncAction)(nil)
	_ action.ActionWithModifyPlan = (*inboundSyncAction)(nil)
)

// NewSyncAction is the action einvoice_inbound_sync.
func NewSyncAction() action.Action {
	return &inboundSyncAction{}
}

// inboundSyncAction asks for a search for invoices issued against the company.
// Asking twice does no harm: the service refuses inside its minimum interval.
type inboundSyncAction struct {
	session.ActionBase
}

type inboundSyncActionModel struct {
	Wait    types.Bool        `tfsdk:"wait"`
	Timeout types.String      `tfsdk:"timeout"`
	Company attribute.Spelled `tfsdk:"company"`
}

const defaultSyncTimeout = 10 * time.Minute

func (a *inboundSyncAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_sync"
}

func (a *inboundSyncAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Asks the service to search now for NF-e issued against the company. " +
			"The service searches by itself about every hour; " +
			"between two searches a minimum interval applies, and the action waits for its end where that fits into `timeout`, else it fails and names the time. " +
			"It is safe to invoke again." + session.ActionCLI,
		Attributes: map[string]schema.Attribute{
			companyArgument: attribute.ActionIssuer(),
			"wait": schema.BoolAttribute{
				MarkdownDescription: "Whether to wait until the search has run, and to fail when it did not go well. Defaults to `false`: the action ends once the service has accepted it.",
				Optional:            true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "How long the action may take in all, as a duration such as `10m`, which is the default.",
				Optional:            true,
				Validators:          []validator.String{attribute.PositiveDurationValidator},
			},
		},
	}
}

func (a *inboundSyncAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config inboundSyncActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	acting, diags := a.Acting(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout := defaultSyncTimeout
	if !config.Timeout.IsNull() {
		timeout, _ = time.ParseDuration(config.Timeout.ValueString()) // Checked by the validator.
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := &syncing{client: acting.Client, clock: poll.RealTime, report: session.Progress(ctx, resp), timeout: timeout}
	if failed := s.perform(ctx, config.Wait.ValueBool()); failed != nil {
		resp.Diagnostics.Append(failed.diagnostics(ctx, message.Invoking, nil)...)
	}
}

// syncPauses fit a search that usually ends within seconds.
var syncPauses = []time.Duration{3 * time.Second, 7500 * time.Millisecond, 5 * time.Second, 8 * time.Second, 10 * time.Second}

// syncing is one search for inbound invoices on its way.
type syncing struct {
	client  *einvoice.Client
	clock   poll.Clock
	report  func(format string, args ...any)
	timeout time.Duration
}

func (s *syncing) perform(ctx context.Context, wait bool) *problem {
	before, err := s.client.InboundSyncStatus(ctx)
	if err != nil {
		return &problem{kind: syncUnread, cause: err}
	}
	s.report("Asking for a search for inbound invoices; the last one was %s.", syncLabel(before))
	failed := s.ask(ctx)
	switch {
	case failed == nil:
		s.report("The service has accepted the search.")
	case failed.kind == syncLost:
		s.report("The answer was lost; a look at the status tells whether the search runs.")
	default:
		return failed
	}
	if wait {
		return s.follow(ctx, before)
	}
	return failed
}

// ask asks for the search, and waits for the end of the minimum interval where
// that fits into the time there is.
func (s *syncing) ask(ctx context.Context) *problem {
	for {
		err := s.client.SyncInbound(ctx)
		var failure *einvoice.Error
		switch {
		case err == nil:
			return nil
		case errors.Is(err, einvoice.ErrAmbiguous):
			return &problem{kind: syncLost, cause: err}
		case !errors.Is(err, einvoice.ErrRateLimited), !errors.As(err, &failure), failure.RetryAfter <= 0:
			return &problem{kind: syncRefused, cause: err}
		}
		until := s.clock.Now().Add(failure.RetryAfter).Local()
		if deadline, ok := ctx.Deadline(); ok && until.After(deadline) {
			return &problem{kind: syncTooEarly, cause: err, until: until, wait: failure.RetryAfter, timeout: s.timeout}
		}
		s.report("A search is allowed again at %s; waiting until then.", until.Format(time.RFC3339))
		if err := s.clock.Pause(ctx, failure.RetryAfter); err != nil {
			return &problem{kind: syncNotAccepted, cause: err, timeout: s.timeout}
		}
	}
}

// follow waits until the status shows another attempt than before.
func (s *syncing) follow(ctx context.Context, before *einvoice.SyncStatus) *problem {
	err := s.clock.Until(ctx, syncPauses, func() (bool, error) {
		current, err := s.client.InboundSyncStatus(ctx)
		switch {
		case err == nil && (current.LastAttemptAt == "" || current.LastAttemptAt == before.LastAttemptAt):
			return false, nil
		case err == nil:
			return true, s.outcome(current)
		case ctx.Err() != nil:
			return true, ctx.Err()
		case !errors.Is(err, einvoice.ErrServer) && !errors.Is(err, einvoice.ErrAmbiguous) && !errors.Is(err, einvoice.ErrNotSent):
			return true, &problem{kind: syncUnread, cause: err}
		}
		s.report("The status cannot be read; looking again.")
		return false, nil
	})
	var failed *problem
	if err != nil && !errors.As(err, &failed) {
		failed = &problem{kind: syncNotShown, cause: err, timeout: s.timeout}
	}
	return failed
}

// outcome is an error where the search has run and failed.
func (s *syncing) outcome(status *einvoice.SyncStatus) error {
	s.report("The search has run: %s.", syncLabel(status))
	if healthy, _ := syncAdvice(string(status.LastAttemptOutcome)); !healthy {
		return &problem{kind: searchFailed, sync: status}
	}
	return nil
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
