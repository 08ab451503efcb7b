package inbound

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
		Description: "Asks the service to search now for NF-e that were issued to the company. Integrations " +
			"report that the service searches by itself about every hour. It requires a pause between two searches. If the " +
			"pause ends within `timeout`, the action waits for it. Otherwise the action fails and names the time. It is safe " +
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
	s := &search{client: run.Client, say: run.Report, timeout: timeout}
	return s.perform(ctx, config.Wait.ValueBool())
}

// searchPauses fit a search that usually ends within seconds.
var searchPauses = []time.Duration{
	3 * time.Second, 7500 * time.Millisecond, 5 * time.Second, 8 * time.Second, 10 * time.Second,
}

// search is one search for inbound invoices that was asked for.
type search struct {
	client  *einvoice.Client
	say     func(text.Text)
	timeout time.Duration
}

func (s *search) perform(ctx context.Context, wait bool) diag.Diagnostics {
	before, err := s.client.InboundSyncStatus(ctx)
	if err != nil {
		return message.APIError(ctx, message.Task("read", "inbound_sync_status"), err, nil)
	}
	s.say(text.Of("inbound.asking", text.With{"last": lastSearch(before)}))
	failed, lost := s.ask(ctx)
	switch {
	case failed.HasError():
		return failed
	case lost == nil:
		s.say(text.Of("inbound.accepted", nil))
	default:
		s.say(text.Of("inbound.answer_lost", nil))
	}
	switch {
	case wait:
		return s.follow(ctx, before)
	case lost != nil:
		return say.Error(ctx, "inbound.search_lost", text.With{"cause": message.Cause(lost)})
	}
	return nil
}

// ask asks for the search, and waits for the end of the minimum interval where that fits into the time there is. lost
// is why there is no answer.
func (s *search) ask(ctx context.Context) (failed diag.Diagnostics, lost error) {
	for {
		err := s.client.SyncInbound(ctx)
		failure, isAnswer := errors.AsType[*einvoice.Error](err)
		switch {
		case err == nil:
			return nil, nil
		case errors.Is(err, einvoice.ErrAmbiguous):
			return nil, err
		case !errors.Is(err, einvoice.ErrRateLimited), !isAnswer, failure.RetryAfter <= 0:
			return message.APIError(ctx, message.Task("sync", "inbound_invoices"), err, nil), nil
		}
		until := time.Now().Add(failure.RetryAfter)
		if deadline, ok := ctx.Deadline(); ok && until.After(deadline) {
			return say.Error(ctx, "inbound.search_early", text.With{
				"until": until.Format(time.RFC3339), "wait": failure.RetryAfter, "timeout": s.timeout,
				"reference": message.Reference(failure),
			}), nil
		}
		s.say(text.Of("inbound.waiting", text.With{"until": until.Format(time.RFC3339)}))
		if err := poll.RealTime.Pause(ctx, failure.RetryAfter); err != nil {
			return s.ended(ctx, err, false), nil
		}
	}
}

// ended is the error of a run whose time is over, or that was interrupted.
func (s *search) ended(ctx context.Context, cause error, isAsked bool) diag.Diagnostics {
	return say.Error(ctx, "inbound.search_ended", text.With{
		"is_over": errors.Is(cause, context.DeadlineExceeded), "is_asked": isAsked, "timeout": s.timeout,
	})
}

// follow waits until the status shows another attempt than before.
func (s *search) follow(ctx context.Context, before *einvoice.SyncStatus) (failed diag.Diagnostics) {
	err := poll.RealTime.Until(ctx, searchPauses, func() (bool, error) {
		current, err := s.client.InboundSyncStatus(ctx)
		switch {
		case err == nil && (current.LastAttemptAt == "" || current.LastAttemptAt == before.LastAttemptAt):
			return false, nil
		case err == nil:
			failed = s.outcome(ctx, current)
			return true, nil
		case ctx.Err() != nil:
			return true, ctx.Err()
		case !errors.Is(err, einvoice.ErrServer) && !errors.Is(err, einvoice.ErrAmbiguous) &&
			!errors.Is(err, einvoice.ErrNotSent):
			failed = message.APIError(ctx, message.Task("read", "inbound_sync_status"), err, nil)
			return true, nil
		}
		s.say(text.Of("inbound.looking", nil))
		return false, nil
	})
	if err != nil {
		return s.ended(ctx, err, true)
	}
	return failed
}

// outcome is an error where the search has run and failed.
func (s *search) outcome(ctx context.Context, status *einvoice.SyncStatus) diag.Diagnostics {
	s.say(text.Of("inbound.search_ran", text.With{"last": lastSearch(status)}))
	outcome := string(status.LastAttemptOutcome)
	if isHealthy(outcome) {
		return nil
	}
	return say.Error(ctx, "inbound.search_failed", text.With{
		"outcome": outcome, "said": message.OneLine(string(status.LastAttemptMessage)),
	})
}

// lastSearch reads "upToDate at 2026-11-21T10:00:00-03:00 (NSU 17)".
func lastSearch(s *einvoice.SyncStatus) text.Text {
	return text.Of("inbound.last_search", text.With{
		"at": string(s.LastAttemptAt), "outcome": string(s.LastAttemptOutcome),
		"nsu": attribute.IntOrNull(s.LastNSU).ValueInt64(),
	})
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
				Validators:          []validator.String{justificationLength, attribute.PrintedText},
			},
		},
	}}
}

// ValidateConfig refuses what the service refuses: see [einvoice.Client.ManifestInbound].
func (a *manifestAction) ValidateConfig(
	ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse,
) {
	var config manifestActionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(refuseShort(ctx, config.Status, config.Justification)...)
}

func manifest(ctx context.Context, run *session.Invocation, config *manifestActionModel) diag.Diagnostics {
	d := newDeclaration(run.Session, config.ID, config.Status, config.Justification)
	d.say, d.schema, d.argument = run.Report, run.Schema, "id"
	return d.perform(ctx)
}
