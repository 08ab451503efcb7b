package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"
)

// The parts of a certificate upload. Older texts call the first one "file", which is refused here.
const (
	partCertificate = "certificateFile"
	partPassword    = "password"
)

// madeUpValidity is how long a certificate is valid that nobody has announced.
const madeUpValidity = 365 * 24 * time.Hour

// expectedCertificate is what an announced file holds.
type expectedCertificate struct {
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

// ExpectCertificate says what a certificate file holds and which password opens it: the sandbox reads no PKCS #12. Any
// other file that is not empty is taken with any password that is not empty, under a made-up subject.
func (s *Server) ExpectCertificate(pfx []byte, password, subject, issuer string, expiresAt time.Time) {
	s.locked(func() {
		s.expected[digest(pfx)] = expectedCertificate{password: password, subject: subject, issuer: issuer, expiresAt: expiresAt}
	})
}

// uploadCertificate is reported, as are its answer, that a file the company has already is refused, and that the last
// one replaces the one before. That the one before stays listed as inactive is assumed.
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
	if !announced {
		holds = expectedCertificate{
			password: password, expiresAt: s.clock.Now().Add(madeUpValidity).Truncate(time.Second),
			subject: "CN=" + text(company, "legalName") + ":" + text(company, "federalTaxNumber") + ", OU=Certificado PJ A1, O=ICP-Brasil, C=BR",
			issuer:  "CN=AC de Teste, O=ICP-Brasil, C=BR",
		}
	}
	if password != holds.password {
		return nil, invalid(partPassword, "The certificate password is invalid.")
	}
	ofThis := ofCompany(c.id())
	if _, known := s.find(KindCertificates, func(doc object) bool { return ofThis(doc) && text(doc, "_digest") == digest(pfx) }); known {
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
