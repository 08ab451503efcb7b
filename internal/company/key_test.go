package company_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What a company's key, its deletion and its creation can go wrong with. Tests
// with an alias or the environment run real processes: the test framework
// serves all aliases from one process.

// branchAlias works under the key of a company of the same configuration.
func branchAlias(s *sandbox.Server) string {
	return fmt.Sprintf(`
provider "einvoice" {
  alias               = "branch"
  base_url            = %q
  api_key             = einvoice_company.test.api_key
  requests_per_minute = 0
  requests_per_second = 0
}
resource "einvoice_customer" "test" {
  provider = einvoice.branch
  name     = "Cliente da filial"
}`, s.BaseURL())
}

func TestAccCompany_anAliasUsesItsKeyInTheSameApply(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, acctest.Config(s, companyConfig(companyFull)+branchAlias(s)), "")
	w.MustApply()
	request, _ := s.Last("POST", "/v1/customers")
	if request.Key != fixture.BranchID(s) {
		t.Errorf("the customer was created with the key of %q, want that of the new company", request.Key)
	}
	w.MustRun("plan", "-detailed-exitcode")
	// The key is known while the company changes, so what is under it is read.
	w.Write(strings.Replace(acctest.Config(s, companyConfig(companyFull)+branchAlias(s)), `"Padaria"`, `"Padaria Nova"`, 1))
	if output := w.MustApply(); !strings.Contains(output, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("an unrelated change of the company did more than that:\n%s", output)
	}
	w.MustRun("destroy", "-auto-approve")
}

// Done when 3: a key regenerated outside is noticed and warned of, in every
// plan, and the key in state stays.
func TestAccCompany_warnsOfAKeyRegeneratedOutsideInEveryPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyRequired))
	w := acctest.NewWorkspace(t, config, "")
	if output := w.MustApply(); strings.Contains(output, "replaced outside") {
		t.Errorf("warned of a key that is right:\n%s", output)
	}
	old := w.StateOf(companyAddress, "api_key")
	if old != s.KeyOf(fixture.BranchID(s)) {
		t.Fatalf("the key in state is not the company's")
	}
	fresh := s.RegenerateKey(fixture.BranchID(s))
	for _, run := range [][]string{{"plan"}, {"plan"}, {"apply", "-auto-approve"}, {"plan"}, {"plan", "-refresh=false"}} {
		output := w.MustRun(run...)
		if !strings.Contains(output, "API key was replaced outside") {
			t.Errorf("%v does not warn:\n%s", run, output)
		}
		if strings.Contains(output, fmt.Sprint(old)) || strings.Contains(output, fresh) {
			t.Errorf("%v shows a key", run)
		}
	}
	if got := w.StateOf(companyAddress, "api_key"); got != old {
		t.Error("the key in state was not kept")
	}
	if masked, _ := w.StateOf(companyAddress, "api_key_masked").(string); !strings.HasPrefix(fresh, strings.TrimRight(masked, "*")) {
		t.Errorf("api_key_masked is %q, which is not as last read", masked)
	}
}

// Done when 3: empty after an import, and an empty key never falls back to the
// environment.
func TestAccCompany_anEmptyKeyNeverFallsBackToTheEnvironment(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181",
		"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}},
	})
	company := companyConfig(companyRequired) + fmt.Sprintf("\nimport {\n  to = einvoice_company.test\n  id = %q\n}", id)
	w := acctest.NewWorkspace(t, acctest.Config(s, company), "")
	w.Environ = append(w.Environ, message.EnvAPIKey+"="+s.OwnerKey())
	w.MustApply()
	if key := w.StateOf(companyAddress, "api_key"); key != "" {
		t.Fatalf("api_key is %v after an import, want an empty string", key)
	}
	w.Write(acctest.Config(s, company+branchAlias(s)))
	for _, command := range []string{"plan", "apply"} {
		args := []string{command}
		if command == "apply" {
			args = append(args, "-auto-approve")
		}
		output, ok := w.Run(args...)
		if ok || !strings.Contains(output, "Empty API key") {
			t.Errorf("%s went on with an empty key:\n%s", command, output)
		}
	}
	if n := s.Count("POST", "/v1/customers"); n != 0 {
		t.Errorf("%d customers were created with another company's key", n)
	}
}

func TestAccCompany_protectsFromDeletionWhilePlanning(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	unprotected := acctest.Config(s, companyConfig(companyRequired))
	protected := strings.Replace(unprotected, "deletion_protection = false", "", 1)
	w := acctest.NewWorkspace(t, protected, "")
	w.MustApply()
	if got := w.StateOf(companyAddress, "deletion_protection"); got != true {
		t.Errorf("deletion_protection is %v, want true", got)
	}
	refused := func(why string, args ...string) {
		t.Helper()
		output, ok := w.Run(args...)
		if text := acctest.Squeezed(output); ok || !strings.Contains(text, "Company is protected from deletion") || !strings.Contains(text, `Company "Padaria" (federal_tax_number 11222333000181`) {
			t.Errorf("%s: not refused by name:\n%s", why, output)
		}
	}
	refused("destroy", "destroy", "-auto-approve")
	refused("plan of a destroy", "plan", "-destroy")
	refused("without a refresh", "destroy", "-auto-approve", "-refresh=false")
	w.Write(acctest.Config(s, ""))
	refused("out of the configuration", "apply", "-auto-approve")
	w.Write(unprotected)
	refused("set to false and destroyed in one go", "destroy", "-auto-approve")
	w.Write(protected)
	// The destroying half of a replacement is seen by Delete alone.
	refused("a replacement", "apply", "-auto-approve", "-replace="+companyAddress)
	if n := s.Count("DELETE", ""); n != 0 {
		t.Errorf("%d deletions were sent", n)
	}
	w.Write(unprotected)
	w.MustApply()
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d updates were sent for deletion_protection, which the service does not know", n)
	}
	output := w.MustRun("destroy", "-auto-approve")
	if strings.Count(output, "Everything under the company's key is abandoned") != 1 {
		t.Errorf("the deletion does not warn once:\n%s", output)
	}
	if n := s.Count("DELETE", "/v1/companies/{id}"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
}

func TestAccCompany_replacingWarnsThatItsKeyIsAbandoned(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, acctest.Config(s, companyConfig(companyRequired)), "")
	w.MustApply()
	s.Inject(sandbox.Fault{Method: "DELETE", Path: "/v1/companies/{id}", Kind: sandbox.FaultStatus, Status: 403})
	if output, ok := w.Run("destroy", "-auto-approve"); ok || strings.Count(output, "Everything under the company's key is abandoned") != 1 {
		t.Errorf("a deletion that is refused succeeds, or does not warn once:\n%s", output)
	}
	output := w.MustRun("apply", "-auto-approve", "-replace="+companyAddress)
	if strings.Count(output, "Everything under the company's key is abandoned") != 1 {
		t.Errorf("the replacement does not warn once:\n%s", output)
	}
	if got := w.StateOf(companyAddress, "api_key"); got != s.KeyOf(fixture.BranchID(s)) {
		t.Error("the key in state is not that of the new company")
	}
}

func TestAccCompany_neverDeletesTheCompanyThatItWorksAs(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	main := fmt.Sprintf(`resource "einvoice_company" "test" {
  name                = "Matriz de Teste"
  legal_name          = "Matriz de Teste Ltda"
  federal_tax_number  = "98765432000198"
  deletion_protection = false
}
import {
  to = einvoice_company.test
  id = %q
}`, s.OwnerCompanyID())
	w := acctest.NewWorkspace(t, acctest.Config(s, strings.Replace(main, "deletion_protection = false", "address = { city = { code = \"3550308\" } }\n  deletion_protection = false", 1)), "")
	w.MustApply()
	for _, args := range [][]string{{"plan", "-destroy"}, {"destroy", "-auto-approve"}, {"apply", "-auto-approve", "-replace=" + companyAddress}} {
		output, ok := w.Run(args...)
		if ok || !strings.Contains(output, "The company of this API key is never deleted") {
			t.Errorf("%v was not refused:\n%s", args, output)
		}
	}
	// With a stale state only the deletion itself can see it.
	key := s.RegenerateKey(s.OwnerCompanyID())
	w.Write(strings.ReplaceAll(acctest.Config(s, ""), s.OwnerKey(), key))
	output, ok := w.Run("apply", "-auto-approve", "-refresh=false")
	if ok || !strings.Contains(output, "The company of this API key is never deleted") {
		t.Errorf("a stale state got the company deleted:\n%s", output)
	}
	if n := s.Count("DELETE", ""); n != 0 {
		t.Errorf("%d deletions were sent", n)
	}
}

func TestAccCompany_saysWhyItCannotBeCreated(t *testing.T) {
	const creation = "/v1/companies"
	seed := func(s *sandbox.Server, number string) string {
		return s.Seed(sandbox.KindCompanies, map[string]any{"name": "Outra", "legalName": "Outra", "federalTaxNumber": number})
	}
	for name, test := range map[string]struct {
		prepare func(*sandbox.Server) (want string, settings []string)
		lists   bool // whether the companies are looked through
	}{
		"a value that the service refuses is shown on its attribute": {func(s *sandbox.Server) (string, []string) {
			s.Inject(sandbox.Fault{Method: "POST", Path: creation, Kind: sandbox.FaultStatus, Status: 400, Body: `{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`})
			return `(?s)phone\s+= "11 91234-5678".*API message: The field Phone is invalid\.`, nil
		}, false},
		"for a tax number that is taken there is an import to paste": {func(s *sandbox.Server) (string, []string) {
			id := seed(s, "11222333000181")
			return `(?s)federal_tax_number = "11222333000181".*API message: The CNPJ 11222333000181 already has a linked.*import \{\s+to = einvoice_company\.NAME\s+id = "` + id + `"`, nil
		}, true},
		"several companies match a creation whose answer was lost": {func(s *sandbox.Server) (string, []string) {
			s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowDuplicateFederalTaxNumbers": true}})
			seed(s, "11222333000181")
			s.Inject(sandbox.Fault{Method: "POST", Path: creation, Kind: sandbox.FaultDropAfter})
			return `Several objects match a lost creation`, nil
		}, true},
		"the key is another company's": {func(s *sandbox.Server) (string, []string) {
			return `(?s)Cannot create company.*need the\s+main\s+company's\s+key`, []string{fmt.Sprintf("api_key = %q", s.KeyOf(seed(s, "11444777000161")))}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
			want, settings := test.prepare(s)
			config := acctest.Config(s, companyConfig(companyRequired+"\n  phone = \"11 91234-5678\""), settings...)
			resource.ParallelTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps:                    []resource.TestStep{{Config: config, ExpectError: regexp.MustCompile(want)}},
			})
			if n := s.Count("POST", creation); n != 1 {
				t.Errorf("%d creations were sent, want 1", n)
			}
			if n := s.Count("GET", creation); (n > 0) != test.lists {
				t.Errorf("%d pages of companies were read", n)
			}
		})
	}
}

func TestAccCompany_adoptsWhatALostAnswerMadeWithoutItsKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/companies", Kind: sandbox.FaultDropAfter})
	w := acctest.NewWorkspace(t, acctest.Config(s, companyConfig(companyRequired)), "")
	output := w.MustApply()
	for _, want := range []string{"Adopted company 11222333000181", "Company adopted without its API key", "back office", "deletion_protection = false"} {
		if !strings.Contains(acctest.Squeezed(output), want) {
			t.Errorf("the output does not say %q:\n%s", want, output)
		}
	}
	if key := w.StateOf(companyAddress, "api_key"); key != "" {
		t.Errorf("api_key is %v, want an empty string", key)
	}
	w.MustRun("plan", "-detailed-exitcode")
	if n := s.Count("POST", "/v1/companies"); n != 1 || len(s.Objects(sandbox.KindCompanies)) != 2 {
		t.Errorf("%d creations and %d companies, want one and the main one", n, len(s.Objects(sandbox.KindCompanies)))
	}
}

func TestAccCompany_aMaskedKeyInTheCreationAnswerIsNoKey(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]string{
		"masked": `{"apiKey": "a1b2****-****"}`, "missing": `null`, "empty": `{"apiKey": ""}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := s.Seed(sandbox.KindCompanies, map[string]any{
				"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181",
				"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}},
			})
			s.Inject(sandbox.Fault{
				Method: "POST", Path: "/v1/companies", Kind: sandbox.FaultBody, Status: 200,
				Body: fmt.Sprintf(`{"id": %q, "name": "Padaria", "apiCredentials": %s}`, id, credentials),
			})
			w := acctest.NewWorkspace(t, acctest.Config(s, companyConfig(companyRequired)), "")
			if output := w.MustApply(); !strings.Contains(output, "API key of the new company not captured") {
				t.Errorf("no warning:\n%s", output)
			}
			if key := w.StateOf(companyAddress, "api_key"); key != "" {
				t.Errorf("api_key is %v, want an empty string", key)
			}
		})
	}
}

func TestAccCompany_aFailingReadAfterTheCreationLosesNothing(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/companies/{id}", Kind: sandbox.FaultStatus, Status: 403})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Config(s, companyConfig(companyRequired)),
			ConfigStateChecks: []statecheck.StateCheck{
				expectCompany("api_key", expectKey{s: s}), expectCompany("id", knownvalue.NotNull()),
			},
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		}},
	})
}
