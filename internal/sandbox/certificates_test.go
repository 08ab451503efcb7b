package sandbox

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"math/big"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// upload sends a certificate form; an empty password is left out.
func (c *client) upload(companyID, part, pfx, password string) got {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile(part, "a1.pfx")
	expect.NoError(c.t, err)
	_, _ = file.Write([]byte(pfx))
	if password != "" {
		_ = form.WriteField("password", password)
	}
	_ = form.Close()
	return c.send("POST", "/companies/"+companyID+"/certificates", body.String(), http.Header{"Content-Type": {form.FormDataContentType()}})
}

func (c *client) certificates(companyID string) []object {
	c.t.Helper()
	g := c.do("GET", "/companies/"+companyID+"/certificates", nil)
	wantStatus(c.t, g, http.StatusOK)
	var list []object
	if err := json.Unmarshal([]byte(g.raw), &list); err != nil {
		c.t.Fatalf("the list is no bare array: %s", g.raw)
	}
	return list
}

// pfx is a PKCS #12 file with a certificate of owner, which ends at noon, and its key.
func pfx(t *testing.T, owner, password string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: owner, Organization: []string{"ICP-Brasil"}}, NotAfter: noon,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	expect.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	expect.NoError(t, err)
	file, err := pkcs12.Modern.Encode(key, certificate, nil, password)
	expect.NoError(t, err)
	return string(file)
}

func TestCertificate_aRealFileIsOpened(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"MATRIZ LTDA:98765432000198", "MATRIZ LTDA, LOJA:98765432000279", "Certificado de teste"} {
		c := newClient(t, Options{})
		g := c.upload(c.s.OwnerCompanyID(), "certificateFile", pfx(t, owner, "right"), "right")
		wantStatus(t, g, http.StatusOK)
		subject, _ := g.doc["subject"].(string)
		if !strings.HasPrefix(strings.ReplaceAll(subject, `\,`, ","), "CN="+owner) {
			t.Errorf("subject = %s, want %s", subject, owner)
		}
		wantFields(t, g.doc, object{"issuer": subject, "expirationAt": "2026-03-10T12:00:00.0000000Z", "isActive": true})
	}
}

func TestCertificate_theLastOneReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id, other := newBranch(c), c.s.OwnerCompanyID()
	for _, file := range []string{"first", "second"} {
		c.s.ExpectCertificate([]byte(file), "p", "CN=A", "CN=AC", noon)
	}
	for _, company := range []string{other, id} {
		wantStatus(t, c.upload(company, "certificateFile", "first", "p"), http.StatusOK)
	}
	wantStatus(t, c.upload(id, "certificateFile", "second", "p"), http.StatusOK)
	var active []any
	for _, list := range [][]object{c.certificates(id), c.certificates(other)} {
		for _, certificate := range list {
			active = append(active, certificate["isActive"])
		}
	}
	wantSame(t, []any{false, true, true}, active, "active certificates of the branch, then of the main company")
}

func TestCertificate_uploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.OwnerCompanyID()
	c.s.ExpectCertificate([]byte("pfx"), "right", "CN=A", "CN=AC", noon.Add(time.Hour))
	c.s.ExpectCertificate([]byte("known"), "p", "CN=A", "CN=AC", noon.Add(time.Hour))
	wantStatus(t, c.upload(id, "certificateFile", "known", "p"), http.StatusOK)
	own := pfx(t, "MATRIZ LTDA:98765432000198", "right")
	tests := []struct{ name, part, pfx, password, want string }{
		{"a file the company has already", "certificateFile", "known", "p", "<nil>: The certificate is already registered."},
		{"a wrong password", "certificateFile", "pfx", "wrong", "password: The certificate password is invalid."},
		{"a wrong password of a real file", "certificateFile", own, "wrong", "password: The certificate password is invalid."},
		{"no PKCS #12 file", "certificateFile", "-----BEGIN CERTIFICATE-----", "p", "certificateFile: The certificate file is not a PKCS #12 file with a certificate and its key."},
		{"another company's", "certificateFile", pfx(t, "OUTRA LTDA:45997418000153", "p"), "p", "certificateFile: The certificate is of 45997418000153, and not of the company 98765432000198."},
		{"an empty file", "certificateFile", "", "p", "certificateFile: The CertificateFile field is required."},
		{"no password", "certificateFile", "new", "", "password: The Password field is required."},
		{"the part name of older texts", "file", "new", "p", "certificateFile: The CertificateFile field is required."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := c.in(t).upload(id, tt.part, tt.pfx, tt.password)
			wantStatus(t, g, http.StatusBadRequest)
			wantSame(t, []string{tt.want}, g.problems(), "problems")
		})
	}
	wantStatus(t, c.do("POST", "/companies/"+id+"/certificates", object{}), http.StatusUnsupportedMediaType)
	wantStatus(t, c.send("POST", "/companies/"+id+"/certificates", "no form", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}), http.StatusBadRequest)
}
