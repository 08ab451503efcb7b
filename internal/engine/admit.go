package engine

import (
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Environments says where invoices may be issued: anywhere without functions.
type Environments struct {
	Allows func(environment string) bool
	Of     func(ctx context.Context, model string) (string, error) // by the company's settings
}

// check makes sure, before anything is sent that issues, that the models are issued in an allowed environment.
func (e Environments) check(ctx context.Context, models []string) error {
	if e.Of == nil {
		return nil
	}
	for _, model := range models {
		environment, err := e.Of(ctx, model)
		switch {
		case ctx.Err() != nil:
			return &Problem{Kind: Interrupted, Model: model, Cause: ctx.Err()}
		case err != nil:
			return &Problem{Kind: EnvironmentUnknown, Model: model, Cause: err}
		case !e.Allows(environment):
			return &Problem{Kind: OtherEnvironment, Model: model, Name: environment}
		}
	}
	return nil
}

// checkAnswer refuses an invoice that shows an environment in which nothing may be issued.
func (e Environments) checkAnswer(v *einvoice.Invoice) error {
	if e.Allows == nil || v == nil || v.EnvironmentType == "" || e.Allows(string(v.EnvironmentType)) {
		return nil
	}
	name := string(v.EnvironmentType)
	return &Problem{Kind: OtherEnvironment, Model: string(v.Model), Name: name, Invoice: v, Sent: true}
}

// Models returns the models of an order's items: all three where an item shows none.
func (o *Ordering) Models() (models []string) {
	if o.Wanted.AutoIssueMode == einvoice.IssueDisabled && !o.Issue {
		return nil // It issues nothing.
	}
	for _, item := range o.Wanted.Items {
		if item.Product == nil || item.Product.InvoiceModel == "" {
			return einvoice.Models
		}
		if model := string(item.Product.InvoiceModel); !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	if models == nil {
		return einvoice.Models
	}
	return models
}

// Admit makes sure, before anything is sent that issues, that the key is not known to be another company's than the
// issuer's. Until somebody knows whose the key is, one sale goes first, so that a wrong key does its harm once. Call
// done when what was issued has shown its company.
func (s *Service) Admit(ctx context.Context) (done func(), err error) {
	free := func() {}
	if s.Issuer == "" {
		return free, nil
	}
	holder, err := s.Client.AskHolder(ctx, s.Account, s.isIssuer)
	if err != nil {
		return free, err
	}
	if holder == "" {
		if done, err = s.Client.TakeTurn(ctx); err != nil {
			return free, err
		}
		if s.Client.Holder() == "" {
			return done, nil
		}
		done()
	}
	return free, s.checkIssuer(s.Client.Holder())
}

// checkIssuer refuses what another company than the issuer has issued or is to issue; "" is an unknown company.
func (s *Service) checkIssuer(holder einvoice.Text) error {
	if s.Issuer == "" || holder == "" || s.isIssuer(holder) {
		return nil
	}
	return &Problem{Kind: OtherCompany, Issuer: s.Issuer, Holder: string(holder)}
}

func (s *Service) isIssuer(number einvoice.Text) bool {
	return fiscal.NormalizeTaxNumber(string(number)) == fiscal.NormalizeTaxNumber(s.Issuer)
}
