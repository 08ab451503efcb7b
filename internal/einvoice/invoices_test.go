package einvoice

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestSameTime_comparesInstants(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		A, B Text
		Want bool
	}](t, "same_time_compares_instants.json") {
		expect.Is(t, SameTime(test.A, test.B), test.Want, "%q and %q", test.A, test.B)
	}
}

// An order that is listed without its invoices is read by id: nobody knows what became of them.
func TestRefreshOrder_sharesTheListOfOrders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		opts  sandbox.Options
		known bool
		byID  int
		lists int
	}{
		{name: "as known", known: true, byID: 1, lists: 1},
		{name: "otherwise", byID: 20, lists: 1},
		{name: "without invoices", opts: sandbox.Options{OrdersWithoutInvoices: true}, known: true, byID: 20, lists: 1},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			s := sandbox.Start(t, tt.opts)
			c := ownerOf(t, s)
			for i := range 20 {
				s.Seed(sandbox.KindOrders, map[string]any{"transactionId": strconv.Itoa(i)})
			}
			for _, object := range s.Objects(sandbox.KindOrders) {
				v, err := c.RefreshOrder(t.Context(), object["id"].(string), "", func(*Order) bool { return tt.known })
				if err != nil || string(v.TransactionID) != object["transactionId"] {
					t.Errorf("read as %+v, %v", v, err)
				}
			}
			if byID, lists := s.Count("GET", "/v1/orders/{id}"), s.Count("GET", "/v1/orders"); byID != tt.byID || lists != tt.lists {
				t.Errorf("%d reads by id, %d pages", byID, lists)
			}
		})
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
			expect.Same(t, tt.want, got)
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
	for _, tt := range rows.Read[[]struct {
		Status int
		Said   string
		Want   bool
	}](t, "is_certificate_registered.json") {
		err := map[int]error{200: ErrNotSuccessful}[tt.Status]
		for _, failure := range []*Error{
			{Status: tt.Status, Err: err, Messages: []FieldMessage{{tt.Said, ""}}}, {Status: tt.Status, Err: err, Text: tt.Said},
		} {
			expect.Is(t, IsCertificateRegistered(failure), tt.Want, "%v", failure)
		}
	}
	expect.Is(t, IsCertificateRegistered(nil), false, "no error is one")
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
