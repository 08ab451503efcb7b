package certificate_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccCompanyCertificate_anAnswerAboutAnotherIsNotBelieved(t *testing.T) {
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
			s := sandbox.Start(t, sandbox.Options{})
			file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
			s.ExpectCertificate(file, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires)
			s.Inject(sandbox.Fault{Kind: test.kind, Method: "POST", Path: fixture.CertificatesPath, Status: 200, Body: older})
			step := resource.TestStep{Config: certificateConfig(s, file, fixture.TestPFXPassword, "1")}
			if test.taken {
				step.ConfigStateChecks = []statecheck.StateCheck{expectCertificate("expires_at", knownvalue.StringRegexp(regexp.MustCompile("^"+expires.Format("2006-01-02T15:04:05"))))}
			} else {
				step.ExpectError = regexp.MustCompile(`Upload answered with another certificate: company(.|\n)*old-1(.|\n)*run\s+apply\s+again`)
			}
			testCertificate(t, step)
			if n := countUploads(s); n != 1 {
				t.Errorf("%d uploads, want 1", n)
			}
		})
	}
}

func TestAccCompanyCertificate_adoptsTheOneThatTheFileSays(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	s.ExpectCertificate(file, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires)
	uploadOutside(t, s, file)
	id := s.Objects(sandbox.KindCertificates)[0]["id"].(string)
	later := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires.AddDate(1, 0, 0))
	s.ExpectCertificate(later, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires.AddDate(1, 0, 0))
	uploadOutside(t, s, later)
	testCertificate(t, resource.TestStep{
		Config: certificateConfig(s, file, fixture.TestPFXPassword, "1"),
		ConfigStateChecks: []statecheck.StateCheck{
			expectCertificate("id", knownvalue.StringExact(id)), expectCertificate("is_active", knownvalue.Bool(false)),
		},
	})
}

func TestAccCompanyCertificate_saysWhereTheSubjectDiffers(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Now().AddDate(1, 0, 0)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	s.ExpectCertificate(file, fixture.TestPFXPassword, "CN=OUTRA LTDA:45997418000153", "CN=AC TESTE", expires)
	output := certificateWorkspace(t, s, file, fixture.TestPFXPassword).MustApply()
	if !regexp.MustCompile(`Warning: Subject of the certificate differs(.|\n)*PADARIA(.|\n)*OUTRA`).MatchString(output) {
		t.Errorf("nothing is said of another subject:\n%s", output)
	}
}
