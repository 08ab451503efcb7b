package einvoice

import (
	"context"
	"errors"
	"sync"
)

// keyOwner is what a client has learned of the company whose key it has. An invoice that was issued with the key shows
// it, and so do the masked keys that the main company's key can list. An invoice that the key merely reads may be
// another company's.
type keyOwner struct {
	mu      sync.Mutex
	number  Text // of the company, as the service writes it
	isTried bool // something was issued with the key, and its answer compared

	listing turn            // held while the companies are read
	masks   map[Text]string // how the keys of the listed companies begin, by number; nil before

	first turn // held by who issues first while the company is not known
}

func newKeyOwner() *keyOwner { return &keyOwner{listing: newTurn(), first: newTurn()} }

// KeyOwner is the tax number of the company whose key this client has, "" while no answer has shown it.
func (c *Client) KeyOwner() Text {
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	return c.owner.number
}

// LearnKeyOwner learns whose key this is, from an invoice that was issued with it. The first answer counts.
func (c *Client) LearnKeyOwner(number Text) {
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	if c.owner.number == "" {
		c.owner.number = number
	}
}

// AskKeyOwner finds out whose key this is, once a run, and returns "" where no mask shows it. account is a client that
// may have the main company's key, or nil, and isWanted reports whether a number is that of the company whose key it
// should be.
func (c *Client) AskKeyOwner(ctx context.Context, account *Client, isWanted func(number Text) bool) (Text, error) {
	if known := c.KeyOwner(); known != "" {
		return known, nil
	}
	if account == nil || account.apiKey == "" {
		account = c
	}
	masks, err := account.companyMasks(ctx)
	if err == nil {
		c.LearnKeyOwner(c.companyOfKey(masks, isWanted))
	}
	return c.KeyOwner(), err
}

// GoFirst waits until nobody else is the first to issue with this key, so that a wrong key does its harm once. Call
// done with whether its answer was compared. done is nil where others were first, or where it is known whose the key
// is.
func (c *Client) GoFirst(ctx context.Context) (done func(isCompared bool), err error) {
	if err := c.owner.first.take(ctx); err != nil {
		return nil, err
	}
	c.owner.mu.Lock()
	isKnown := c.owner.number != "" || c.owner.isTried
	c.owner.mu.Unlock()
	if isKnown {
		c.owner.first.end()
		return nil, nil //nolint:nilnil // The contract: everybody may send.
	}
	var once sync.Once
	return func(isCompared bool) {
		once.Do(func() {
			c.owner.mu.Lock()
			c.owner.isTried = isCompared
			c.owner.mu.Unlock()
			c.owner.first.end()
		})
	}, nil
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
	if err := c.owner.listing.take(ctx); err != nil {
		return nil, err
	}
	defer c.owner.listing.end()
	if c.owner.masks != nil {
		return c.owner.masks, nil
	}
	masks := map[Text]string{}
	for company, err := range c.Companies(ctx) {
		// The key may not read the list, there is none, or it shows one company.
		if errors.Is(err, ErrForbidden) || errors.Is(err, ErrUnauthorized) || isNotFound(err) ||
			errors.Is(err, ErrMissing) {
			break
		}
		if err != nil {
			return nil, err
		}
		masks[Text(company.FederalTaxNumber)] = company.APIKey
	}
	c.owner.masks = masks
	return masks, nil
}
