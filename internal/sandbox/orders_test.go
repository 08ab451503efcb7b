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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		rows.Case(t, tt.name, func(t *testing.T) {
			g := c.in(t).upload(id, tt.part, tt.pfx, tt.password)
			wantStatus(t, g, http.StatusBadRequest)
			wantSame(t, []string{tt.want}, g.problems(), "problems")
		})
	}
	wantStatus(t, c.do("POST", "/companies/"+id+"/certificates", object{}), http.StatusUnsupportedMediaType)
	wantStatus(t, c.send("POST", "/companies/"+id+"/certificates", "no form", http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}), http.StatusBadRequest)
}

// spelled returns the fields of one block of a settings answer as they are spelled.
func spelled(t *testing.T, answer, block string) map[string]string {
	t.Helper()
	var doc map[string]json.RawMessage
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &doc); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if err := json.Unmarshal(doc[block], &fields); err != nil {
		t.Fatalf("%s of %s: %v", block, answer, err)
	}
	out := map[string]string{}
	for name, value := range fields {
		out[name] = string(value)
	}
	return out
}

// wantSpelled compares a settings answer with a spelling of every field that the service has.
func wantSpelled(t *testing.T, answer string, spelling func(settingsField) string) {
	t.Helper()
	for _, shape := range settingsBlocks {
		want := map[string]string{}
		for _, field := range shape.fields {
			want[field.name] = spelling(field)
		}
		wantSame(t, want, spelled(t, answer, shape.name), "%s", shape.name)
	}
}

func ownSettings(c *client) string { return "/companies/" + c.s.OwnerCompanyID() + "/settings" }

// oneBlock is a PUT body with one block.
func oneBlock(name string, fields object) object { return object{name: fields} }

func TestSettings_ofANewCompanyHaveDefaultsAndFieldsNobodyKnows(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := newBranch(c)
	g := c.do("GET", "/companies/"+id+"/settings", nil)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.fresh })
	wantFields(t, g.doc, object{"companyId": id})
}

func TestSettings_aFieldLeftOutOfASentBlockGoesToItsDefault(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{SecretReads: SecretsClear})
	c.must("PUT", ownSettings(c), object{
		"general": object{"decimalPrecision": 4, "allowNaturalPersonCompany": true, "technicalResponsible": object{"contactName": "A"}},
		"productInvoice": object{
			"series": "2", "nextNumber": 7, "environmentType": "development", "danfePrintLayout": "simplified", "inbound": object{"enabled": true},
		},
		"consumerInvoice": object{"series": "3", "nextNumber": 8, "tokenId": "1", "csc": "s3cret", "allowOfflineContingency": true},
		"serviceInvoice":  object{"issueType": "annfs", "userName": "u", "password": "p", "nextBatchNumber": 9, "sendCityTaxNumber": true},
	})
	g := c.do("PUT", ownSettings(c), `{"general":{},"productInvoice":{},"consumerInvoice":{},"serviceInvoice":{}}`)
	wantStatus(t, g, http.StatusOK)
	wantSpelled(t, g.raw, func(f settingsField) string { return f.reset })
}

func TestSettings_secretsAreReadAsTheAccountDoes(t *testing.T) {
	t.Parallel()
	for reads, want := range map[string][2]string{
		"": {`"s3****"`, `"pa**"`}, SecretsMasked: {`"s3****"`, `"pa**"`}, SecretsHidden: {`"******"`, `"****"`},
		SecretsClear: {`"s\u0033cret"`, `"pa\u0073s"`}, SecretsAbsent: {"", ""}, SecretsNull: {"null", "null"},
	} {
		c := newClient(t, Options{SecretReads: reads})
		before := c.do("GET", ownSettings(c), nil).raw
		wantSame(t, "null", spelled(t, before, "consumerInvoice")["csc"], "%q: an unset secret", reads)
		put := c.do("PUT", ownSettings(c), `{"consumerInvoice":{"tokenId":"1","csc":"s\u0033cret"},"serviceInvoice":{"password":"pa\u0073s"}}`)
		wantStatus(t, put, http.StatusOK)
		for _, raw := range []string{put.raw, c.do("GET", ownSettings(c), nil).raw} {
			got := [2]string{spelled(t, raw, "consumerInvoice")["csc"], spelled(t, raw, "serviceInvoice")["password"]}
			wantSame(t, want, got, "%q: csc and password", reads)
		}
		wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), object{
			"consumerInvoice": object{"csc": "s3cret"}, "serviceInvoice": object{"password": "pass"},
		})
	}
}

func TestSettings_aMaskThatIsWrittenBackBecomesTheSecret(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	c.s.SetSettings(c.s.OwnerCompanyID(), oneBlock("consumerInvoice", object{"tokenId": "1", "csc": "s3cret"}))
	c.must("PUT", ownSettings(c), c.must("GET", ownSettings(c), nil))
	wantFields(t, c.s.SettingsClear(c.s.OwnerCompanyID()), oneBlock("consumerInvoice", object{"csc": "s3****"}))
	wantSame(t, []UnknownField(nil), c.s.UnknownFields(), "unknown fields")
}

func TestSetSettings_setsWhatItNamesInItsSpelling(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.OwnerCompanyID()
	before := spelled(t, string(c.s.SettingsJSON(id)), "productInvoice")
	if !c.s.SetSettings(id, oneBlock("productInvoice", object{"nextNumber": 40, "late": json.RawMessage(`{"x": 1.0}`)})) {
		t.Fatal("the main company has no settings")
	}
	before["nextNumber"], before["late"] = "40", `{"x": 1.0}`
	wantSame(t, before, spelled(t, string(c.s.SettingsJSON(id)), "productInvoice"), "the block")
	if c.s.SetSettings("nobody", nil) || c.s.SettingsJSON("nobody") != nil {
		t.Error("a company that does not exist has settings")
	}
}

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
	wantTexts(t, c.do("GET", ownSettings(c), nil).raw, `"productInvoice":{"series":"1","nextNumber":2,`)
}
