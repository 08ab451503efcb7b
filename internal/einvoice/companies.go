package einvoice

import (
	"context"
	"encoding/json"
	"iter"
)

// EconomicActivity is one activity (CNAE) of a company.
type EconomicActivity struct {
	Code Text `json:"code,omitempty"`
	Type Enum `json:"type,omitempty"` // main or secondary
}

// Company is an issuer of invoices. Only the main company's key may manage companies (specification: Authentication).
type Company struct {
	ID                 Text               `json:"id,omitempty"`
	Name               Text               `json:"name,omitempty"`
	LegalName          Text               `json:"legalName,omitempty"`
	FederalTaxNumber   TaxNumber          `json:"federalTaxNumber,omitempty"`
	StateTaxNumber     Text               `json:"stateTaxNumber,omitempty"`
	CityTaxNumber      Text               `json:"cityTaxNumber,omitempty"`
	Email              Text               `json:"email,omitempty"`
	Phone              Text               `json:"phone,omitempty"`
	MobilePhone        Text               `json:"mobilePhone,omitempty"`
	TaxRegime          Enum               `json:"taxRegime,omitempty"`
	EconomicActivities []EconomicActivity `json:"economicActivities,omitempty"`
	Address            *Address           `json:"address,omitempty"`

	// APIKey is apiCredentials.apiKey: in clear in the answer to a creation, masked
	// in every later one. It is never sent.
	APIKey string `json:"-"`

	// Raw is the object as the service sent it, apiCredentials included.
	Raw json.RawMessage `json:"-"`
}

func (v *Company) keep(a *answer) {
	v.Raw = a.object
	v.APIKey = textOf(membersOf(membersOf(a.object)["apiCredentials"])["apiKey"])
}

// Companies walks all companies of the account.
func (c *Client) Companies(ctx context.Context) iter.Seq2[*Company, error] {
	return decodeEach[Company](c.listed(ctx, KindCompany, nil))
}

// Company reads one company by its id, falling back to the list as Customer does.
func (c *Client) Company(ctx context.Context, id string) (*Company, error) {
	return decode[Company](c.find(ctx, KindCompany, id, nil))
}

// CreateCompany creates a company. The answer is the only one that ever shows its API key.
func (c *Client) CreateCompany(ctx context.Context, in Company, extra json.RawMessage) (*Company, error) {
	a, err := c.create(ctx, KindCompany, in, extra, nil)
	if err != nil {
		return nil, err
	}
	company, err := decode[Company](a, nil)
	if err != nil { // Another field has a form that is not known here. The key must not be lost with it.
		members := membersOf(a.object)
		company = &Company{ID: Text(textOf(members["id"]))}
		_ = company.FederalTaxNumber.UnmarshalJSON(members["federalTaxNumber"]) // One that cannot be read is none.
		company.keep(a)
	}
	c.secrets.add(company.APIKey)
	return company, nil
}

// UpdateCompany changes a company and clears what only prior had, as UpdateCustomer does.
func (c *Client) UpdateCompany(
	ctx context.Context, id string, next, prior Company, extra json.RawMessage,
) (*Company, error) {
	return decode[Company](c.update(ctx, KindCompany, id, next, prior, extra))
}
