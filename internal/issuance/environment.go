package issuance

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// environmentProblem is about the environments in which the provider block allows to issue.
func environmentProblem(ctx context.Context, label text.Text, p *engine.Problem) diag.Diagnostics {
	switch {
	case p.Kind == engine.EnvironmentUnknown:
		var missing, advice text.Text
		if failure, ok := errors.AsType[*einvoice.Error](p.Cause); ok && failure.Missing == "list_companies" {
			missing = message.MissingOperation(failure.Missing)
		} else if ok && failure.Missing != "" {
			advice = message.Advice(p.Cause)
		}
		return say.Error(ctx, "issuance.environment_unknown", text.With{
			"label": label, "issuer": p.Issuer, "model": p.Model, "cause": message.Cause(p.Cause),
			"missing": missing, "advice": advice,
		})
	case p.Invoice == nil:
		return say.Error(ctx, "issuance.environment_refused", text.With{
			"label": label, "issuer": p.Issuer, "model": p.Model, "environment": p.Name,
			"changes": errors.Is(p.Cause, session.ErrSettingsChange),
		})
	}
	return say.Error(ctx, "issuance.issued_elsewhere", text.With{
		"label": label, "environment": p.Name, "id": string(p.Invoice.ID), "status": string(p.Invoice.Status),
	})
}

// PlanEnvironment is the environment in which an invoice of a model will be issued, "" while a plan cannot know it. If
// the provider block allows only one, it is that one or the apply fails: so an apply, which plans again, never unlearns
// it. It refuses another, once for all invoices of the company and model: the first error ends the plan.
func PlanEnvironment(
	ctx context.Context, s *session.Session, model string, label text.Text,
) (string, diag.Diagnostics) {
	if s.Deferred() || s.Client == nil || !s.Environments.Restricted() {
		return "", nil
	}
	environment, err := s.NotePlannedEnvironment(ctx, model)
	problem := &engine.Problem{
		Kind: engine.OtherEnvironment, Model: model, Issuer: s.Issuer, Name: environment, Cause: err,
	}
	only := ""
	if len(s.Environments.Allowed) == 1 {
		only = s.Environments.Allowed[0]
	}
	refuse := func() diag.Diagnostics {
		if isFirst := s.Planned.NoteFirst("refusal", s.Issuer+"/"+model); !isFirst && only != "" {
			return nil
		}
		return environmentProblem(ctx, label, problem)
	}
	switch {
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrMissing), errors.Is(err, session.ErrNoAccount):
		problem.Kind = engine.EnvironmentUnknown
		return only, refuse()
	case environment == "":
		return only, nil // The apply reads it again, and sends nothing if it cannot.
	case !s.Environments.Allows(environment):
		return only, refuse()
	case err != nil: // The plan changes it to this one.
		return only, nil
	}
	return environment, nil
}

// IssuedElsewhere reports whether a run has issued, and the service shows an environment that the provider block does
// not allow. A Create must not end in an error then: without state nobody would cancel what is legally valid, and in
// state beside an error it would be tainted, so that the next apply would issue a second one.
func IssuedElsewhere(err error) bool {
	p, ok := errors.AsType[*engine.Problem](err)
	return ok && p.Kind == engine.OtherEnvironment && p.Invoice != nil
}

// NotAllowedThere warns of an invoice in state that was issued in an environment that is not allowed.
func NotAllowedThere(ctx context.Context, label text.Text, v *einvoice.Invoice) diag.Diagnostics {
	return say.Warning(ctx, "issuance.not_allowed_there", text.With{
		"label": label, "environment": string(v.EnvironmentType), "id": string(v.ID), "status": string(v.Status),
	})
}
