package inbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type syncActionModel struct {
	Wait    types.Bool        `tfsdk:"wait"`
	Timeout types.String      `tfsdk:"timeout"`
	Company attribute.Spelled `tfsdk:"company"`
}

// NewSyncAction is the action einvoice_inbound_sync. Asking twice does no harm: the
// service refuses inside its minimum interval.
func NewSyncAction() action.Action {
	return &session.Action[syncActionModel]{
		Company: companyArgument, Name: "inbound_sync", Perform: searchNow,
		Description: "Asks the service to search now for NF-e that were issued to the company. The service " +
			"searches by itself about every hour, and requires a pause between two searches. If the pause ends " +
			"within `timeout`, the action waits for it. Otherwise the action fails and names the time. It is safe " +
			"to invoke again.",
		Attributes: map[string]schema.Attribute{
			"wait": schema.BoolAttribute{
				MarkdownDescription: "Whether to wait for the search, and to fail if it fails. Defaults to `false`: " +
					"the action ends once the service has accepted the request.",
				Optional: true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "How long the action may take in all, as a duration. Defaults to `10m`.",
				Optional:            true,
				Validators:          []validator.String{attribute.PositiveDurationValidator},
			},
		},
	}
}

func searchNow(ctx context.Context, run *session.Invocation, config *syncActionModel) diag.Diagnostics {
	timeout := 10 * time.Minute
	if !config.Timeout.IsNull() {
		timeout, _ = time.ParseDuration(config.Timeout.ValueString()) // Checked by the validator.
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := &search{client: run.Client, report: run.Report, timeout: timeout}
	if failed := s.perform(ctx, config.Wait.ValueBool()); failed != nil {
		return failed.diagnostics(ctx, message.Invoking, nil)
	}
	return nil
}

// searchPauses fit a search that usually ends within seconds.
var searchPauses = []time.Duration{
	3 * time.Second, 7500 * time.Millisecond, 5 * time.Second, 8 * time.Second, 10 * time.Second,
}

// search is one search for inbound invoices that was asked for.
type search struct {
	client  *einvoice.Client
	report  func(format string, args ...any)
	timeout time.Duration
}

func (s *search) perform(ctx context.Context, wait bool) *problem {
	before, err := s.client.InboundSyncStatus(ctx)
	if err != nil {
		return &problem{kind: requestFailed, task: readSyncStatus, cause: err}
	}
	s.report("Asking for a search for inbound invoices; the last one was %s.", syncLabel(before))
	failed := s.ask(ctx)
	switch {
	case failed == nil:
		s.report("The service has accepted the search.")
	case failed.kind == syncLost:
		s.report("The response was lost; a look at the status tells whether the search runs.")
	default:
		return failed
	}
	if wait {
		return s.follow(ctx, before)
	}
	return failed
}

// ask asks for the search, and waits for the end of the minimum interval where that fits
// into the time there is.
func (s *search) ask(ctx context.Context) *problem {
	for {
		err := s.client.SyncInbound(ctx)
		failure, isAnswer := errors.AsType[*einvoice.Error](err)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, einvoice.ErrAmbiguous):
			return &problem{kind: syncLost, cause: err}
		case !errors.Is(err, einvoice.ErrRateLimited), !isAnswer, failure.RetryAfter <= 0:
			return &problem{kind: requestFailed, task: "sync inbound invoices", cause: err}
		}
		until := time.Now().Add(failure.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && until.After(deadline) {
			return &problem{kind: syncTooEarly, cause: err, until: until, timeout: s.timeout}
		}
		s.report("A search is allowed again at %s; waiting until then.", until.Format(time.RFC3339))
		if err := poll.RealTime.Pause(ctx, failure.RetryAfter); err != nil {
			return &problem{kind: syncNotAccepted, cause: err, timeout: s.timeout}
		}
	}
}

// follow waits until the status shows another attempt than before.
func (s *search) follow(ctx context.Context, before *einvoice.SyncStatus) *problem {
	err := poll.RealTime.Until(ctx, searchPauses, func() (bool, error) {
		current, err := s.client.InboundSyncStatus(ctx)
		switch {
		case err == nil && (current.LastAttemptAt == "" || current.LastAttemptAt == before.LastAttemptAt):
			return false, nil
		case err == nil:
			return true, s.outcome(current)
		case ctx.Err() != nil:
			return true, ctx.Err()
		case !errors.Is(err, einvoice.ErrServer) && !errors.Is(err, einvoice.ErrAmbiguous) &&
			!errors.Is(err, einvoice.ErrNotSent):
			return true, &problem{kind: requestFailed, task: readSyncStatus, cause: err}
		}
		s.report("The status cannot be read; looking again.")
		return false, nil
	})
	failed, isKnown := errors.AsType[*problem](err)
	if err != nil && !isKnown {
		failed = &problem{kind: syncNotShown, cause: err, timeout: s.timeout}
	}
	return failed
}

// outcome is an error where the search has run and failed.
func (s *search) outcome(status *einvoice.SyncStatus) error {
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

var _ action.ActionWithValidateConfig = (*manifestAction)(nil)

// manifestAction declares what the resource declares, without a state. The invoice is
// looked at first: one that has the declaration already is left alone.
type manifestAction struct {
	session.Action[manifestActionModel]
}

type manifestActionModel struct {
	ID            types.String      `tfsdk:"id"`
	Status        types.String      `tfsdk:"status"`
	Justification types.String      `tfsdk:"justification"`
	Company       attribute.Spelled `tfsdk:"company"`
}

// NewManifestAction is the action einvoice_inbound_manifest.
func NewManifestAction() action.Action {
	return &manifestAction{session.Action[manifestActionModel]{
		Company: companyArgument, Name: "inbound_manifest", Perform: manifest,
		Description: manifestationDescription + "It is safe to invoke again: the action does not repeat a " +
			"declaration that the invoice already has. After `acknowledged` or `confirmed` the service releases " +
			"the complete XML, if it had only the summary. Needs the key of the receiver.",
		Attributes: map[string]schema.Attribute{
			"id": session.ActionID("Identifier of the inbound invoice at the service"),
			"status": schema.StringAttribute{
				MarkdownDescription: statusDescription,
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: manifestStatuses}},
			},
			"justification": schema.StringAttribute{
				MarkdownDescription: justificationDescription,
				Optional:            true,
				Validators:          []validator.String{justificationLength},
			},
		},
	}}
}

// ValidateConfig warns only: that a justification is needed is assumed.
func (a *manifestAction) ValidateConfig(
	ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse,
) {
	var config manifestActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if short := justificationTooShort(config.Status, config.Justification); short != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root("justification"), "Justification too short", short)
	}
}

func manifest(ctx context.Context, run *session.Invocation, config *manifestActionModel) (diags diag.Diagnostics) {
	d := newDeclaration(run.Session, config.ID, config.Status, config.Justification)
	d.report = run.Report
	if failed := d.perform(ctx); failed != nil {
		return failed.diagnostics(ctx, message.Invoking, run.Schema)
	}
	if d.lost != nil {
		diags.AddWarning("Response to a declaration lost: "+d.label, fmt.Sprintf(
			"The response was lost (%s). The invoice is %s now, so it has been declared; nothing was sent a second "+
				"time.", message.Clause(d.lost), d.status))
	}
	return diags
}
