package certificate

import (
	"crypto"
	"crypto/x509"
	"slices"
	"strings"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// certificateContent is what is in a file, to compare the service's answers with.
// It is zero where the file cannot be read here: the service decides what it
// takes.
type certificateContent struct {
	owner   string // common name: in Brazil the company's name, a colon, and its CNPJ
	expires time.Time
}

// readCertificate opens a PKCS #12 file.
func readCertificate(file []byte, password string) certificateContent {
	key, certificate, others, err := pkcs12.DecodeChain(file, password)
	if err != nil {
		return certificateContent{}
	}
	// Some programs write the chain in another order: the certificate is the one
	// that belongs to the key.
	for _, other := range others {
		if !belongs(key, certificate) && belongs(key, other) {
			certificate = other
		}
	}
	return certificateContent{owner: certificate.Subject.CommonName, expires: certificate.NotAfter}
}

func belongs(key any, certificate *x509.Certificate) bool {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return false
	}
	public, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(certificate.PublicKey)
}

// expiryTolerance covers ends of validity that the service gives as a day, or in
// another zone. A renewed certificate is valid for months longer.
const expiryTolerance = 48 * time.Hour

// isOther tells that a certificate of the service ends at another time than the
// file, so that it is certainly another one.
func (c certificateContent) isOther(held *einvoice.Certificate) bool {
	apart, known := c.apart(held)
	return known && apart > expiryTolerance
}

// isOf tells that a certificate of the service ends when the file does, and does
// not name another owner.
func (c certificateContent) isOf(held *einvoice.Certificate) bool {
	apart, known := c.apart(held)
	return known && apart <= expiryTolerance && !c.namesAnother(held)
}

// apart is the time between the two ends of validity.
func (c certificateContent) apart(held *einvoice.Certificate) (apart time.Duration, known bool) {
	end, ok := attribute.ParseDateTime(string(held.ExpirationAt))
	return end.Sub(c.expires).Abs(), ok && !c.expires.IsZero()
}

// namesAnother tells that nothing of the owner is in the subject. How a subject
// is written is not specified, so that this alone proves nothing.
func (c certificateContent) namesAnother(held *einvoice.Certificate) bool {
	subject := lettersAndDigits(string(held.Subject))
	if subject == "" || c.owner == "" {
		return false
	}
	return !slices.ContainsFunc(strings.Split(c.owner, ":"), func(part string) bool {
		part = lettersAndDigits(part)
		return part != "" && strings.Contains(subject, part)
	})
}

// lettersAndDigits leaves of a name what does not differ between ways to write
// it. Letters with accents are left out, because they come in several encodings.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// among finds the certificate of the file in a list. Where it is not certain,
// it is the active one of those that it may be.
func (c certificateContent) among(listed []*einvoice.Certificate) (found *einvoice.Certificate, certain bool) {
	only := func(match func(*einvoice.Certificate) bool) *einvoice.Certificate {
		matching := slices.DeleteFunc(slices.Clone(listed), func(held *einvoice.Certificate) bool { return !match(held) })
		if len(matching) == 1 {
			return matching[0]
		}
		return nil
	}
	if found = only(c.isOf); found != nil {
		return found, true
	}
	if found = only(func(held *einvoice.Certificate) bool { return !c.isOther(held) }); found != nil {
		return found, true
	}
	return only(func(held *einvoice.Certificate) bool {
		return !c.isOther(held) && held.IsActive != nil && bool(*held.IsActive)
	}), false
}
