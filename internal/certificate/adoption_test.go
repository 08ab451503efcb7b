package certificate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCompanyCertificate_anAnswerAboutAnOlderOneIsNotBelieved(t *testing.T) {
	t.Parallel()
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	for name, test := range map[string]struct {
		kind  sandbox.FaultKind
		fails string
	}{
		"the uploaded one is in the list": {sandbox.FaultBody, ""},
		"the uploaded one is nowhere":     {sandbox.FaultStatus, `Response to an upload lost: company.*shows an older certificate.*Run apply again`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{CapitalIDsInLists: true})
			uploadOutside(t, s, fixture.CertificateIssuedTo(t, fixture.TestOwner, expires.AddDate(-1, 0, 20)))
			s.ResetRequests()
			older, err := json.Marshal(s.Objects(sandbox.KindCertificates)[0])
			expect.NoError(t, err)
			s.Inject(sandbox.Fault{Kind: test.kind, Method: "POST", Path: fixture.CertificatesPath, Status: 200, Body: string(older)})
			o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
			file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
			o.Run(testkit.Step{Arguments: certificateArguments(s, file, fixture.TestPFXPassword, "1"), Fails: test.fails})
			if end, _ := o.State()["expires_at"].(string); test.fails == "" && !strings.HasPrefix(end, expires.Format("2006-01-02T15:04:05")) {
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
