package sandbox

import (
	"strings"
)

// access says whose key a route accepts.
type access int

const (
	// anyKey is every company's key: "other companies may perform only invoice operations".
	anyKey access = iota
	// ownerKey is the main company's key, for companies, settings, certificates and webhooks.
	ownerKey
)

// How many first characters a masked key and a masked secret of the settings show; neither number is reported for sure.
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
	return locked(s, func() string {
		key := s.newKey()
		if !s.update(KindCompanies, companyID, func(company object) { company["_apiKey"] = key }) {
			return ""
		}
		return key
	})
}

// companyByKey finds whose key it is. The key alone says which company issues an invoice. The caller holds the lock.
func (s *Server) companyByKey(key string) (object, bool) {
	if key == "" {
		return nil, false
	}
	return s.find(KindCompanies, func(company object) bool { return text(company, "_apiKey") == key })
}

// mask shows the first characters of a secret only, and none of one that has no more.
func mask(secret string, visible int) string {
	all := []rune(secret)
	if len(all) <= visible {
		visible = 0
	}
	return string(all[:visible]) + strings.Repeat("*", len(all)-visible)
}

// showSecret puts a stored secret into an answer the way SecretReads says; an unset one is null in every way.
func (s *Server) showSecret(answer object, name string) {
	secret, ok := answer[name].(string)
	if !ok || secret == "" {
		return
	}
	switch s.opts.SecretReads {
	case SecretsClear:
	case SecretsAbsent:
		delete(answer, name)
	case SecretsNull:
		answer[name] = nil
	case SecretsHidden:
		answer[name] = mask(secret, 0)
	default:
		answer[name] = mask(secret, visibleOfSecret)
	}
}
