package engine

import (
	"context"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

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
