package engine

import (
	"context"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// Admit makes sure, before anything is sent that issues, that the key is not known
// to be another company's than the issuer's. done is to be called when what was issued
// has shown its company: until somebody knows whose the key is, one sale goes first, so
// that what goes wrong goes wrong once.
func (s *Service) Admit(ctx context.Context) (done func(), err error) {
	free := func() {}
	if s.Issuer == "" {
		return free, nil
	}
	holder, err := s.Client.AskHolder(ctx, s.Account, s.isIssuer)
	if err != nil {
		return nil, err
	}
	if holder != "" {
		return free, s.refuse(holder)
	}
	if done, err = s.Client.TakeTurn(ctx); err != nil {
		return nil, err
	}
	if holder = s.Client.Holder(); holder == "" {
		return done, nil
	}
	done()
	return free, s.refuse(holder)
}

// Fits is Admit by what is known already: nothing is sent for it.
func (s *Service) Fits() error {
	if holder := s.Client.Holder(); s.Issuer != "" && holder != "" {
		return s.refuse(holder)
	}
	return nil
}

func (s *Service) isIssuer(number einvoice.Text) bool {
	return fiscal.NormalizeTaxNumber(string(number)) == fiscal.NormalizeTaxNumber(s.Issuer)
}

func (s *Service) refuse(holder einvoice.Text) error {
	if s.isIssuer(holder) {
		return nil
	}
	return &Problem{Kind: OtherCompany, Issuer: s.Issuer, Holder: string(holder)}
}

// takeTurn is Admit for one invoice, until the run ends.
func (i *Issuing) takeTurn(ctx context.Context) error {
	i.endTurn() // Of an attempt that came to nothing.
	done, err := i.Admit(ctx)
	switch p, refused := err.(*Problem); { //nolint:errorlint // As Admit returns it.
	case err == nil:
		i.done = done
		return nil
	case refused:
		p.Model = i.Model
		return p
	case ctx.Err() != nil:
		return i.interrupted(nil, err)
	}
	return i.Failed(Identify, nil, err)
}

func (i *Issuing) endTurn() {
	if i.done != nil {
		i.done()
	}
}

// ofIssuer refuses an invoice that another company than the issuer has issued.
func (i *Issuing) ofIssuer(v *einvoice.Invoice) error {
	if i.Issuer == "" || v == nil || v.Company == nil || v.Company.FederalTaxNumber == "" || i.isIssuer(v.Company.FederalTaxNumber) {
		return nil
	}
	p := i.problem(OtherCompany, v, nil)
	p.Issuer, p.Holder = i.Issuer, string(v.Company.FederalTaxNumber)
	return p
}
