package einvoice

import (
	"context"
	"encoding/json"
	"iter"
)

// Customer is a recipient of invoices. Customers belong to the account and are
// shared by its companies (specification: Customer).
type Customer struct {
	ID               Text      `json:"id,omitempty"`
	Name             Text      `json:"name,omitempty"`             // at most 80
	LegalName        Text      `json:"legalName,omitempty"`        // at most 80
	FederalTaxNumber TaxNumber `json:"federalTaxNumber,omitempty"` // CPF, CNPJ or a foreign document, at most 14
	StateTaxNumber   Text      `json:"stateTaxNumber,omitempty"`   // digits or ISENTO
	CityTaxNumber    Text      `json:"cityTaxNumber,omitempty"`
	Email            Text      `json:"email,omitempty"`
	Phone            Text      `json:"phone,omitempty"`
	MobilePhone      Text      `json:"mobilePhone,omitempty"`
	Address          *Address  `json:"address,omitempty"`

	Raw    json.RawMessage `json:"-"` // the object as the service sent it
	Listed bool            `json:"-"` // only a list shows it, which may lag
}

func (v *Customer) keep(a *answer) { v.Raw, v.Listed = a.object, a.listed }

// Customers walks all customers of the account.
func (c *Client) Customers(ctx context.Context) iter.Seq2[*Customer, error] {
	return decodeEach[Customer](c.objects(ctx, KindCustomer, nil))
}

// Customer reads one customer by its id, or from the list where the service does not
// read by id (404, 405). The error is ErrNotFound only when a complete list lacks the id.
func (c *Client) Customer(ctx context.Context, id string) (*Customer, error) {
	return decode[Customer](c.find(ctx, KindCustomer, id, nil))
}

// CreateCustomer creates a customer. extra, a JSON object or nil, is merged into
// the body; the fields of in win over it.
func (c *Client) CreateCustomer(ctx context.Context, in Customer, extra json.RawMessage) (*Customer, error) {
	a, err := c.create(ctx, KindCustomer, in, extra, nil)
	return decode[Customer](c.readIfShort(ctx, KindCustomer, in, extra, a, err))
}

// UpdateCustomer reads the customer and sends it back with extra and next laid over it, and a null for each field that
// prior had and next lacks. So the service's PUT may merge or replace. city and country are replaced, never merged.
// Where next is as prior, and the customer holds extra already, nothing is sent.
func (c *Client) UpdateCustomer(
	ctx context.Context, id string, next, prior Customer, extra json.RawMessage,
) (*Customer, error) {
	return decode[Customer](c.update(ctx, KindCustomer, id, next, prior, extra))
}
