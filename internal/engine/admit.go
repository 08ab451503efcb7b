package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Environments says where invoices may be issued: anywhere without functions.
type Environments struct {
	Allows func(environment string) bool
	Of     func(ctx context.Context, model string) (string, error) // by the company's settings
	Hold   func(ctx context.Context) (release func(), err error)   // keeps this run from writing settings
}

// check makes sure, before anything is sent that issues, that the models are issued in an allowed environment.
func (e Environments) check(ctx context.Context, issuer string, models []string) error {
	if e.Of == nil {
		return nil
	}
	for _, model := range models {
		environment, err := e.Of(ctx, model)
		switch {
		case ctx.Err() != nil:
			return &Problem{Kind: Interrupted, Model: model, Cause: ctx.Err()}
		case err != nil:
			return &Problem{Kind: EnvironmentUnknown, Model: model, Issuer: issuer, Cause: err}
		case !e.Allows(environment):
			return &Problem{Kind: OtherEnvironment, Model: model, Issuer: issuer, Name: environment}
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

// RefuseOtherKey returns the problem of a key that the masked keys of the account prove to be another company's than
// the issuer's. It asks for them once a run.
func (s *Service) RefuseOtherKey(ctx context.Context) error {
	if s.Issuer == "" {
		return nil
	}
	owner, err := s.Client.AskKeyOwner(ctx, s.Account, s.isIssuer)
	return cmp.Or(err, s.checkIssuer(owner))
}

// goFirst lets one document go first where nothing has shown yet whose the key is, so that a wrong key does its harm
// once. Call done with whether its answer was compared.
func (s *Service) goFirst(ctx context.Context) (done func(isCompared bool), err error) {
	if s.Issuer != "" {
		done, err = s.Client.GoFirst(ctx)
	}
	if err == nil && done == nil { // Another one was first, and may have shown it.
		done, err = func(bool) {}, s.checkIssuer(s.Client.KeyOwner())
	}
	return done, err
}

// learnKeyOwner learns whose the key is from an invoice that was issued with it, and reads it once where the answer
// does not show its company.
func (s *Service) learnKeyOwner(ctx context.Context, model string, v *einvoice.Invoice) {
	if s.Issuer == "" || s.Client.KeyOwner() != "" {
		return
	}
	if v.Company == nil {
		read, err := s.Client.Invoice(ctx, model, string(v.ID))
		if err != nil {
			return // Follow says it, where that does not pass.
		}
		v.Company = read.Company
	}
	if v.Company != nil {
		s.Client.LearnKeyOwner(einvoice.Text(v.Company.FederalTaxNumber))
	}
}

// checkIssuer refuses what another company than the issuer has issued or is to issue; "" is an unknown company.
func (s *Service) checkIssuer(owner einvoice.Text) error {
	if s.Issuer == "" || owner == "" || s.isIssuer(owner) {
		return nil
	}
	return &Problem{Kind: OtherCompany, Issuer: s.Issuer, Owner: string(owner)}
}

func (s *Service) isIssuer(number einvoice.Text) bool {
	return fiscal.NormalizeTaxNumber(string(number)) == fiscal.NormalizeTaxNumber(s.Issuer)
}
