package sandbox

import (
	"bytes"
	"crypto"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// The parts of a certificate upload. Older texts call the first one "file", which is refused here.
const (
	partCertificate = "certificateFile"
	partPassword    = "password"
)

// heldCertificate is the content of a certificate file, and its password.
type heldCertificate struct {
	password  string
	subject   string
	issuer    string
	expiresAt time.Time
}

// routesCertificates registers the certificates of companies, which only the main company's key reaches.
func (s *Server) routesCertificates() {
	s.route("POST /v1/companies/{id}/certificates", ownerKey, stored(KindCompanies, s.uploadCertificate))
	s.route("GET /v1/companies/{id}/certificates", ownerKey, stored(KindCompanies, s.listCertificates))
}

// ExpectCertificate sets the content and the password of a file, so that it need not be a PKCS #12 file. The sandbox
// opens any other file.
func (s *Server) ExpectCertificate(pfx []byte, password, subject, issuer string, expiresAt time.Time) {
	s.locked(func() {
		s.expected[digest(pfx)] = heldCertificate{
			password: password, subject: subject, issuer: issuer, expiresAt: expiresAt,
		}
	})
}

// uploadCertificate is reported, with its answer, the refusal of a file that the company has already, and the
// replacement of the certificate before. The replaced one is assumed to stay in the list as inactive.
func (s *Server) uploadCertificate(c *call, company object) (any, error) {
	parts, err := c.multipart()
	if err != nil {
		return nil, err
	}
	pfx, password := parts[partCertificate], string(parts[partPassword])
	switch {
	case len(pfx) == 0:
		return nil, invalid(partCertificate, "The CertificateFile field is required.")
	case password == "":
		return nil, invalid(partPassword, "The Password field is required.")
	}
	holds, announced := s.expected[digest(pfx)]
	switch {
	case announced && password != holds.password:
		return nil, wrongPassword()
	case !announced:
		if holds, err = openCertificate(company, pfx, password); err != nil {
			return nil, err
		}
	}
	ofThis := ofCompany(c.id())
	same := func(doc object) bool { return ofThis(doc) && text(doc, "_digest") == digest(pfx) }
	if _, known := s.find(KindCertificates, same); known {
		return nil, invalid("", "The certificate is already registered.")
	}
	for _, before := range s.all(KindCertificates, ofThis) {
		s.update(KindCertificates, text(before, "id"), func(doc object) { doc["isActive"] = false })
	}
	return s.insert(KindCertificates, object{
		"subject": holds.subject, "issuer": holds.issuer, "expirationAt": instant(holds.expiresAt), "isActive": true,
		"_companyId": c.id(), "_digest": digest(pfx),
	}), nil
}

func wrongPassword() error { return invalid(partPassword, "The certificate password is invalid.") }

// openCertificate reads a PKCS #12 file. Integrations report that its password is checked; the check of its owner is
// assumed.
func openCertificate(company object, pfx []byte, password string) (heldCertificate, error) {
	key, certificate, others, err := pkcs12.DecodeChain(pfx, password)
	switch {
	case errors.Is(err, pkcs12.ErrIncorrectPassword), errors.Is(err, pkcs12.ErrDecryption):
		return heldCertificate{}, wrongPassword()
	case err != nil:
		return heldCertificate{}, invalid(partCertificate,
			"The certificate file is not a PKCS #12 file with a certificate and its key.")
	}
	// Some programs write the chain in another order: the certificate is the one that belongs to the key.
	for _, other := range others {
		if !belongs(key, certificate) && belongs(key, other) {
			certificate = other
		}
	}
	want := text(company, "federalTaxNumber")
	if number := ownerOf(certificate); number != "" && !sameRoot(number, want) {
		return heldCertificate{}, invalid(partCertificate,
			"The certificate is of %s, and not of the company %s.", number, want)
	}
	return heldCertificate{
		password: password, subject: certificate.Subject.String(), issuer: certificate.Issuer.String(),
		expiresAt: certificate.NotAfter,
	}, nil
}

func belongs(key any, certificate *x509.Certificate) bool {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return false
	}
	public, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(certificate.PublicKey)
}

// ownerOf is the tax number that stands after a colon in the common name (ICP-Brasil, DOC-ICP-04), "" where none does.
func ownerOf(certificate *x509.Certificate) string {
	name := certificate.Subject.CommonName
	number := plainTaxNumber(name[strings.LastIndex(name, ":")+1:])
	if isCPF(number) || isCNPJ(number) {
		return number
	}
	return ""
}

// sameRoot reports whether two tax numbers are of one company, as the authority compares them (MOC 7.0, message 213):
// the certificate of any establishment signs for the others, whose CNPJ begin alike.
func sameRoot(a, b string) bool {
	return a == b || isCNPJ(a) && isCNPJ(b) && a[:8] == b[:8]
}

// listCertificates answers a bare array, which one integration reports.
func (s *Server) listCertificates(c *call, _ object) (any, error) {
	return s.listed(KindCertificates, ofCompany(c.id())), nil
}

// multipart reads the parts of a form by their names.
func (c *call) multipart() (map[string][]byte, error) {
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return nil, refuse(http.StatusUnsupportedMediaType, "", "Unsupported Media Type")
	}
	parts := map[string][]byte{}
	form := multipart.NewReader(bytes.NewReader(c.body), params["boundary"])
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return nil, invalid("", "Failed to read the request form: %s.", err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, invalid("", "Failed to read the request form: %s.", err)
		}
		parts[p.FormName()] = content
	}
}

func ofCompany(id string) func(object) bool {
	return func(doc object) bool { return text(doc, "_companyId") == id }
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
