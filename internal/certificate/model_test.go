package certificate

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCertificateFile_isDecodedInEveryForm(t *testing.T) {
	t.Parallel()
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, time.Now().AddDate(1, 0, 0))
	testPFX := base64.StdEncoding.EncodeToString(file)
	var wrapped strings.Builder
	for i := 0; i < len(testPFX); i += 76 {
		wrapped.WriteString(testPFX[i:min(i+76, len(testPFX))] + "\r\n")
	}
	for _, test := range []struct {
		name, text string
		want       []byte
		ok         bool
	}{
		{"one line", testPFX, file, true},
		{"lines, as base64 writes them", wrapped.String(), file, true},
		{"no padding", strings.TrimRight(base64.StdEncoding.EncodeToString(append(file, 1)), "="), append(file, 1), true},
		{"nothing", "", nil, false},
		{"a path", "certificate.pfx", nil, false},
		{"the alphabet of URLs", "MA-_", nil, false},
	} {
		got, err := certificateFile(test.text)
		if diff := cmp.Diff(test.want, got); (err == nil) != test.ok || test.ok && diff != "" {
			t.Errorf("%s: %v %s", test.name, err, diff)
		}
	}
}

func TestFileCheck_showsNothingOfTheFile(t *testing.T) {
	t.Parallel()
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	file := string(fixture.CertificateIssuedTo(t, fixture.TestOwner, time.Now().AddDate(1, 0, 0)))
	for _, test := range []struct {
		name     string
		value    types.String
		severity diag.Severity
		want     string
	}{
		{"a real file", types.StringValue(encode(file)), diag.SeverityInvalid, ""},
		{"an unknown one", types.StringUnknown(), diag.SeverityInvalid, ""},
		{"none", types.StringNull(), diag.SeverityInvalid, ""},
		{"no base64", types.StringValue("SECRET!"), diag.SeverityError, "not base64"},
		{"PEM", types.StringValue(encode("-----BEGIN SECRET")), diag.SeverityError, "openssl pkcs12 -export"},
	} {
		rows.Case(t, test.name, func(t *testing.T) {
			var resp validator.StringResponse
			fileCheck.ValidateString(t.Context(), validator.StringRequest{Path: pathPFX, ConfigValue: test.value}, &resp)
			if test.want == "" {
				expect.Is(t, len(resp.Diagnostics), 0, "got %v", resp.Diagnostics)
				return
			}
			if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Severity() != test.severity {
				t.Fatalf("got %v, want one %s", resp.Diagnostics, test.severity)
			}
			fixture.WantTexts(t, resp.Diagnostics, test.want)
			shown := resp.Diagnostics[0].Summary() + resp.Diagnostics[0].Detail()
			if strings.Contains(shown, "SECRET") || strings.Contains(shown, encode("SECRET")[:8]) {
				t.Errorf("the value is shown: %s", shown)
			}
		})
	}
}

func TestExpiryWarning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name      string
		expiresAt types.String
		active    types.Bool
		want      string
	}{
		{"thirty days to the second", types.StringValue("2026-12-20T12:00:00Z"), types.BoolValue(true), ""},
		{"a second less", types.StringValue("2026-12-20T11:59:59Z"), types.BoolValue(true), "Certificate expires soon: company c1: Certificate \"CN=A\" of company c1 expires at 2026-12-20T11:59:59Z, in 29 days."},
		{"a day and a half", types.StringValue("2026-11-22T00:00:00Z"), types.BoolNull(), "in 1 day."},
		{"an hour", types.StringValue("2026-11-20T13:00:00Z"), types.BoolValue(true), "in less than a day."},
		{"without an offset it is São Paulo time", types.StringValue("2026-11-20T09:30:00"), types.BoolValue(true), "in less than a day."},
		{"this moment", types.StringValue("2026-11-20T12:00:00Z"), types.BoolValue(true), "Certificate has expired"},
		{"last year", types.StringValue("2025-11-20T12:00:00Z"), types.BoolValue(true), "expired at 2025-11-20T12:00:00Z"},
		{"one that another has replaced", types.StringValue("2025-11-20T12:00:00Z"), types.BoolValue(false), ""},
		{"an end that is not told", types.StringNull(), types.BoolValue(true), ""},
		{"an end that cannot be read", types.StringValue("soon"), types.BoolValue(true), ""},
	} {
		rows.Case(t, test.name, func(t *testing.T) {
			m := certificateModel{ID: types.StringValue("1"), CompanyID: types.StringValue("c1"), Subject: types.StringValue("CN=A"), ExpiresAt: test.expiresAt, IsActive: test.active}
			diags := expiryWarning(t.Context(), &m, now)
			if test.want == "" {
				expect.Is(t, len(diags), 0, "warns: %v", diags)
				return
			}
			if len(diags) != 1 || diags.HasError() {
				t.Fatalf("got %v, want one warning", diags)
			}
			expect.Contains(t, diags[0].Summary()+": "+diags[0].Detail(), test.want)
		})
	}
}

func TestRequestError_isOnTheArgumentItIsAbout(t *testing.T) {
	t.Parallel()
	var schema resource.SchemaResponse
	NewResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	for _, test := range []struct {
		name, body string
		status     int
		at         path.Path
		want       string
	}{
		{"a wrong password", `{"errors":[{"message":"It is invalid","path":"Password"}]}`, 400, pathPassword, "API message: It is invalid."},
		{"a wrong password without a path", `{"errors":[{"message":"The certificate password is invalid.","path":null}]}`, 400, pathPassword, "password is invalid."},
		{"in Portuguese", `{"message":"Senha do certificado incorreta"}`, 400, pathPassword, "Senha do certificado incorreta."},
		{"a wrong file", `{"errors":[{"message":"It is no certificate","path":"certificateFile"}]}`, 400, pathPFX, "It is no certificate."},
		{"a file without a path", `{"message":"The certificate is of another company"}`, 400, pathPFX, "another company."},
		{"something else", `{"message":"The plan does not allow it"}`, 400, path.Empty(), "The plan does not allow it."},
		{"an unknown company", ``, 404, path.Root("company_id"), "main company's"},
		{"a key that may not", ``, 403, path.Empty(), "need the main company's key"},
	} {
		rows.Case(t, test.name, func(t *testing.T) {
			diags := requestError(t.Context(), message.Task("upload", "certificate"), "id-1", fixture.FailureOf(t, test.status, nil, test.body), schema.Schema)
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want 1: %v", len(diags), diags)
			}
			fixture.WantTexts(t, diags, test.want)
			at := path.Empty()
			if d, ok := diags[0].(diag.DiagnosticWithPath); ok {
				at = d.Path()
			}
			if !at.Equal(test.at) {
				t.Errorf("the diagnostic is on %q, want %q", at, test.at)
			}
		})
	}
	fixture.WantTexts(t, requestError(t.Context(), message.Task("upload", "certificate"), "id-1", errors.New("no way"), schema.Schema), "Cannot upload certificate", "No way.")
}

func TestReadExpiry_findsTheCertificateOfTheKey(t *testing.T) {
	t.Parallel()
	expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	authority, certificate, key := fixture.CertificateChain(t, fixture.TestOwner, expires)
	encode := func(with *pkcs12.Encoder, first *x509.Certificate, others ...*x509.Certificate) []byte {
		t.Helper()
		file, err := with.Encode(key, first, others, fixture.TestPFXPassword)
		expect.NoError(t, err)
		return file
	}
	none := time.Time{}
	for _, test := range []struct {
		name     string
		file     []byte
		password string
		want     time.Time
	}{
		{"one of today", encode(pkcs12.Modern, certificate, authority), fixture.TestPFXPassword, expires},
		{"one of the authorities' old programs", encode(pkcs12.LegacyRC2, certificate, authority), fixture.TestPFXPassword, expires},
		{"one with 3DES", encode(pkcs12.LegacyDES, certificate), fixture.TestPFXPassword, expires},
		{"one with the authority first", encode(pkcs12.Modern, authority, certificate), fixture.TestPFXPassword, expires},
		{"a wrong password", encode(pkcs12.Modern, certificate), "wrong", none},
		{"no PKCS #12 file", []byte("\x30\x82a"), fixture.TestPFXPassword, none},
		{"nothing", nil, fixture.TestPFXPassword, none},
	} {
		if got := readExpiry(test.file, test.password); !got.Equal(test.want) {
			t.Errorf("%s: it expires at %s, want %s", test.name, got, test.want)
		}
	}
}

func TestAmong_findsTheCertificateOfTheFile(t *testing.T) {
	t.Parallel()
	flag := func(f einvoice.Flag) *einvoice.Flag { return &f }
	held := func(id, end einvoice.Text, active *einvoice.Flag) *einvoice.Certificate {
		return &einvoice.Certificate{ID: id, ExpirationAt: end, IsActive: active}
	}
	expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	const same, other = "2027-03-01", "2026-03-01"
	for _, test := range []struct {
		name    string
		expires time.Time
		listed  []*einvoice.Certificate
		want    einvoice.Text
		certain bool
	}{
		{"none", expires, nil, "", false},
		{"the one that ends when the file does", expires, []*einvoice.Certificate{held("a", other, flag(true)), held("b", same, flag(false))}, "b", true},
		{"one that ends then in another zone", expires, []*einvoice.Certificate{held("a", "2027-03-01T09:00:00", nil), held("b", other, flag(true))}, "a", true},
		{"the only one that it may be", expires, []*einvoice.Certificate{held("a", other, flag(true)), held("b", "", flag(false))}, "b", true},
		{"the only one, whatever the file is", time.Time{}, []*einvoice.Certificate{held("a", other, nil)}, "a", true},
		{"the active one of two that it may be", expires, []*einvoice.Certificate{held("a", "", flag(false)), held("b", same, flag(true)), held("c", other, flag(true))}, "b", false},
		{"two that are active", time.Time{}, []*einvoice.Certificate{held("a", same, flag(true)), held("b", other, flag(true))}, "", false},
		{"two that are not", time.Time{}, []*einvoice.Certificate{held("a", same, flag(false)), held("b", other, nil)}, "", false},
		{"others alone", expires, []*einvoice.Certificate{held("a", other, flag(true))}, "", false},
	} {
		found, certain := among(test.listed, test.expires)
		if found == nil {
			found = &einvoice.Certificate{}
		}
		if found.ID != test.want || certain != test.certain {
			t.Errorf("%s: found %q, certain %t; want %q, %t", test.name, found.ID, certain, test.want, test.certain)
		}
	}
}
