package einvoice

import (
	"context"
	"errors"
	"sync"
)

// holder is what a client has learned of the company whose key it has. No request
// says it: invoices that the key reaches show their company, and the main company's
// key shows all companies with the first characters of their keys.
type holder struct {
	mu       sync.Mutex
	number   Text // of the company, as the service writes it
	disputed bool // answers have shown different companies, which proves nothing

	asking  sync.Mutex // held while it is being found out
	asked   bool
	listing sync.Mutex
	listed  bool
	masks   map[Text]string // the companies that this key shows, by number: how their keys begin

	turn chan struct{} // whoever sends while nothing is known
}

func newHolder() *holder { return &holder{turn: make(chan struct{}, 1)} }

// Holder is the tax number of the company whose key this client has, "" while no
// answer has shown it.
func (c *Client) Holder() Text {
	c.holder.mu.Lock()
	defer c.holder.mu.Unlock()
	if c.holder.disputed {
		return ""
	}
	return c.holder.number
}

func (h *holder) learn(number Text) {
	if number == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.disputed = h.disputed || h.number != "" && h.number != number
	h.number = number
}

// invoiceOf reads an invoice, and learns from it whose key this is.
func (c *Client) invoiceOf(a *answer) (*Invoice, error) {
	v, err := invoiceFrom(a)
	if err == nil && v.Company != nil {
		c.holder.learn(v.Company.FederalTaxNumber)
	}
	return v, err
}

// AskHolder finds out, once, whose key this is, and returns "" where nothing shows
// it. account is a client that may have the main company's key, or nil, and
// isWanted tells the company whose key it should be.
func (c *Client) AskHolder(ctx context.Context, account *Client, isWanted func(number Text) bool) (Text, error) {
	c.holder.asking.Lock()
	defer c.holder.asking.Unlock()
	if known := c.Holder(); known != "" || c.holder.asked {
		return known, nil
	}
	if account == nil || account.apiKey == "" {
		account = c
	}
	masks, err := account.companyMasks(ctx)
	if err != nil {
		return "", err
	}
	if c.holder.learn(c.among(masks, isWanted)); c.Holder() == "" {
		err = c.lookAtInvoices(ctx)
	}
	c.holder.asked = err == nil
	return c.Holder(), err
}

// among finds the one company whose masked key begins as this one does. A list
// that lacks the company in question may be from before it was created, and its key
// may begin as that of the others does: then what is shown proves nothing, unless it
// tells this key from another company's.
func (c *Client) among(masks map[Text]string, isWanted func(number Text) bool) (found Text) {
	listed, distinct := false, false
	for number, mask := range masks {
		matches, proves := MaskMatchesKey(mask, c.apiKey)
		switch {
		case !proves, matches && found != "":
			return ""
		case matches:
			found = number
		default:
			distinct = true
		}
		listed = listed || isWanted(number)
	}
	if !listed && !distinct {
		return ""
	}
	return found
}

// companyMasks reads, once, how the keys of the account's companies begin. Only the
// main company's key may read them.
func (c *Client) companyMasks(ctx context.Context) (map[Text]string, error) {
	c.holder.listing.Lock()
	defer c.holder.listing.Unlock()
	if c.holder.listed {
		return c.holder.masks, nil
	}
	masks := map[Text]string{}
	for company, err := range c.Companies(ctx) {
		if isNotShown(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		masks[company.FederalTaxNumber] = company.APIKey
	}
	c.holder.listed, c.holder.masks = true, masks
	return masks, nil
}

// lookAtInvoices reads invoices until one has shown its company.
func (c *Client) lookAtInvoices(ctx context.Context) error {
	for _, model := range Models {
		for _, err := range c.Invoices(ctx, model, InvoiceFilter{}) {
			if err != nil && !isNotShown(err) {
				return err
			}
			break
		}
		if c.Holder() != "" {
			return nil
		}
	}
	return nil
}

// isNotShown tells that a key may not read a list, or that there is none.
func isNotShown(err error) bool {
	return errors.Is(err, ErrForbidden) || errors.Is(err, ErrUnauthorized) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrMethodNotAllowed)
}

// TakeTurn waits until nobody else sends with this key while nobody knows whose it
// is, so that a wrong key does its harm once: the first answer shows whose it is.
func (c *Client) TakeTurn(ctx context.Context) (done func(), err error) {
	select {
	case c.holder.turn <- struct{}{}:
		return func() { <-c.holder.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
