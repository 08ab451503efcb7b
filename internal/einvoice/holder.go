package einvoice

import (
	"context"
	"errors"
	"sync"
)

// holder is what a client has learned of the company whose key it has. An invoice that
// was issued with the key shows it, and so do the masked keys that the main company's key
// can list. An invoice that the key merely reads may be another company's.
type holder struct {
	mu       sync.Mutex
	number   Text // of the company, as the service writes it
	disputed bool // answers have shown different companies, which proves nothing
	unshown  bool // what was issued with the key showed no company, however long it was looked for

	listing turn            // held while the companies are read
	masks   map[Text]string // how the keys of the listed companies begin, by number; nil before

	sending turn // held by who sends while the company is not known
}

func newHolder() *holder { return &holder{listing: newTurn(), sending: newTurn()} }

// Holder is the tax number of the company whose key this client has, "" while no answer has shown it.
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

// Issued learns whose key this is from an invoice that was issued with it.
func (c *Client) Issued(v *Invoice) {
	if v != nil && v.Company != nil {
		c.Learn(Text(v.Company.FederalTaxNumber))
	}
}

// Learn learns whose key this is from a record of an earlier run.
func (c *Client) Learn(number Text) { c.holder.learn(number) }

// AskHolder finds out whose key this is, and returns "" where no mask shows it. account is a client that may have the
// main company's key, or nil, and isWanted reports whether a number is that of the company whose key it should be.
func (c *Client) AskHolder(ctx context.Context, account *Client, isWanted func(number Text) bool) (Text, error) {
	if known := c.Holder(); known != "" {
		return known, nil
	}
	if account == nil || account.apiKey == "" {
		account = c
	}
	masks, err := account.companyMasks(ctx)
	if err == nil {
		c.holder.learn(c.companyOfKey(masks, isWanted))
	}
	return c.Holder(), err
}

// companyOfKey finds the one company whose masked key begins as this one does. A list
// without the company in question may be older than it, and its key may begin as the
// others do: then the list proves nothing, unless it tells this key from another.
func (c *Client) companyOfKey(masks map[Text]string, isWanted func(number Text) bool) (found Text) {
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

// companyMasks reads, once, how the keys of the account's companies begin. Only the main company's key may read them.
func (c *Client) companyMasks(ctx context.Context) (map[Text]string, error) {
	if err := c.holder.listing.take(ctx); err != nil {
		return nil, err
	}
	defer c.holder.listing.end()
	if c.holder.masks != nil {
		return c.holder.masks, nil
	}
	masks := map[Text]string{}
	for company, err := range c.Companies(ctx) {
		// The key may not read the list, there is none, or it shows one company.
		if errors.Is(err, ErrForbidden) || errors.Is(err, ErrUnauthorized) || isNotFound(err) ||
			errors.Is(err, ErrMissing) || errors.Is(err, ErrSingleObject) {
			break
		}
		if err != nil {
			return nil, err
		}
		masks[Text(company.FederalTaxNumber)] = company.APIKey
	}
	c.holder.masks = masks
	return masks, nil
}

// TakeTurn waits until nobody else sends with this key while nobody knows whose it is, so that a wrong key does its
// harm once. Call done when what was sent has shown the company, or ended without showing it. done is nil where
// everybody may send.
func (c *Client) TakeTurn(ctx context.Context) (done func(), err error) {
	if err := c.holder.sending.take(ctx); err != nil {
		return nil, err
	}
	if c.IsHolderSettled() {
		c.holder.sending.end()
		return nil, nil //nolint:nilnil // The contract: everybody may send.
	}
	return sync.OnceFunc(c.holder.sending.end), nil
}

// IsHolderSettled reports whether answers have shown whose the key is, or will not show it.
func (c *Client) IsHolderSettled() bool {
	c.holder.mu.Lock()
	defer c.holder.mu.Unlock()
	return c.holder.number != "" || c.holder.unshown
}

// FoundNoHolder says that what was issued with this key has shown no company: the others do not wait for it.
func (c *Client) FoundNoHolder() {
	c.holder.mu.Lock()
	defer c.holder.mu.Unlock()
	c.holder.unshown = true
}
