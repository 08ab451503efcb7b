package engine

import (
	"context"
	"slices"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Environments says where invoices may be issued: anywhere without functions.
type Environments struct {
	Allows func(environment string) bool
	Of     func(ctx context.Context, model string) (string, error) // by the company's settings
	Hold   func() (release func())                                 // keeps this process from writing settings
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

// Admit makes sure, before anything is sent that issues, that the key is not known to be another company's than the
// issuer's. Until somebody knows whose the key is, one sale goes first, so that a wrong key does its harm once. Call
// done when what was issued has shown its company.
func (s *Service) Admit(ctx context.Context) (done func(), err error) {
	free := func() {}
	if s.Issuer == "" {
		return free, nil
	}
	s.recallKeyHolder(ctx)
	holder, err := s.Client.AskHolder(ctx, s.Account, s.isIssuer)
	if holder == "" && err == nil {
		done, err = s.Client.TakeTurn(ctx)
	}
	switch {
	case err != nil:
		return free, err
	case done != nil:
		return done, nil
	}
	return free, s.checkIssuer(s.Client.Holder())
}

// keyHolderRecord names the record of whose the API key is. What a run has learned, maybe by an invoice for the wrong
// company, keeps every later run from another one. A settled record without a result says that nothing shows it.
func (s *Service) keyHolderRecord() journal.Key {
	key := journal.KeyOf("key-holder", s.Client.Fingerprint())
	key.OfObject = true
	return key
}

func (s *Service) recallKeyHolder(ctx context.Context) {
	if s.Client.IsHolderSettled() {
		return
	}
	t, err := s.Once().Load(ctx, s.keyHolderRecord())
	switch {
	case err != nil || t.Known.Phase == journal.Idle: // What cannot be read now is found out again.
	case t.Known.Result == "":
		s.Client.FoundNoHolder()
	default:
		s.Client.Learn(einvoice.Text(t.Known.Result))
	}
}

// recordKeyHolder records whose the key is. Where that fails, the next run finds it out again.
func (s *Service) recordKeyHolder(ctx context.Context) {
	t, err := s.Once().Load(context.WithoutCancel(ctx), s.keyHolderRecord())
	if holder := string(s.Client.Holder()); err == nil && (t.Known.Phase == journal.Idle || t.Known.Result != holder) {
		t.Keep(ctx, t.Known.In(journal.Settled, holder))
	}
}

// learnKeyHolder learns whose the key is from an invoice that was issued with it.
func (s *Service) learnKeyHolder(ctx context.Context, v *einvoice.Invoice) {
	if s.Client.Holder() != "" {
		return
	}
	if s.Client.Issued(v); s.Client.Holder() != "" && s.Issuer != "" {
		s.recordKeyHolder(ctx)
	}
}

// lookForKeyHolder looks at what was issued until it shows its company: other sales wait until somebody knows whose key
// it is. The last look begins after the patience, however long the process was stopped meanwhile.
func (s *Service) lookForKeyHolder(ctx context.Context, look func()) {
	if s.Issuer == "" || s.Client.IsHolderSettled() {
		return
	}
	until := s.Clock.Now().Add(s.Patience)
	err := s.Clock.Until(ctx, append([]time.Duration{0}, pollPauses...), func() (bool, error) {
		isOver := !s.Clock.Now().Before(until)
		look()
		return s.Client.Holder() != "" || isOver, nil
	})
	if err == nil && s.Client.Holder() == "" { // An interrupt ends the other sales too.
		s.Client.FoundNoHolder()
		s.recordKeyHolder(ctx)
	}
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
