package company_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// What a company's key, its deletion and its creation can go wrong with.

// A key regenerated outside is noticed and warned of, in every
// plan, and the key in state stays.
func TestAccCompany_warnsOfAKeyRegeneratedOutsideInEveryPlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, companyConfig(companyRequired))
	w := acctest.NewAttached(t, config)
	if output := w.MustApply(); strings.Contains(output, "replaced outside") {
		t.Errorf("warned of a key that is right:\n%s", output)
	}
	old := w.StateOf(string(address), "api_key")
	if old != s.KeyOf(fixture.BranchID(s)) {
		t.Fatalf("the key in state is not the company's")
	}
	fresh := s.RegenerateKey(fixture.BranchID(s))
	for _, run := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"plan"}, {"plan", "-refresh=false"}} {
		output := w.MustRun(run...)
		if !strings.Contains(output, "API key was replaced outside") {
			t.Errorf("%v does not warn:\n%s", run, output)
		}
		if strings.Contains(output, fmt.Sprint(old)) || strings.Contains(output, fresh) {
			t.Errorf("%v shows a key", run)
		}
	}
	if got := w.StateOf(string(address), "api_key"); got != old {
		t.Error("the key in state was not kept")
	}
	if masked, _ := w.StateOf(string(address), "api_key_masked").(string); !strings.HasPrefix(fresh, strings.TrimRight(masked, "*")) {
		t.Errorf("api_key_masked is %q, which is not as last read", masked)
	}
}

func TestAccCompany_protectsFromDeletionWhilePlanning(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	unprotected := acctest.Config(s, companyConfig(companyRequired))
	protected := strings.Replace(unprotected, "deletion_protection = false", "", 1)
	w := acctest.NewAttached(t, protected)
	w.MustApply()
	if got := w.StateOf(string(address), "deletion_protection"); got != true {
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
	refused("a replacement", "apply", "-auto-approve", "-replace="+string(address))
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
	w := acctest.NewAttached(t, acctest.Config(s, companyConfig(companyRequired)))
	w.MustApply()
	s.Inject(sandbox.Fault{Method: "DELETE", Path: "/v1/companies/{id}", Kind: sandbox.FaultStatus, Status: 403})
	if output, ok := w.Run("destroy", "-auto-approve"); ok || strings.Count(output, "Everything under the company's key is abandoned") != 1 {
		t.Errorf("a deletion that is refused succeeds, or does not warn once:\n%s", output)
	}
	output := w.MustRun("apply", "-auto-approve", "-replace="+string(address))
	if strings.Count(output, "Everything under the company's key is abandoned") != 1 {
		t.Errorf("the replacement does not warn once:\n%s", output)
	}
	if got := w.StateOf(string(address), "api_key"); got != s.KeyOf(fixture.BranchID(s)) {
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
	w := acctest.NewAttached(t, acctest.Config(s, strings.Replace(main, "deletion_protection = false", "address = { city = { code = \"3550308\" } }\n  deletion_protection = false", 1)))
	w.MustApply()
	for _, args := range [][]string{{"plan", "-destroy"}, {"destroy", "-auto-approve"}, {"apply", "-auto-approve", "-replace=" + string(address)}} {
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

func TestCompany_saysWhyItCannotBeCreated(t *testing.T) {
	t.Parallel()
	const creation = "/v1/companies"
	seed := func(s *sandbox.Server, number string) string {
		return s.Seed(sandbox.KindCompanies, map[string]any{"name": "Outra", "legalName": "Outra", "federalTaxNumber": number})
	}
	for name, test := range map[string]struct {
		prepare func(*sandbox.Server) (want string, settings map[string]any)
		at      string // the attribute, where it is at one
		lists   bool   // whether the companies are looked through
	}{
		"a value that the service refuses is shown on its attribute": {prepare: func(s *sandbox.Server) (string, map[string]any) {
			s.Inject(sandbox.Fault{Method: "POST", Path: creation, Kind: sandbox.FaultStatus, Status: 400, Body: `{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`})
			return `API message: The field Phone is invalid\.`, nil
		}, at: "phone"},
		"for a tax number that is taken there is an import to paste": {prepare: func(s *sandbox.Server) (string, map[string]any) {
			id := seed(s, "11222333000181")
			return `API message: The CNPJ 11222333000181 already has a linked.*import \{\s+to = einvoice_company\.NAME\s+id = "` + id + `"`, nil
		}, at: "federal_tax_number", lists: true},
		"several companies match a creation whose answer was lost": {prepare: func(s *sandbox.Server) (string, map[string]any) {
			s.SetSettings(s.OwnerCompanyID(), map[string]any{"general": map[string]any{"allowDuplicateFederalTaxNumbers": true}})
			seed(s, "11222333000181")
			s.Inject(sandbox.Fault{Method: "POST", Path: creation, Kind: sandbox.FaultDropAfter})
			return `Several objects match a lost creation`, nil
		}, lists: true},
		"the key is another company's": {prepare: func(s *sandbox.Server) (string, map[string]any) {
			return `Cannot create company.*need the main company's key`, map[string]any{"api_key": s.KeyOf(seed(s, "11444777000161"))}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
			want, settings := test.prepare(s)
			arguments := required()
			arguments["phone"] = "11 91234-5678"
			state, said := acctest.Serve(t, s, settings).Object("einvoice_company").Create(arguments)
			if text := acctest.ErrorsIn(said); state != nil || !regexp.MustCompile("(?s)"+want).MatchString(text) {
				t.Errorf("the error is %q, want %q; the state is %v", text, want, state)
			}
			if test.at != "" {
				acctest.WantErrorAt(t, said, test.at, want)
			}
			if n := s.Count("POST", creation); n != 1 {
				t.Errorf("%d creations were sent, want 1", n)
			}
			if n := s.Count("GET", creation); (n > 0) != test.lists {
				t.Errorf("%d pages of companies were read", n)
			}
		})
	}
}

// wantNoKey checks a company that was created without its key, and what is said.
func wantNoKey(t *testing.T, s *sandbox.Server, texts ...string) {
	t.Helper()
	state, said := acctest.Serve(t, s, nil).Object("einvoice_company").Create(required())
	if failed := acctest.ErrorsIn(said); failed != "" || state["api_key"] != "" {
		t.Errorf("the error is %q and api_key %v, want none and an empty string", failed, state["api_key"])
	}
	var all strings.Builder
	for _, d := range said {
		all.WriteString(d.Summary + ": " + d.Detail + "\n")
	}
	for _, want := range texts {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the warnings do not say %q:\n%s", want, all.String())
		}
	}
	if n := s.Count("POST", "/v1/companies"); n != 1 || len(s.Objects(sandbox.KindCompanies)) != 2 {
		t.Errorf("%d creations and %d companies, want one and the main one", n, len(s.Objects(sandbox.KindCompanies)))
	}
}

func TestCompany_adoptsWhatALostAnswerMadeWithoutItsKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/companies", Kind: sandbox.FaultDropAfter})
	wantNoKey(t, s, "Adopted company 11222333000181", "Company adopted without its API key", "back office", "deletion_protection = false")
}

func TestCompany_aMaskedKeyInTheCreationAnswerIsNoKey(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]string{
		"masked": `{"apiKey": "a1b2****-****"}`, "missing": `null`, "empty": `{"apiKey": ""}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := s.Seed(sandbox.KindCompanies, map[string]any{"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181"})
			s.Inject(sandbox.Fault{
				Method: "POST", Path: "/v1/companies", Kind: sandbox.FaultBody, Status: 200,
				Body: fmt.Sprintf(`{"id": %q, "name": "Padaria", "apiCredentials": %s}`, id, credentials),
			})
			wantNoKey(t, s, "API key of the new company not captured")
		})
	}
}
