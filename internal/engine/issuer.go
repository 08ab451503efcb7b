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
	return free, s.Fits()
}

// Fits is Admit by what is known already: nothing is sent for it.
func (s *Service) Fits() error {
	return s.fitsHolder(s.Client.Holder())
}

// fitsHolder refuses what another company than the issuer has issued, or is to issue. ""
// is a company that does not show.
func (s *Service) fitsHolder(holder einvoice.Text) error {
	if s.Issuer == "" || holder == "" || s.isIssuer(holder) {
		return nil
	}
	return &Problem{Kind: OtherCompany, Issuer: s.Issuer, Holder: string(holder)}
}

func (s *Service) isIssuer(number einvoice.Text) bool {
	return fiscal.NormalizeTaxNumber(string(number)) == fiscal.NormalizeTaxNumber(s.Issuer)
}
