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

	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func newBranch(c *client) string {
	c.t.Helper()
	return c.must("POST", "/companies", body("/companies", nil))["id"].(string)
}

func TestMunicipalities_codesHaveTheirCheckDigit(t *testing.T) {
	t.Parallel()
	for _, m := range municipalities {
		sum := 0
		for i, digit := range m.code[:6] {
			n := int(digit-'0') * (1 + i%2)
			sum += n/10 + n%10
		}
		wantSame(t, byte('0'+(10-sum%10)%10), m.code[6], "check digit of %s %s", m.code, m.name)
	}
}

func TestMunicipalities_everyStateHasOne(t *testing.T) {
	t.Parallel()
	for state, prefix := range stateCodes {
		found := false
		for _, m := range municipalities {
			found = found || strings.HasPrefix(m.code, prefix)
		}
		if !found {
			t.Errorf("no municipality of %s", state)
		}
	}
	wantSame(t, 27, len(stateCodes), "number of states")
}

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

func TestCertificate_realFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for file, want := range map[string]string{
		pfx(t, "MATRIZ LTDA:98765432000198", "right"): "password: The certificate password is invalid.",
		pfx(t, "OUTRA LTDA:45997418000153", "wrong"):  "certificateFile: The certificate is of 45997418000153, and not of the company 98765432000198.",
	} {
		g := c.upload(c.s.OwnerCompanyID(), "certificateFile", file, "wrong")
		wantStatus(t, g, http.StatusBadRequest)
		wantSame(t, []string{want}, g.problems(), "problems")
	}
	form := http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}
	wantStatus(t, c.send("POST", "/companies/"+c.s.OwnerCompanyID()+"/certificates", "no form", form), http.StatusBadRequest)
}

func ownSettings(c *client) string { return "/companies/" + c.s.OwnerCompanyID() + "/settings" }

func TestSettingsBlock_isAliveAndItsChangesAreAnswered(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.locked(func() {
		values := c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice")
		values["nextNumber"] = json.Number("2")
		if integer(c.s.settingsBlock(c.s.OwnerCompanyID(), "productInvoice"), "nextNumber") != 2 {
			t.Error("the change is not seen")
		}
		if c.s.settingsBlock("nobody", "productInvoice") != nil || c.s.settingsBlock(c.s.OwnerCompanyID(), "nothing") != nil {
			t.Error("a block of nobody, or one that does not exist, is not nil")
		}
	})
	if c.s.SetSettings("nobody", nil) || c.s.SettingsJSON("nobody") != nil {
		t.Error("a company that does not exist has settings")
	}
	wantTexts(t, c.do("GET", ownSettings(c), nil).raw, `"productInvoice":{"series":"1","nextNumber":2,`)
}
