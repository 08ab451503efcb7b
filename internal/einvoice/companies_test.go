package einvoice

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCompany_keys(t *testing.T) {
	t.Parallel()
	s := newService(t,
		exchange{
			method: "POST", path: "/v1/companies",
			body:   `{"economicActivities":[{"code":"6201501","type":"main"}],"federalTaxNumber":"191","name":"n","taxRegime":"regimeNormal"}`,
			answer: `{"id":"1","name":"n","taxRegime":"regimeNormal","apiCredentials":{"apiKey":"abcd-efgh"}}`,
		},
		exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1","taxRegime":0,"economicActivities":[{"code":6201501,"type":"main","isMain":true}],"apiCredentials":{"apiKey":"abcd****"}}`},
		exchange{method: "GET", path: "/v1/companies?page=1&pageSize=100", answer: `{"items":[{"id":"1","apiCredentials":null}],"hasNext":false}`},
	)
	c, ctx := s.client(), t.Context()
	in := Company{Name: "n", FederalTaxNumber: "191", TaxRegime: "regimeNormal", EconomicActivities: []EconomicActivity{{Code: "6201501", Type: "main"}}, APIKey: "not sent"}
	v, err := c.CreateCompany(ctx, in, nil)
	if err != nil || v.APIKey != "abcd-efgh" || IsMasked(v.APIKey) {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = c.Company(ctx, "1")
	if err != nil || v.APIKey != "abcd****" || !IsMasked(v.APIKey) || v.TaxRegime != "" || v.EconomicActivities[0].Code != "6201501" {
		t.Errorf("%+v, %v", v, err)
	}
	for v, err := range c.Companies(ctx) {
		if err != nil || v.APIKey != "" {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

func TestCompany_updateSendsTheWholeRecord(t *testing.T) {
	t.Parallel()
	const held = `{"id":"1","name":"old","email":"old@x.example","phone":"11999999999","taxRegime":"regimeNormal","foreign":{"a":10.00},"nothing":null,
		"address":{"street":"old","number":"1","floor":3,"city":{"code":"3550308","name":"São Paulo","state":"sp"}},
		"economicActivities":[{"code":"1","type":"main"},{"code":"2","type":"secondary"}],"apiCredentials":{"apiKey":"abcd****"}}`
	const sent = `{"added":true,"address":{"city":{"name":"Santos","state":"SP"},"floor":3,"number":null,"street":"s"},"economicActivities":[{"code":"3","type":"main"}],"email":null,"foreign":{"a":10.00,"b":2},"id":"1","name":"new","nothing":null,"phone":"11999999999","taxRegime":"regimeNormal"}`
	next := Company{ID: "1", Name: "new", Address: &Address{Street: "s", City: &City{Name: "Santos", State: "SP"}}, EconomicActivities: []EconomicActivity{{Code: "3", Type: "main"}}}
	prior := Company{ID: "1", Name: "old", Email: "old@x.example", Address: &Address{Street: "old", Number: "1", City: &City{Code: "3550308"}}}
	s := newService(t,
		exchange{method: "GET", path: "/v1/companies/1", answer: held},
		exchange{method: "PUT", path: "/v1/companies/1", body: sent, answer: sent},
	)
	v, err := s.client().UpdateCompany(t.Context(), "1", next, prior, []byte(`{"foreign":{"b":2},"added":true}`))
	if err != nil || v.Name != "new" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestCompany_updateFailures(t *testing.T) {
	t.Parallel()
	read := exchange{method: "GET", path: "/v1/companies/1", answer: `{"id":"1"}`}
	put := exchange{method: "PUT", path: "/v1/companies/1", body: `{"id":"1","name":"n"}`}
	update := nothing(func(c *Client) error {
		return errorOf(c.UpdateCompany(t.Context(), "1", Company{Name: "n"}, Company{}, nil))
	})
	runOperations(t, []operation[any]{
		{"the record cannot be read", update, []exchange{read.answering(500, ``)}, nil, "server, ambiguous"},
		{"the record is not taken from the list", update, []exchange{read.answering(404, ``)}, nil, "not found"},
		{"the record is no object", update, []exchange{read.answering(200, `[]`)}, nil, "bad answer, ambiguous"},
		{"the service refuses", update, []exchange{read, put.answering(400, ``)}, nil, "bad request"},
		{"the answer shows nothing, and so it is read", update, []exchange{read, put.answering(200, `{"success":true}`), read}, nil, ""},
	})
}

func TestSettings_read(t *testing.T) {
	t.Parallel()
	const document = `{"general":{"decimalPrecision":2.00, "technicalResponsible":{"email":"a<b"}},"productInvoice":null,"future":{"x":[1]},"companyId":"1"}`
	settings := &Settings{
		Raw: json.RawMessage(document),
		Blocks: map[string]SettingsBlock{
			"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{"email":"a<b"}`)},
			"future":  {"x": json.RawMessage(`[1]`)},
		},
	}
	empty := func(raw string) *Settings {
		return &Settings{Raw: json.RawMessage(raw), Blocks: map[string]SettingsBlock{}}
	}
	read := func(c *Client) (*Settings, error) { return c.CompanySettings(t.Context(), "1") }
	runAnswers(t, exchange{method: "GET", path: "/v1/companies/1/settings"}, read, []answered[*Settings]{
		{"bare", 200, document, settings, ""},
		{"below result", 200, `{"result":` + document + `}`, settings, ""},
		{"below data", 200, `{"data":` + document + `}`, settings, ""},
		{"a block that is null", 200, `{"general":null}`, empty(`{"general":null}`), ""},
		{"no block", 200, `{}`, empty(`{}`), ""},
		{"a list", 200, `[]`, nil, "bad answer, ambiguous"},
		{"null", 200, `null`, nil, "bad answer, ambiguous"},
		{"another company's", 200, `{"general":{},"companyId":"2"}`, nil, "bad answer, ambiguous"},
		{"another object", 200, `{"id":"1","name":"a company"}`, nil, "bad answer, ambiguous"},
	})
}

func TestSettings_putSendsEachByte(t *testing.T) {
	t.Parallel()
	const body = `{"general":{"decimalPrecision":2.00,"technicalResponsible":{ "email" : "a<b&c" }},"näxt":{}}`
	put := nothing(func(c *Client) error {
		return c.PutCompanySettings(t.Context(), "1", map[string]SettingsBlock{
			"general": {"decimalPrecision": json.RawMessage(`2.00`), "technicalResponsible": json.RawMessage(`{ "email" : "a<b&c" }`)},
			"näxt":    {},
		}, nil)
	})
	runAnswers(t, exchange{method: "PUT", path: "/v1/companies/1/settings", body: body}, put, []answered[any]{
		{"a block", 200, `{"general":{}}`, nil, ""},
		{"success", 200, `{"success":true}`, nil, ""},
		{"a text", 200, `"saved"`, nil, ""},
		{"nothing", 204, ``, nil, ""},
		{"not successful", 200, `{"success":"false"}`, nil, "not successful"},
	})
	if err := newService(t).client().PutCompanySettings(t.Context(), "1", nil, nil); err != nil {
		t.Errorf("no blocks: %v", err)
	}
}

// upload is what came with one request.
type upload struct{ file, password string }

// uploading is a client of a service that answers every upload alike, and what comes there.
func uploading(t *testing.T, code int, answer string) (*Client, *[]upload) {
	t.Helper()
	var came []upload
	c := wired(t, func(r *http.Request) (*http.Response, error) {
		if r.Method != "POST" || r.URL.Path != "/v1/companies/c1/certificates" {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		file, _, err := r.FormFile("certificateFile") // Of a part without a file name, which many services take for text, it finds nothing.
		must(t, err)
		content, err := io.ReadAll(file)
		must(t, err)
		if len(r.MultipartForm.File) != 1 || len(r.MultipartForm.Value) != 1 {
			t.Errorf("there are other parts: %v", r.MultipartForm)
		}
		came = append(came, upload{string(content), r.FormValue("password")})
		return status(code, answer)(r)
	}, func(cfg *Config) { cfg.MaxRetries = 5 })
	return c, &came
}

const uploadedCertificate = `{"id":"1","subject":"CN=A","issuer":"CN=B","expirationAt":"2027-01-02T03:04:05Z","isActive":true}`

func TestUploadCertificate_sendsTheFileAndThePassword(t *testing.T) {
	t.Parallel()
	pfx := "\x30\x82\x00\xff--boundary\r\n\"" // No byte of it may be taken for something else.
	want := &Certificate{
		ID: "1", Subject: "CN=A", Issuer: "CN=B", ExpirationAt: "2027-01-02T03:04:05Z", IsActive: ptr(Flag(true)), Raw: json.RawMessage(uploadedCertificate),
	}
	for name, tt := range map[string]struct {
		answer string
		want   *Certificate
		kind   string
	}{
		"the certificate": {`{"result":` + uploadedCertificate + `}`, want, ""},
		"success, no id":  {`{"success":true}`, nil, "bad answer, ambiguous"},
	} {
		rows.Case(t, name, func(t *testing.T) {
			c, came := uploading(t, 200, tt.answer)
			got, err := c.UploadCertificate(t.Context(), "c1", []byte(pfx), "pass word&ç")
			wantKind(t, err, tt.kind)
			if len(*came) != 1 || (*came)[0] != (upload{pfx, "pass word&ç"}) {
				t.Errorf("%q came", *came)
			}
			wantSame(t, tt.want, got)
		})
	}
}

func TestUploadCertificate_isNotRepeatedAndQuotesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Name, Password string
		Status         int
		Answer         string
		Kind           string
	}](t, "upload_certificate_is_not_repeated_and_quotes_nothing.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			pfx := []byte("a certificate of some length")
			encoded := base64.StdEncoding.EncodeToString(pfx)
			c, came := uploading(t, tt.Status, strings.ReplaceAll(tt.Answer, "FILE", encoded))
			_, err := c.UploadCertificate(t.Context(), "c1", pfx, tt.Password)
			wantKind(t, err, tt.Kind)
			expect.Is(t, len(*came), 1, "uploads")
			for _, secret := range []string{tt.Password, encoded} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %q: %v", secret, err)
				}
			}
			expect.Contains(t, err.Error(), "(secret)")
		})
	}
}

func TestWithoutSecret_leavesWordsAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct{ Secret, Text, Want string }](t, "without_secret_leaves_words_alone.json") {
		expect.Is(t, withoutSecret(tt.Text, tt.Secret), tt.Want, "%q without %q", tt.Text, tt.Secret)
	}
}

func TestIsCertificateRegistered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  *Error
		said string
		want bool
	}{
		{&Error{Status: 400}, "The certificate is already registered.", true},
		{&Error{Status: 422}, "Certificate has already been uploaded", true},
		{&Error{Status: 400}, "O certificado já está cadastrado", true},
		{&Error{Status: 400}, "Certificado ja cadastrado", true},
		{&Error{Status: 409}, "already exists", true},
		{&Error{Status: 200, Err: ErrNotSuccessful}, "already registered", true},
		{&Error{Status: 400}, "The certificate has already expired", false},
		{&Error{Status: 400}, "The certificate belongs to another company", false},
		{&Error{Status: 500}, "already registered", false},
	} {
		inMessage, inText := *tt.err, *tt.err
		inMessage.Messages, inText.Text = []FieldMessage{{tt.said, ""}}, tt.said
		if IsCertificateRegistered(&inMessage) != tt.want || IsCertificateRegistered(&inText) != tt.want {
			t.Errorf("%v: want %t", &inText, tt.want)
		}
	}
	if IsCertificateRegistered(nil) {
		t.Error("no error is one")
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	list := func(c *Client) ([]*Certificate, error) { return all(c.Certificates(t.Context(), "c1")) }
	runAnswers(t, exchange{method: "GET", path: "/v1/companies/c1/certificates?page=1&pageSize=100"}, list, []answered[[]*Certificate]{
		{"two", 200, `[{"id":"1"},{"id":"2"}]`, []*Certificate{{ID: "1", Raw: json.RawMessage(`{"id":"1"}`)}, {ID: "2", Raw: json.RawMessage(`{"id":"2"}`)}}, ""},
		{"one that could be any", 200, `[{"isActive":true}]`, nil, "bad answer, ambiguous"},
	})
}

// What stays the same of a certificate tells it from the others: not its spelling, nor what changes.
func TestCertificates_haveAnIDThatTheServiceDoesNotGive(t *testing.T) {
	t.Parallel()
	const one = `"subject":"CN=A","expirationAt":"2027-01-02T03:04:05Z"`
	c, _ := played(t, 0, status(200, `[{`+one+`},{"id":"","subject":"CN=A","expirationAt":"2027-01-02T00:04:05-03:00","isActive":false},
		{"id":null,"subject":"CN=A","expirationAt":"2028-01-02T03:04:05Z"},{"subject":"CN=B"}]`))
	listed, err := all(c.Certificates(t.Context(), "c1"))
	must(t, err)
	ids := map[Text]int{}
	for _, v := range listed {
		ids[v.ID]++
	}
	if len(ids) != 3 || ids[listed[0].ID] != 2 || ids[""] > 0 {
		t.Errorf("the ids are %v", ids)
	}
}
