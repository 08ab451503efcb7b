package issuance

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// environmentProblem is about the environments in which the provider block allows to issue.
func environmentProblem(label string, p *engine.Problem) diag.Diagnostics {
	company := "the company"
	if p.Issuer != "" {
		company += " " + p.Issuer
	}
	switch {
	case p.Kind == engine.EnvironmentUnknown:
		next := "Settings take the main company's key: put it into `api_key` of the provider, and the keys of other " +
			"companies into `company_keys`."
		failure := (*einvoice.Error)(nil)
		switch {
		case !errors.As(p.Cause, &failure) || failure.Missing == "":
		case failure.Missing == "list_companies":
			next = message.MissingOperation(failure.Missing) + " Otherwise, take `environments` out and guard the " +
				"invoice with a `precondition`: the data source `einvoice_company_settings` reads `environment_type` " +
				"by the id of the company."
		default:
			next = message.Applying.Advice(p.Cause)
		}
		return message.Error("Environment not known: "+label, fmt.Sprintf(
			"`environments` is set, so the provider reads the environment of %s for `%s` first. It cannot: %s Nothing "+
				"was sent.", company, p.Model, message.Reason(p.Cause)), next)
	case p.Invoice == nil:
		return message.Error(fmt.Sprintf("Issuing in %s is not allowed: %s", p.Name, label), fmt.Sprintf(
			"The settings of %s have the environment %q for `%s`. `environments` of the provider does not allow it. "+
				"Nothing was sent.", company, p.Name, p.Model),
			"Change `environment_type` in the company's settings, or add the environment to `environments`. If this "+
				"configuration changes `environment_type`, apply the settings first, with `-target`, or add them to "+
				"`depends_on` of the invoice.")
	}
	return message.Error(fmt.Sprintf("Issued in %s: %s", p.Name, label), issuedThere(p.Invoice),
		"Look at the invoice at the service, and cancel it there if it should not exist. "+findChange)
}

// findChange is the last advice about an invoice that was issued in another environment.
const findChange = "Then find out what changes the company's settings."

// issuedThere says of an invoice that its environment is not allowed, although it was when the invoice was sent.
func issuedThere(v *einvoice.Invoice) string {
	return fmt.Sprintf("The service shows the environment %q for the invoice (id %s, status %q), but the company's "+
		"settings had another one before it was sent. `environments` of the provider does not allow it.",
		v.EnvironmentType, v.ID, v.Status)
}

// PlanEnvironment is the environment in which an invoice of a model will be issued, "" while a plan cannot know it. If
// the provider block allows only one, it is that one or the apply fails: so an apply, which plans again, never unlearns
// it. It refuses another, once for all invoices of the company and model: the first error ends the plan.
func PlanEnvironment(ctx context.Context, s *session.Session, model, label string) (string, diag.Diagnostics) {
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
		return environmentProblem(label, problem)
	}
	switch {
	case errors.Is(err, einvoice.ErrForbidden), errors.Is(err, einvoice.ErrMissing), errors.Is(err, session.ErrNoAccount):
		problem.Kind = engine.EnvironmentUnknown
		return only, refuse()
	case err != nil:
		return only, nil // The apply reads it again, and sends nothing if it cannot.
	case !s.Environments.Allows(environment):
		return only, refuse()
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

// CancelElsewhere says what to do about an invoice that was issued in another environment.
const CancelElsewhere = "It is in state. If it should not exist, cancel it in time: set `cancellation_reason`, " +
	"apply, and then destroy."

// NotAllowedThere warns of an invoice in state that was issued in an environment that is not allowed.
func NotAllowedThere(label string, v *einvoice.Invoice) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Issued in %s: %s", v.EnvironmentType, label),
		message.Paragraphs(issuedThere(v), CancelElsewhere+" "+findChange))
}
