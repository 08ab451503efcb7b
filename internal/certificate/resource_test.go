package certificate_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// A certificate has no case for an update in place and for import: everything
// replaces, and the file cannot be read back.

// certificateArguments are those of a certificate of the main company.
func certificateArguments(s *sandbox.Server, file []byte, password, version string) string {
	return fmt.Sprintf(`
  company_id            = %q
  pfx_base64_wo         = %q
  password_wo           = %q
  pfx_base64_wo_version = %q
`, s.OwnerCompanyID(), base64.StdEncoding.EncodeToString(file), password, version)
}

// runSteps runs steps on a certificate over the protocol.
func runSteps(t *testing.T, s *sandbox.Server, steps ...testkit.Step) {
	t.Helper()
	testkit.Serve(t, s, nil).Object("einvoice_company_certificate").Run(steps...)
}

// uploadOutside gives the main company a certificate without the provider.
func uploadOutside(t *testing.T, s *sandbox.Server, file []byte) {
	t.Helper()
	client := fixture.OwnerClient(t, s)
	if _, err := client.UploadCertificate(t.Context(), s.OwnerCompanyID(), file, fixture.TestPFXPassword); err != nil {
		t.Fatal(err)
	}
}

func countUploads(s *sandbox.Server) int { return s.Count("POST", fixture.CertificatesPath) }

func TestCompanyCertificate_aNewVersionReplacesAndANewFileAloneDoesNot(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
	o.Run(testkit.Step{Arguments: certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "a", "pass-a"), "pass-a", "1")})
	first := o.State()["id"]
	o.Run(
		testkit.Step{Arguments: certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "b", "pass-b"), "pass-b", "1"), Plans: plancheck.ResourceActionNoop},
		testkit.Step{
			Arguments: certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "b", "pass-b"), "pass-b", "2"), Plans: plancheck.ResourceActionReplace,
			State: map[string]any{"is_active": true},
		},
	)
	if second := o.State()["id"]; second == first {
		t.Errorf("the certificate still has the id %v", first)
	}
	expect.Is(t, countUploads(s), 2, "uploads")
}

func TestCompanyCertificate_isReadFromTheService(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	arguments := certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "a", "pass-a"), "pass-a", "1")
	fails := func(status int) func() {
		return func() {
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.CertificatesPath, Status: status, Message: "no access"})
		}
	}
	runSteps(t, s,
		testkit.Step{Arguments: arguments},
		testkit.Step{ // A later upload elsewhere is shown, and is no reason to upload again.
			Before: func() {
				uploadOutside(t, s, fixture.CertificateOnlyTheServiceReads(s, "later", fixture.TestPFXPassword))
			},
			Arguments: arguments, Plans: plancheck.ResourceActionNoop, State: map[string]any{"is_active": false},
		},
		testkit.Step{
			Before:    func() { s.Remove(sandbox.KindCertificates, s.Objects(sandbox.KindCertificates)[0]["id"].(string)) },
			Arguments: arguments, Plans: plancheck.ResourceActionCreate, State: map[string]any{"is_active": true},
		},
		testkit.Step{Before: fails(403), Arguments: arguments, Fails: `Cannot read certificates.*no access`},
		// A 404 of the list alone does not prove that the company is gone.
		testkit.Step{Before: fails(404), Arguments: arguments, Fails: `list_certificates`},
	)
}

func TestCompanyCertificate_goesWithItsCompany(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	company := s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "45997418000153"})
	arguments := strings.Replace(certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "a", "pass-a"), "pass-a", "1"), s.OwnerCompanyID(), company, 1)
	runSteps(t, s,
		testkit.Step{Arguments: arguments},
		// It would be created again, for a company that is gone.
		testkit.Step{Before: func() { s.Remove(sandbox.KindCompanies, company) }, Arguments: arguments, PlanOnly: true, Plans: plancheck.ResourceActionCreate},
	)
}

// Only the service can read these files: the provider takes the active certificate, if there is one.
func TestCompanyCertificate_adoptsTheActiveOneThatTheCompanyHas(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, name := range []string{"old", "a"} {
		uploadOutside(t, s, fixture.CertificateOnlyTheServiceReads(s, name, fixture.TestPFXPassword))
	}
	s.ResetRequests()
	arguments := certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "a", fixture.TestPFXPassword), fixture.TestPFXPassword, "1")
	runSteps(t, s, testkit.Step{
		Arguments: arguments, State: map[string]any{"id": s.Objects(sandbox.KindCertificates)[1]["id"], "is_active": true},
	})
	expect.Is(t, countUploads(s), 1, "uploads")
	testkit.PatchAll(s, sandbox.KindCertificates, map[string]any{"isActive": false})
	runSteps(t, s, testkit.Step{Arguments: arguments, Fails: `Certificate already registered, but not identified.*back office`})
}

func TestCompanyCertificate_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte("\x30\x82"))
	testkit.WantRefusals(t, "einvoice_company_certificate", map[string]any{
		"company_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "pfx_base64_wo": encoded, "password_wo": "right", "pfx_base64_wo_version": "1",
	}, rows.Read[[]testkit.Refusal](t, "company_certificate_refuses_wrong_values_while_planning.json"))
}

func TestCompanyCertificate_unknownValuesAreCheckedWhenTheyAreKnown(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
	config := func(file, password any) tftypes.Value {
		return o.Value(o.Type, map[string]any{"company_id": s.OwnerCompanyID(), "pfx_base64_wo": file, "password_wo": password, "pfx_base64_wo_version": "1"})
	}
	good := base64.StdEncoding.EncodeToString(fixture.CertificateOnlyTheServiceReads(s, "a", "pass-a"))
	for _, test := range []struct{ file, password, want string }{
		{"no base64!", "x", "Certificate is not base64"},
		{good, "", "Empty password"},
		{good, "pass-a", ""},
	} {
		planned := o.MustPlan(config(tftypes.UnknownValue, tftypes.UnknownValue))
		failed := testkit.ErrorsIn(o.Apply(config(test.file, test.password), planned))
		if (test.want == "") != (failed == "") || !strings.Contains(failed, test.want) {
			t.Errorf("the error is %q, want %q", failed, test.want)
		}
	}
	expect.Is(t, countUploads(s), 1, "uploads")
}

func TestCompanyCertificate_warnsBeforeItEnds(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, time.Now().AddDate(0, 0, 12))
	o := testkit.Serve(t, s, nil).Object("einvoice_company_certificate")
	arguments := map[string]any{
		"company_id": s.OwnerCompanyID(), "pfx_base64_wo": base64.StdEncoding.EncodeToString(file), "password_wo": fixture.TestPFXPassword, "pfx_base64_wo_version": "1",
	}
	_, said := o.Create(arguments)
	if len(said) != 1 || said[0].Summary != "Certificate expires soon: company "+s.OwnerCompanyID() {
		t.Errorf("the creation says %v", said)
	}
	heard := o.Refresh()
	_, planned := o.Plan(o.Value(o.Type, arguments))
	if heard = append(heard, planned...); len(heard) != 1 || heard[0].Summary != said[0].Summary {
		t.Errorf("a plan says %v, want it once", heard)
	}
	stays := "Certificate stays at the service: company " + s.OwnerCompanyID()
	if _, warned := o.PlanDestroy(); len(warned) != 1 || warned[0].Summary != stays {
		t.Errorf("the plan to destroy says %v", warned)
	}
}

// An old entry without an id must not stop an upload, nor a new one be taken for lost.
func TestCompanyCertificate_withoutAnIDFromTheService(t *testing.T) {
	t.Parallel()
	entry := func(end, active string) string {
		return `{"id":null,"subject":"CN=PADARIA","issuer":"CN=AC","expirationAt":"` + end + `","isActive":` + active + `}`
	}
	old, active := entry("2046-01-01T00:00:00Z", "false"), entry("2047-01-01T00:00:00Z", "true")
	listed := strings.Replace(active, "null", `"2cf1a0a4-9a53-4b0b-8f5c-6b7f6f0b7a11"`, 1)
	for name, shown := range map[string]struct{ answer, listed string }{
		"in the answer and in the list": {active, active}, "in the list alone": {`{"success":true}`, active}, "with an id in the list": {active, listed},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Method: "POST", Path: fixture.CertificatesPath, Kind: sandbox.FaultBody, Body: shown.answer})
			s.Inject(sandbox.Fault{Method: "GET", Path: fixture.CertificatesPath, Kind: sandbox.FaultBody, Body: "[" + old + "]"})
			s.Inject(sandbox.Fault{Method: "GET", Path: fixture.CertificatesPath, Kind: sandbox.FaultBody, Body: "[" + old + "," + shown.listed + "]", Times: -1})
			arguments := certificateArguments(s, fixture.CertificateOnlyTheServiceReads(s, "a", fixture.TestPFXPassword), fixture.TestPFXPassword, "1")
			step := testkit.Step{Arguments: arguments, State: map[string]any{"expires_at": "2047-01-01T00:00:00Z", "is_active": true}}
			runSteps(t, s, step)
			expect.Is(t, countUploads(s), 1, "uploads")
			state, failed := testkit.Serve(t, s, nil).ReadData("einvoice_company_certificates", map[string]any{"company_id": s.OwnerCompanyID()})
			if listed, _ := state["certificates"].([]any); failed != "" || len(listed) != 2 || state["days_left"] == nil {
				t.Errorf("the data source reads %v, and says %q", state, failed)
			}
		})
	}
}

func TestCompanyCertificate_anAnswerAboutAnOlderOneIsNotBelieved(t *testing.T) {
	t.Parallel()
	expires := time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)
	for name, test := range map[string]struct {
		kind  sandbox.FaultKind
		fails string
	}{
		"the uploaded one is in the list": {sandbox.FaultBody, ""},
		"the uploaded one is nowhere":     {sandbox.FaultStatus, `Upload of a certificate without a response: company.*shows an older certificate.*Run apply again`},
	} {
		rows.Case(t, name, func(t *testing.T) {
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
			expect.Is(t, countUploads(s), 1, "uploads")
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

const certificatesSource = "einvoice_company_certificates"

// seedCertificate gives the main company a certificate that expires after a time.
func seedCertificate(s *sandbox.Server, subject string, left time.Duration, active bool) {
	s.Seed(sandbox.KindCertificates, map[string]any{
		"subject": subject, "issuer": "CN=AC TESTE", "isActive": active, "expirationAt": time.Now().Add(left).Format(time.RFC3339), "_companyId": s.OwnerCompanyID(),
	})
}

func TestCompanyCertificatesDataSource_countsTheDaysOfTheActiveOne(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		left   map[string]time.Duration // by subject; that of "active" is active
		days   any                      // of the active one
		listed []any                    // days of each
	}{
		"none":                     {nil, nil, []any{}},
		"only old ones":            {map[string]time.Duration{"old": -40 * day}, nil, []any{-40.0 - 1}},
		"one beside an old one":    {map[string]time.Duration{"old": 3*day + time.Hour, "active": 100*day + time.Hour}, 100.0, []any{3.0, 100.0}},
		"the last day":             {map[string]time.Duration{"active": time.Hour}, 0.0, []any{0.0}},
		"expired an hour ago":      {map[string]time.Duration{"active": -time.Hour}, -1.0, []any{-1.0}},
		"another one lasts longer": {map[string]time.Duration{"active": 5*day + time.Hour, "next": 365*day + time.Hour}, 5.0, []any{5.0, 365.0}},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			for subject, left := range test.left {
				seedCertificate(s, subject, left, subject == "active")
			}
			s.Seed(sandbox.KindCertificates, map[string]any{"subject": "another company's", "isActive": true, "_companyId": "another"})
			state, failed := testkit.Serve(t, s, nil).ReadData(certificatesSource, map[string]any{"company_id": s.OwnerCompanyID()})
			if failed != "" {
				t.Fatal(failed)
			}
			listed := []any{}
			certificates, _ := state["certificates"].([]any)
			for _, one := range certificates {
				members, _ := one.(map[string]any)
				listed = append(listed, members["days_left"])
			}
			expect.Same(t, []any{test.days, test.listed}, []any{state["days_left"], listed}, "days that are left")
			fixture.WantRequests(t, s, "", "", 1)
		})
	}
}

func TestCompanyCertificatesDataSource_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for company, want := range map[string]string{"7c9e6679-7425-40de-944b-e07fc1f90ae7": "Company not found", "": "Empty company id"} {
		_, failed := testkit.Serve(t, s, nil).ReadData(certificatesSource, map[string]any{"company_id": company})
		expect.Contains(t, failed, want)
	}
}
