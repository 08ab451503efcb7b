package certificate

import (
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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var resp validator.StringResponse
			fileCheck.ValidateString(t.Context(), validator.StringRequest{Path: pathPFX, ConfigValue: test.value}, &resp)
			if test.want == "" {
				if len(resp.Diagnostics) != 0 {
					t.Errorf("got %v", resp.Diagnostics)
				}
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
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := certificateModel{ID: types.StringValue("1"), CompanyID: types.StringValue("c1"), Subject: types.StringValue("CN=A"), ExpiresAt: test.expiresAt, IsActive: test.active}
			diags := expiryWarning(t.Context(), &m, now)
			if test.want == "" {
				if len(diags) != 0 {
					t.Errorf("warns: %v", diags)
				}
				return
			}
			if len(diags) != 1 || diags.HasError() {
				t.Fatalf("got %v, want one warning", diags)
			}
			if text := diags[0].Summary() + ": " + diags[0].Detail(); !strings.Contains(text, test.want) {
				t.Errorf("got %s\nwant %s", text, test.want)
			}
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
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
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
