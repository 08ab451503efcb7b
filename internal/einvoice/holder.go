package einvoice

import (
	"context"
	"errors"
	"sync"
)

// holder is what a client has learned of the company whose key it has. No request
// says it: an invoice that was issued with the key shows its company, and the main
// company's key shows all companies with the first characters of their keys. An invoice
// that the key merely reads proves nothing: it may be another company's.
type holder struct {
	mu       sync.Mutex
	number   Text // of the company, as the service writes it
	disputed bool // answers have shown different companies, which proves nothing
	silent   bool // an invoice was issued and followed, and showed no company

	listing chan struct{} // taken while the companies are read
	listed  bool
	masks   map[Text]string // the companies that this key shows, by number: how their keys begin

	turn chan struct{} // whoever sends while nothing is known
}

func newHolder() *holder { return &holder{listing: make(chan struct{}, 1), turn: make(chan struct{}, 1)} }

// Holder is the tax number of the company whose key this client has, "" while no
// answer has shown it.
func (c *Client) Holder() Text { return c.holder.company() }

func (h *holder) company() Text {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.disputed {
		return ""
	}
	return h.number
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

// Watching returns the client for one look that somebody asks for a certain company: it
// remembers whose invoices it has read. That is no proof of whose key it is.
func (c *Client) Watching() *Client {
	watching := *c
	watching.seen = newHolder()
	return &watching
}

// Seen is the company whose invoices a watching client has read, "" for none or several.
func (c *Client) Seen() Text {
	if c.seen == nil {
		return ""
	}
	return c.seen.company()
}

// invoiceOf reads an invoice.
func (c *Client) invoiceOf(a *answer) (*Invoice, error) {
	v, err := invoiceFrom(a)
	if err == nil && v.Company != nil && c.seen != nil {
		c.seen.learn(v.Company.FederalTaxNumber)
	}
	return v, err
}

// Issued learns whose key this is from an invoice that was issued with it.
func (c *Client) Issued(v *Invoice) {
	if v != nil && v.Company != nil {
		c.holder.learn(v.Company.FederalTaxNumber)
	}
}

// AskHolder finds out whose key this is, and returns "" where no mask shows it. account
// is a client that may have the main company's key, or nil, and isWanted reports whether
// a number is that of the company whose key it should be.
func (c *Client) AskHolder(ctx context.Context, account *Client, isWanted func(number Text) bool) (Text, error) {
	if known := c.Holder(); known != "" {
		return known, nil
	}
	if account == nil || account.apiKey == "" {
		account = c
	}
	masks, err := account.companyMasks(ctx)
	if err == nil {
		c.holder.learn(c.among(masks, isWanted))
	}
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
	select { // Whoever waits can be interrupted, as a mutex does not allow.
	case c.holder.listing <- struct{}{}:
		defer func() { <-c.holder.listing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.holder.listed {
		return c.holder.masks, nil
	}
	masks := map[Text]string{}
	for company, err := range c.Companies(ctx) {
		if isNotShown(err) || errors.Is(err, errSingleObject) { // It shows one company.
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

// isNotShown tells that a key may not read a list, or that there is none.
func isNotShown(err error) bool {
	return errors.Is(err, ErrForbidden) || errors.Is(err, ErrUnauthorized) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrMethodNotAllowed)
}

// TakeTurn waits until nobody else sends with this key while nobody knows whose it
// is, so that a wrong key does its harm once. done is to be called when the answer and
// what was followed have shown whose it is, or nothing.
func (c *Client) TakeTurn(ctx context.Context) (done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c.holder.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var once sync.Once
	done = func() { once.Do(func() { <-c.holder.turn }) }
	if c.holder.isSettled() {
		done()
	}
	return done, nil
}

// Followed says that an invoice which was issued with this key was followed to its end:
// where that showed no company, the others do not wait for it.
func (c *Client) Followed() {
	c.holder.mu.Lock()
	defer c.holder.mu.Unlock()
	c.holder.silent = true
}

func (h *holder) isSettled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.number != "" || h.silent
}
