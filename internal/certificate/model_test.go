package certificate

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
	encoded, longer := base64.StdEncoding.EncodeToString(file), append(slices.Clone(file), 1)
	lines := regexp.MustCompile(".{1,76}").ReplaceAllString(encoded, "$0\r\n") // As base64 writes them.
	unpadded := strings.TrimRight(base64.StdEncoding.EncodeToString(longer), "=")
	for text, want := range map[string][]byte{
		encoded: file, lines: file, unpadded: longer, "": nil, "certificate.pfx": nil, "MA-_": nil, // The alphabet of URLs.
	} {
		if got, err := certificateFile(text); (err == nil) != (want != nil) || want != nil && !bytes.Equal(got, want) {
			t.Errorf("%.20q: %v %v", text, err, got)
		}
	}
}

func TestFileCheck_showsNothingOfTheFile(t *testing.T) {
	t.Parallel()
	encode := func(s string) types.String { return types.StringValue(base64.StdEncoding.EncodeToString([]byte(s))) }
	file := string(fixture.CertificateIssuedTo(t, fixture.TestOwner, time.Now().AddDate(1, 0, 0)))
	for value, want := range map[types.String]string{
		encode(file): "", types.StringUnknown(): "", types.StringNull(): "",
		types.StringValue("SECRET!"): "not base64", encode("-----BEGIN SECRET"): "openssl pkcs12 -export",
	} {
		var resp validator.StringResponse
		fileCheck.ValidateString(t.Context(), validator.StringRequest{Path: pathPFX, ConfigValue: value}, &resp)
		if said := resp.Diagnostics; len(said) != min(1, len(want)) || len(said.Errors()) != len(said) {
			t.Errorf("got %v, want %q", said, want)
		} else if want != "" {
			fixture.WantTexts(t, said, want)
			shown := said[0].Summary() + said[0].Detail()
			if strings.Contains(shown, "SECRET") || strings.Contains(shown, encode("SECRET").ValueString()[:8]) {
				t.Errorf("the value is shown: %s", shown)
			}
		}
	}
}

func TestExpiryWarning(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, test := range rows.Read[map[string]struct {
		ExpiresAt *string
		Active    *bool
		Want      string // "" for no warning
	}](t, "expiry_warning.json") {
		m := certificateModel{
			ID: types.StringValue("1"), CompanyID: types.StringValue("c1"), Subject: types.StringValue("CN=A"),
			ExpiresAt: types.StringPointerValue(test.ExpiresAt), IsActive: types.BoolPointerValue(test.Active),
		}
		diags := expiryWarning(t.Context(), &m, now)
		if diags.HasError() || len(diags) != min(1, len(test.Want)) {
			t.Errorf("%s: got %v, want %q", name, diags, test.Want)
		} else if test.Want != "" {
			expect.Contains(t, diags[0].Summary()+": "+diags[0].Detail(), test.Want, "%s:", name)
		}
	}
}

func TestRequestError_isOnTheArgumentItIsAbout(t *testing.T) {
	t.Parallel()
	var schema resource.SchemaResponse
	NewResource().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	upload := message.Task("upload", "certificate")
	for name, test := range rows.Read[map[string]struct {
		Status         int
		Body, At, Want string
	}](t, "request_error_is_on_the_argument_it_is_about.json") {
		rows.Case(t, name, func(t *testing.T) {
			failure := fixture.FailureOf(t, test.Status, nil, test.Body)
			diags := requestError(t.Context(), upload, "id-1", failure, schema.Schema)
			expect.Is(t, len(diags), 1, "diagnostics %v", diags)
			fixture.WantTexts(t, diags, test.Want)
			at := path.Empty()
			if d, ok := diags[0].(diag.DiagnosticWithPath); ok {
				at = d.Path()
			}
			expect.Is(t, at.String(), test.At, "it is on")
		})
	}
	unknown := requestError(t.Context(), upload, "id-1", errors.New("no way"), schema.Schema)
	fixture.WantTexts(t, unknown, "Cannot upload certificate", "No way.")
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

// The file ends at noon of the first of March 2027, UTC.
func TestAmong_findsTheCertificateOfTheFile(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Unread  bool // the file
		Listed  []*einvoice.Certificate
		Want    einvoice.Text
		Certain bool
	}](t, "among_finds_the_certificate_of_the_file.json") {
		expires := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
		if test.Unread {
			expires = time.Time{}
		}
		found, certain := among(test.Listed, expires)
		if found == nil {
			found = &einvoice.Certificate{}
		}
		if found.ID != test.Want || certain != test.Certain {
			t.Errorf("%s: found %q, certain %t; want %q, %t", name, found.ID, certain, test.Want, test.Certain)
		}
	}
}
