package sandbox

import "strings"

// access says whose key a route accepts.
type access int

const (
	// anyKey is every company's key: "other companies may perform only invoice operations".
	anyKey access = iota
	// ownerKey is the main company's key, for companies, settings, certificates and webhooks.
	ownerKey
	// sharedKey is every company's key too, unless Options.InvoiceKeys takes the specification to the letter.
	sharedKey
)

// The numbers of characters that a masked key and a masked secret of the settings show. Both are assumed.
const (
	visibleOfKey    = 4
	visibleOfSecret = 2
)

// OwnerKey is the main company's API key.
func (s *Server) OwnerKey() string { return s.KeyOf(s.OwnerCompanyID()) }

// OwnerCompanyID is the id of the main company, the first in the account.
func (s *Server) OwnerCompanyID() string { return s.ownerID }

// KeyOf returns the API key that works for a company now; empty when there is no such company.
func (s *Server) KeyOf(companyID string) string {
	return locked(s, func() string {
		company, _ := s.get(KindCompanies, companyID)
		return text(company, "_apiKey")
	})
}

// RegenerateKey gives a company a new key, as its owner can in the back office: the previous one is revoked at once.
func (s *Server) RegenerateKey(companyID string) string {
	return locked(s, func() string { return s.regenerateKey(companyID) })
}

// regenerateKey is RegenerateKey for those who hold the lock.
func (s *Server) regenerateKey(companyID string) string {
	key := s.newKey()
	if !s.update(KindCompanies, companyID, func(company object) { company["_apiKey"] = key }) {
		return ""
	}
	return key
}

// companyByKey finds the company of a key. The key alone decides which company issues an invoice. The caller holds
// the lock.
func (s *Server) companyByKey(key string) (object, bool) {
	if key == "" {
		return nil, false
	}
	return s.find(KindCompanies, func(company object) bool { return text(company, "_apiKey") == key })
}

// mask shows only the first characters of a secret, and nothing of one that is not longer than that.
func mask(secret string, visible int) string {
	all := []rune(secret)
	if len(all) <= visible {
		visible = 0
	}
	return string(all[:visible]) + strings.Repeat("*", len(all)-visible)
}

// shownSecret returns a stored secret as SecretReads has it read, and whether the answer has it at all. An unset
// secret is not changed.
func (s *Server) shownSecret(stored any) (shown any, answered bool) {
	secret, _ := stored.(string)
	if secret == "" {
		return stored, true
	}
	if s.opts.SecretMask != "" {
		return s.opts.SecretMask, true
	}
	switch s.opts.SecretReads {
	case SecretsClear:
		return stored, true
	case SecretsAbsent:
		return nil, false
	case SecretsNull:
		return nil, true
	case SecretsHidden:
		return mask(secret, 0), true
	default:
		return mask(secret, visibleOfSecret), true
	}
}
