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

// certificateContent is what is in a file, to compare the service's answers with. It is zero for a
// file that cannot be read here: the service decides what it takes.
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
	// Some programs write the chain in another order: the certificate has the key's public half.
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

// expiryTolerance covers ends of validity that the service gives as a day, or in another zone. A
// renewed certificate is valid for months longer.
const expiryTolerance = 48 * time.Hour

// match says whether a certificate of the service is the one in a file.
type match int

const (
	different match = iota // it ends at another time
	possible               // nothing shows it
	certain                // it ends when the file does, and names no other owner
)

func (c certificateContent) match(held *einvoice.Certificate) match {
	end, ok := attribute.ParseDateTime(string(held.ExpirationAt))
	switch {
	case !ok || c.expires.IsZero():
		return possible
	case end.Sub(c.expires).Abs() > expiryTolerance:
		return different
	case c.namesAnother(held):
		return possible
	}
	return certain
}

// namesAnother reports whether nothing of the owner is in the subject. How the service writes a
// subject is not specified, so that this alone proves nothing.
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

// lettersAndDigits returns what two ways to write a name have in common. It drops letters with
// accents, which come in several encodings.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// among finds the certificate of the file in a list. Where several may be it, that is the only
// active one of them, and isCertain is false.
func (c certificateContent) among(listed []*einvoice.Certificate) (found *einvoice.Certificate, isCertain bool) {
	for i, mayBeIt := range []func(*einvoice.Certificate) bool{
		func(held *einvoice.Certificate) bool { return c.match(held) == certain },
		func(held *einvoice.Certificate) bool { return c.match(held) != different },
		func(held *einvoice.Certificate) bool { return c.match(held) != different && isActive(held) },
	} {
		var matching []*einvoice.Certificate
		for _, held := range listed {
			if mayBeIt(held) {
				matching = append(matching, held)
			}
		}
		if len(matching) == 1 {
			return matching[0], i < 2
		}
	}
	return nil, false
}

func isActive(c *einvoice.Certificate) bool { return c.IsActive != nil && bool(*c.IsActive) }
