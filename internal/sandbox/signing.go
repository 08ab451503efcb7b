package sandbox

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

const (
	secretPrefix     = "whsec_"
	secretBytes      = 32
	maxRotationHours = 72
)

// signing is the account's webhook secret, and the one before it while its rotation window lasts.
type signing struct {
	secret        string
	previous      string
	previousUntil time.Time
}

// newSecret returns a secret in the form of Standard Webhooks. The caller holds the lock.
func (s *Server) newSecret() string {
	return secretPrefix + base64.StdEncoding.EncodeToString(s.randomBytes(secretBytes))
}

// rotate makes a new secret and returns until when the previous one signs too. The caller holds the lock.
func (s *Server) rotate(windowHours int64) time.Time {
	until := s.clock.Now().Add(time.Duration(windowHours) * time.Hour)
	s.signing = signing{secret: s.newSecret(), previous: s.signing.secret, previousUntil: until}
	return until
}

// WebhookSecret is the account's secret that signs now.
func (s *Server) WebhookSecret() string {
	return locked(s, func() string { return s.signing.secret })
}

// RotateWebhookSecret rotates the secret as somebody else would, and returns the new one.
func (s *Server) RotateWebhookSecret(windowHours int) string {
	return locked(s, func() string {
		s.rotate(int64(windowHours))
		return s.signing.secret
	})
}

// signatures is the header webhook-signature: one entry per secret that is valid at the time, the newest first.
// The caller holds the lock.
func (s *Server) signatures(id string, at time.Time, body []byte) string {
	entries := []string{signature(s.signing.secret, id, at, body)}
	if s.signing.previous != "" && s.clock.Now().Before(s.signing.previousUntil) {
		entries = append(entries, signature(s.signing.previous, id, at, body))
	}
	return strings.Join(entries, " ")
}

// signature is the entry of one secret in the header webhook-signature.
func signature(secret, id string, at time.Time, body []byte) string {
	entry, err := signer(secret).Sign(id, at, body)
	if err != nil {
		panic("sandbox: a delivery cannot be signed: " + err.Error())
	}
	return entry
}

func signer(secret string) *standardwebhooks.Webhook {
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		panic("sandbox: webhook secret is no base64: " + err.Error())
	}
	return webhook
}

// checkSignature verifies a delivery as its receiver does, and says which secret signed it. The caller holds the
// lock.
func (s *Server) checkSignature(header http.Header, body []byte, now time.Time) (verdict, tone string) {
	signedBy := func(secret string) bool {
		return secret != "" && signer(secret).VerifyIgnoringTimestamp(body, header) == nil
	}
	current, previous := signedBy(s.signing.secret), signedBy(s.signing.previous)
	switch {
	case header.Get(standardwebhooks.HeaderWebhookTimestamp) == "":
		return page.SignedUntimed, page.Bad
	case current && previous:
		return page.SignedBoth, page.Good
	case current:
		return page.SignedCurrent, page.Good
	case previous && now.Before(s.signing.previousUntil):
		return page.SignedWindow, page.Good
	case previous:
		return page.SignedExpired, page.Gone
	default:
		return page.SignedNone, page.Bad
	}
}
