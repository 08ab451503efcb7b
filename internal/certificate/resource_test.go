package certificate_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A certificate has no case for an update in place and for import: everything
// replaces, and the file cannot be read back.

func certificateConfig(s *sandbox.Server, file []byte, password, version string) string {
	return acctest.Config(s, fmt.Sprintf(`resource "einvoice_company_certificate" "test" {
  company_id            = %q
  pfx_base64_wo         = %q
  password_wo           = %q
  pfx_base64_wo_version = %q
}`, s.OwnerCompanyID(), base64.StdEncoding.EncodeToString(file), password, version))
}

func expectCertificate(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(fixture.CertificateAddress, tfjsonpath.New(name), value)
}

func plansCertificate(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(fixture.CertificateAddress, action)}}
}

// testCertificate runs steps on the CLIs that know write-only arguments.
func testCertificate(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)},
		Steps:                    steps,
	})
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

func TestAccCompanyCertificate_uploadsARealFile(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	expires := time.Date(2046, 1, 1, 0, 0, 0, 0, time.UTC)
	file := fixture.CertificateIssuedTo(t, fixture.TestOwner, expires)
	s.ExpectCertificate(file, fixture.TestPFXPassword, "CN="+fixture.TestOwner, "CN=AC TESTE", expires)
	config := certificateConfig(s, file, fixture.TestPFXPassword, "1")
	testCertificate(t,
		resource.TestStep{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				expectCertificate("id", knownvalue.NotNull()),
				expectCertificate("subject", knownvalue.StringExact("CN=PADARIA CENTRAL LTDA:11222333000181")),
				expectCertificate("issuer", knownvalue.StringExact("CN=AC TESTE")),
				expectCertificate("expires_at", knownvalue.StringRegexp(regexp.MustCompile(`^2046-01-01T00:00:00`))),
				expectCertificate("is_active", knownvalue.Bool(true)),
				expectCertificate("pfx_base64_wo", knownvalue.Null()),
				expectCertificate("password_wo", knownvalue.Null()),
			},
		},
		resource.TestStep{Config: config, ConfigPlanChecks: plansCertificate(plancheck.ResourceActionNoop)},
	)
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d writes, want the upload alone: destroying sends nothing", n)
	}
	if n := len(s.Objects(sandbox.KindCertificates)); n != 1 {
		t.Errorf("%d certificates at the service, want 1", n)
	}
	sent, _ := s.Last("POST", fixture.CertificatesPath)
	if !strings.Contains(string(sent.Body), string(file)) {
		t.Error("the file was not sent byte for byte")
	}
}

func TestAccCompanyCertificate_aNewVersionReplacesAndANewFileAloneDoesNot(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	differ := statecheck.CompareValue(compare.ValuesDiffer())
	id := func() statecheck.StateCheck {
		return differ.AddStateValue(fixture.CertificateAddress, tfjsonpath.New("id"))
	}
	testCertificate(t,
		resource.TestStep{Config: certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1"), ConfigStateChecks: []statecheck.StateCheck{id()}},
		resource.TestStep{Config: certificateConfig(s, fixture.CertificateFileNamed("b"), "pass-b", "1"), ConfigPlanChecks: plansCertificate(plancheck.ResourceActionNoop)},
		resource.TestStep{
			Config:            certificateConfig(s, fixture.CertificateFileNamed("b"), "pass-b", "2"),
			ConfigPlanChecks:  plansCertificate(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{id(), expectCertificate("is_active", knownvalue.Bool(true))},
		},
	)
	if n := countUploads(s); n != 2 {
		t.Errorf("%d uploads, want 2", n)
	}
}

func TestAccCompanyCertificate_anotherCompanyReplaces(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	other := s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "45997418000153"})
	config := certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1")
	testCertificate(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			Config:            strings.Replace(config, s.OwnerCompanyID(), other, 1),
			ConfigPlanChecks:  plansCertificate(plancheck.ResourceActionReplace),
			ConfigStateChecks: []statecheck.StateCheck{expectCertificate("company_id", knownvalue.StringExact(other))},
		},
	)
}

func TestAccCompanyCertificate_isReadFromTheService(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1")
	uploaded := func() string { return s.Objects(sandbox.KindCertificates)[0]["id"].(string) }
	testCertificate(t,
		resource.TestStep{Config: config},
		resource.TestStep{ // A later upload elsewhere is shown, and is no reason to upload again.
			PreConfig:         func() { uploadOutside(t, s, fixture.CertificateFileNamed("later")) },
			Config:            config,
			ConfigPlanChecks:  plansCertificate(plancheck.ResourceActionNoop),
			ConfigStateChecks: []statecheck.StateCheck{expectCertificate("is_active", knownvalue.Bool(false))},
		},
		resource.TestStep{
			PreConfig:         func() { s.Remove(sandbox.KindCertificates, uploaded()) },
			Config:            config,
			ConfigPlanChecks:  plansCertificate(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{expectCertificate("is_active", knownvalue.Bool(true))},
		},
		resource.TestStep{
			PreConfig: func() {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.CertificatesPath, Status: 403, Message: "no access"})
			},
			Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read certificates(.|\n)*no access`),
		},
		resource.TestStep{ // A 404 of the list alone does not prove that the company is gone.
			PreConfig: func() {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.CertificatesPath, Status: 404})
			},
			Config: config, PlanOnly: true, ExpectError: regexp.MustCompile(`Company not found`),
		},
	)
}

func TestAccCompanyCertificate_goesWithItsCompany(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	company := s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial", "federalTaxNumber": "45997418000153"})
	config := strings.Replace(certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1"), s.OwnerCompanyID(), company, 1)
	testCertificate(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig: func() { s.Remove(sandbox.KindCompanies, company) },
			Config:    config, PlanOnly: true, ExpectNonEmptyPlan: true, // It would be created again, for a company that is gone.
		},
	)
}

func TestAccCompanyCertificate_adoptsOneThatTheCompanyHas(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []string
		want   string
	}{
		{"the only one", []string{"a"}, ""},
		{"the active one of several", []string{"old", "a"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			for _, name := range test.before {
				uploadOutside(t, s, fixture.CertificateFileNamed(name))
			}
			s.ResetRequests()
			held := s.Objects(sandbox.KindCertificates)
			testCertificate(t, resource.TestStep{
				Config: certificateConfig(s, fixture.CertificateFileNamed("a"), fixture.TestPFXPassword, "1"),
				ConfigStateChecks: []statecheck.StateCheck{
					expectCertificate("id", knownvalue.StringExact(held[len(held)-1]["id"].(string))),
					expectCertificate("is_active", knownvalue.Bool(true)),
				},
			})
			if n := countUploads(s); n != 1 {
				t.Errorf("%d uploads, want the refused one alone", n)
			}
		})
	}
}

func TestAccCompanyCertificate_adoptsNoneItCannotTell(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	testCertificate(t, resource.TestStep{
		PreConfig: func() {
			for _, name := range []string{"a", "b"} {
				uploadOutside(t, s, fixture.CertificateFileNamed(name))
			}
			for _, c := range s.Objects(sandbox.KindCertificates) {
				s.Patch(sandbox.KindCertificates, c["id"].(string), map[string]any{"isActive": false})
			}
		},
		Config:      certificateConfig(s, fixture.CertificateFileNamed("a"), fixture.TestPFXPassword, "1"),
		ExpectError: regexp.MustCompile(`Certificate is registered and cannot be found(.|\n)*back\s+office`),
	})
}

func TestAccCompanyCertificate_settlesALostAnswer(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	testCertificate(t, resource.TestStep{
		PreConfig: func() {
			uploadOutside(t, s, fixture.CertificateFileNamed("old"))
			s.ResetRequests()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.CertificatesPath})
		},
		Config:            certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1"),
		ConfigStateChecks: []statecheck.StateCheck{expectCertificate("is_active", knownvalue.Bool(true))},
	})
	if n := countUploads(s); n != 1 {
		t.Errorf("%d uploads, want 1", n)
	}
}

func TestAccCompanyCertificate_aLostUploadIsNotRepeatedInTheSameRun(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := certificateConfig(s, fixture.CertificateFileNamed("a"), "pass-a", "1")
	testCertificate(t,
		resource.TestStep{
			PreConfig: func() {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultDropBefore, Method: "POST", Path: fixture.CertificatesPath})
			},
			Config: config, ExpectError: regexp.MustCompile(`Answer to an upload lost(.|\n)*Run\s+apply\s+again`),
		},
		resource.TestStep{
			PreConfig: func() {
				if n := countUploads(s); n != 1 {
					t.Errorf("%d uploads, want 1", n)
				}
			},
			Config: config, ConfigPlanChecks: plansCertificate(plancheck.ResourceActionCreate),
		},
	)
}

func TestAccCompanyCertificate_wrongValues(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	file := fixture.CertificateFileNamed("a")
	s.ExpectCertificate(file, "right", "CN=A", "CN=B", time.Now().AddDate(1, 0, 0))
	config := func(arguments string) string {
		return acctest.Config(s, "resource \"einvoice_company_certificate\" \"test\" {\n"+arguments+"\n}")
	}
	all := map[string]string{
		"company_id": fmt.Sprintf("%q", s.OwnerCompanyID()), "pfx_base64_wo": fmt.Sprintf("%q", base64.StdEncoding.EncodeToString(file)),
		"password_wo": `"right"`, "pfx_base64_wo_version": `"1"`,
	}
	with := func(name, value string) string {
		var lines []string
		for argument, given := range all {
			if argument == name {
				given = value
			}
			if given != "" {
				lines = append(lines, argument+" = "+given)
			}
		}
		return config(strings.Join(lines, "\n"))
	}
	var steps []resource.TestStep
	for _, test := range []struct{ name, value, want string }{
		{"pfx_base64_wo", `"certificate.pfx"`, `Certificate is not base64(.|\n)*filebase64`},
		{"pfx_base64_wo", `""`, `Certificate is not base64`},
		{"pfx_base64_wo", `base64encode("-----BEGIN CERTIFICATE-----")`, `Certificate is not a PKCS #12 file`},
		{"pfx_base64_wo", ``, `argument "pfx_base64_wo" is required`},
		{"password_wo", `""`, `Empty password(.|\n)*opens\s+the\s+certificate`},
		{"password_wo", ``, `argument "password_wo" is required`},
		{"pfx_base64_wo_version", `""`, `Empty pfx base64 wo version`},
		{"pfx_base64_wo_version", ``, `argument "pfx_base64_wo_version" is required`},
		{"company_id", `""`, `Empty company id`},
	} {
		steps = append(steps, resource.TestStep{Config: with(test.name, test.value), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)})
	}
	steps = append(steps,
		resource.TestStep{
			Config: with("password_wo", `"wrong"`), ExpectError: regexp.MustCompile(`Cannot upload certificate(.|\n)*password_wo(.|\n)*API message: The certificate password is invalid\.`),
		},
		resource.TestStep{
			Config: with("company_id", `"7c9e6679-7425-40de-944b-e07fc1f90ae7"`), ExpectError: regexp.MustCompile(`Company not found(.|\n)*main\s+company's`),
		},
		resource.TestStep{Config: with("", ""), ResourceName: fixture.CertificateAddress, ImportState: true, ImportStateId: "1", ExpectError: regexp.MustCompile(`cannot be imported`)},
	)
	testCertificate(t, steps...)
	if n := len(s.Objects(sandbox.KindCertificates)); n != 0 {
		t.Errorf("%d certificates came of wrong values", n)
	}
}

func TestAccCompanyCertificate_unknownValuesAreCheckedWhenTheyAreKnown(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(file, password string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "later" {
  input = { file = %q, password = %q }
}
resource "einvoice_company_certificate" "test" {
  company_id            = %q
  pfx_base64_wo         = terraform_data.later.output.file
  password_wo           = terraform_data.later.output.password
  pfx_base64_wo_version = "1"
}`, file, password, s.OwnerCompanyID()))
	}
	good := base64.StdEncoding.EncodeToString(fixture.CertificateFileNamed("a"))
	testCertificate(t,
		resource.TestStep{Config: config("no base64!", "x"), ExpectError: regexp.MustCompile(`Certificate is not base64`)},
		resource.TestStep{Config: config(base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----")), "x"), ExpectError: regexp.MustCompile(`Certificate is not a PKCS #12 file`)},
		resource.TestStep{Config: config(good, ""), ExpectError: regexp.MustCompile(`Empty password`)},
		resource.TestStep{Config: config(good, "pass-a"), ConfigStateChecks: []statecheck.StateCheck{expectCertificate("id", knownvalue.NotNull())}},
	)
	if n := countUploads(s); n != 1 {
		t.Errorf("%d uploads, want 1", n)
	}
}

// certificateWorkspace takes the file and the password from the environment, as
// a pipeline does.
func certificateWorkspace(t *testing.T, s *sandbox.Server, file []byte, password string) *acctest.Workspace {
	t.Helper()
	w := acctest.NewWorkspace(t, acctest.Config(s, fmt.Sprintf(`
variable "file" { ephemeral = true }
variable "password" { ephemeral = true }
resource "einvoice_company_certificate" "test" {
  company_id            = %q
  pfx_base64_wo         = var.file
  password_wo           = var.password
  pfx_base64_wo_version = "1"
}`, s.OwnerCompanyID())), "")
	if !w.Cli.AtLeast(1, 11) {
		t.Skip("write-only arguments need Terraform or OpenTofu 1.11")
	}
	w.Environ = append(w.Environ, "TF_VAR_file="+base64.StdEncoding.EncodeToString(file), "TF_VAR_password="+password)
	return w
}

func TestAccCompanyCertificate_warnsBeforeItEnds(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	file := fixture.CertificateFileNamed("a")
	end := time.Now().Add(12*24*time.Hour + time.Hour)
	s.ExpectCertificate(file, "password", "CN=A", "CN=B", end)
	w := certificateWorkspace(t, s, file, "password")
	warned := func(output, want string) {
		t.Helper()
		if n := strings.Count(output, "Warning: "+want); n != 1 {
			t.Errorf("%q is said %d times, want once:\n%s", want, n, output)
		}
	}
	warned(w.MustApply(), "Certificate expires soon: company "+s.OwnerCompanyID())
	warned(w.MustRun("plan"), "Certificate expires soon: company "+s.OwnerCompanyID())
	id := s.Objects(sandbox.KindCertificates)[0]["id"].(string)
	s.Patch(sandbox.KindCertificates, id, map[string]any{"expirationAt": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)})
	warned(w.MustRun("plan"), "Certificate has expired: company "+s.OwnerCompanyID())
	s.Patch(sandbox.KindCertificates, id, map[string]any{"expirationAt": time.Now().AddDate(0, 0, 40).UTC().Format(time.RFC3339)})
	if output := w.MustRun("plan"); strings.Contains(output, "Certificate ") {
		t.Errorf("warns of a certificate that is good for 40 days:\n%s", output)
	}
	warned(w.MustRun("plan", "-destroy"), "Certificate stays at the service: company "+s.OwnerCompanyID())
}

// TestAccCompanyCertificate_secretsAppearNowhere also on the way of an error,
// where the framework leaves write-only values to the provider.
func TestAccCompanyCertificate_secretsAppearNowhere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	file, password := fixture.CertificateFileNamed("planted"+uuid.NewString()), "planted"+uuid.NewString()
	encoded := base64.StdEncoding.EncodeToString(file)
	w := certificateWorkspace(t, s, file, password)
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.Environ = append(w.Environ, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+logs)
	var written strings.Builder
	run := func(args ...string) {
		output, _ := w.Run(args...)
		written.WriteString(output)
	}
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.CertificatesPath, Status: 400,
		Body: fmt.Sprintf(`{"errors":[{"message":"%s does not open %s","path":"password"}]}`, password, encoded),
	})
	run("apply", "-auto-approve")
	if !strings.Contains(written.String(), "does not open") {
		t.Errorf("the service's words are not shown:\n%s", written.String())
	}
	run("plan", "-out=saved")
	run("show", "-json", "saved")
	run("apply", "saved")
	run("plan")
	run("show", "-json")
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup"} {
		content, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err == nil {
			written.Write(content)
		}
	}
	log, err := os.ReadFile(logs)
	if err != nil || !strings.Contains(string(log), "Answer from the service") {
		t.Errorf("the log of the provider was not written (%v): this test would find nothing in it", err)
	}
	written.Write(log)
	if n := len(s.Objects(sandbox.KindCertificates)); n != 1 {
		t.Errorf("%d certificates, want 1: this test would find nothing", n)
	}
	for name, value := range map[string]string{"file": encoded, "decoded file": string(file), "password": password} {
		if strings.Contains(written.String(), value) {
			t.Errorf("the %s is in what was written", name)
		}
	}
}
