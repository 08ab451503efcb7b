package einvoice

import (
	"context"
	"encoding/json"
	"iter"
)

// Product is a product or a service that orders sell. Of its routes the
// specification shows only the deletion; fields and other routes are assumed.
type Product struct {
	ID           Text    `json:"id,omitempty"`
	Name         Text    `json:"name,omitempty"`
	Code         Text    `json:"code,omitempty"`
	Price        *Number `json:"price,omitempty"`        // in BRL; nil is no price, 0 is a price
	InvoiceModel Enum    `json:"invoiceModel,omitempty"` // ModelProduct, ModelConsumer or ModelService

	Raw    json.RawMessage `json:"-"` // the object as the service sent it
	Listed bool            `json:"-"` // only a list shows it, which may lag
}

func (v *Product) keep(a *answer) { v.Raw, v.Listed = a.object, a.listed }

// Products walks all products of the account.
func (c *Client) Products(ctx context.Context) iter.Seq2[*Product, error] {
	return decodeEach[Product](c.listed(ctx, KindProduct, nil))
}

// Product reads one product by its id, falling back to the list as Customer does.
func (c *Client) Product(ctx context.Context, id string) (*Product, error) {
	return decode[Product](c.find(ctx, KindProduct, id, nil))
}

// CreateProduct creates a product; extra is merged as in CreateCustomer.
func (c *Client) CreateProduct(ctx context.Context, in Product, extra json.RawMessage) (*Product, error) {
	a, err := c.create(ctx, KindProduct, in, extra, nil)
	return decode[Product](c.readIfShort(ctx, KindProduct, in, extra, a, err))
}

// UpdateProduct changes a product and clears what only prior had, as UpdateCustomer does.
func (c *Client) UpdateProduct(
	ctx context.Context, id string, next, prior Product, extra json.RawMessage,
) (*Product, error) {
	return decode[Product](c.update(ctx, KindProduct, id, next, prior, extra))
}
