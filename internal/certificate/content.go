package certificate

import (
	"crypto"
	"crypto/x509"
	"slices"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// readExpiry opens a PKCS #12 file and returns when its certificate expires, to tell the service's
// certificates apart. It is zero for a file that cannot be read here: the service decides what it takes.
func readExpiry(file []byte, password string) time.Time {
	key, certificate, others, err := pkcs12.DecodeChain(file, password)
	if err != nil {
		return time.Time{}
	}
	// Some programs write the chain in another order: the certificate has the key's public half.
	for _, other := range others {
		if !belongs(key, certificate) && belongs(key, other) {
			certificate = other
		}
	}
	return certificate.NotAfter
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

// isOther reports whether a certificate of the service ends at another time than the file.
func isOther(held *einvoice.Certificate, expires time.Time) bool {
	end, ok := attribute.ParseDateTime(string(held.ExpirationAt))
	return ok && !expires.IsZero() && end.Sub(expires).Abs() > expiryTolerance
}

// among finds the certificate of the file in a list. Where several may be it, that is the only
// active one of them, and isCertain is false.
func among(listed []*einvoice.Certificate, expires time.Time) (found *einvoice.Certificate, isCertain bool) {
	listed = slices.DeleteFunc(slices.Clone(listed), func(c *einvoice.Certificate) bool { return isOther(c, expires) })
	isCertain = len(listed) == 1
	if !isCertain {
		listed = slices.DeleteFunc(listed, func(c *einvoice.Certificate) bool { return !isActive(c) })
	}
	if len(listed) != 1 {
		return nil, false
	}
	return listed[0], isCertain
}

func isActive(c *einvoice.Certificate) bool { return c.IsActive != nil && bool(*c.IsActive) }
