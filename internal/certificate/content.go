package certificate

import (
	"crypto"
	"crypto/x509"
	"strings"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// certificateContent is what a file says of itself, to compare the service's
// answers with. Zero where the file cannot be read here: the service decides
// what it takes.
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
	// Files made elsewhere may hold the chain in any order: the certificate is the
	// one that belongs to the key.
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

// expiryTolerance covers ends of validity that are told as a day, or in another
// zone. A renewed certificate is valid for months longer.
const expiryTolerance = 48 * time.Hour

// isOther tells that a certificate of the service ends at another time than the
// file, so that it is certainly another one.
func (c certificateContent) isOther(held *einvoice.Certificate) bool {
	end, ok := attribute.ParseDateTime(string(held.ExpirationAt))
	return ok && !c.expires.IsZero() && end.Sub(c.expires).Abs() > expiryTolerance
}

// isOf tells that a certificate of the service ends when the file does, and that
// its subject does not speak against it.
func (c certificateContent) isOf(held *einvoice.Certificate) bool {
	end, ok := attribute.ParseDateTime(string(held.ExpirationAt))
	return ok && !c.expires.IsZero() && end.Sub(c.expires).Abs() <= expiryTolerance && !c.namesAnother(held)
}

// namesAnother tells that nothing of the owner is in the subject. How a subject
// is written is not specified, so that this alone proves nothing.
func (c certificateContent) namesAnother(held *einvoice.Certificate) bool {
	subject := lettersAndDigits(string(held.Subject))
	if subject == "" || c.owner == "" {
		return false
	}
	for _, part := range strings.Split(c.owner, ":") {
		if part = lettersAndDigits(part); part != "" && strings.Contains(subject, part) {
			return false
		}
	}
	return true
}

// lettersAndDigits folds what differs between ways to write a name. Letters with
// accents are left out, for they come in several encodings.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return -1
	}, s)
}
