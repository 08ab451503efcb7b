package certificate_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCompanyCertificate_anAnswerAboutAnotherIsNotBelieved(t *testing.T) {
	t.Parallel()
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	older := fmt.Sprintf(`{"id":"old-1","subject":"CN=%s","issuer":"CN=AC TESTE","expirationAt":%q,"isActive":true}`, fixture.TestOwner, expires.AddDate(-1, 0, 20).Format(time.RFC3339))
	for _, test := range []struct {
		name  string
		kind  sandbox.FaultKind
		taken bool
	}{
		{"the uploaded one is in the list", sandbox.FaultBody, true},
		{"the uploaded one is nowhere", sandbox.FaultStatus, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
			s.Inject(sandbox.Fault{Kind: test.kind, Method: "POST", Path: fixture.CertificatesPath, Status: 200, Body: older})
			o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
			step := testkit.Step{Arguments: certificateArguments(s, file, fixture.TestPFXPassword, "1")}
			if !test.taken {
				step.Fails = `Upload answered with another certificate: company.*old-1.*run apply again`
			}
			o.Run(step)
			if end, _ := o.State()["expires_at"].(string); test.taken && !strings.HasPrefix(end, expires.Format("2006-01-02T15:04:05")) {
				t.Errorf("the certificate ends at %s, want %s", end, expires)
			}
			if n := countUploads(s); n != 1 {
				t.Errorf("%d uploads, want 1", n)
			}
		})
	}
}

func TestCompanyCertificate_adoptsTheOneThatTheFileSays(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	uploadOutside(t, s, file)
	id := s.Objects(sandbox.KindCertificates)[0]["id"].(string)
	later := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires.AddDate(1, 0, 0))
	uploadOutside(t, s, later)
	runSteps(t, s, testkit.Step{
		Arguments: certificateArguments(s, file, fixture.TestPFXPassword, "1"), State: map[string]any{"id": id, "is_active": false},
	})
}

// It is in the list since the upload, so that it is the uploaded one, whatever the
// service reads in the file.
func TestCompanyCertificate_saysWhatTheServiceReadsOtherwise(t *testing.T) {
	t.Parallel()
	expires := time.Now().AddDate(1, 0, 0)
	owner := "CN=" + fixture.TestOwner
	for name, test := range map[string]struct {
		subject string
		expires time.Time
		says    string
	}{
		"the subject": {"CN=OUTRA LTDA:45997418000153", expires, `Subject of the certificate differs(.|\n)*MATRIZ(.|\n)*OUTRA`},
		"the expiry":  {owner, expires.AddDate(1, 0, 0), `Expiry of the certificate differs(.|\n)*` + expires.UTC().Format("2006-01-02")},
		"neither":     {owner, expires, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{CapitalIDsInLists: true})
			file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
			s.ExpectCertificate(file, fixture.TestPFXPassword, test.subject, "CN=AC TESTE", test.expires)
			o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
			_, said := o.Create(map[string]any{
				"company_id": s.OwnerCompanyID(), "pfx_base64_wo": base64.StdEncoding.EncodeToString(file), "password_wo": fixture.TestPFXPassword, "pfx_base64_wo_version": "1",
			})
			text := ""
			for _, d := range said {
				text += d.Summary + "\n" + d.Detail
			}
			if !regexp.MustCompile("^"+test.says).MatchString(text) || test.says == "" && text != "" || len(said) > 1 {
				t.Errorf("it says %q, want %q", text, test.says)
			}
			if end, _ := o.State()["expires_at"].(string); !strings.HasPrefix(end, test.expires.UTC().Format("2006-01-02")) {
				t.Errorf("the state has %q, want %s", end, test.expires)
			}
		})
	}
}
