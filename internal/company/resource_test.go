package company_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	update  = plancheck.ResourceActionUpdate
	nothing = plancheck.ResourceActionNoop

	mayBeDeleted = "\ndeletion_protection = false"
)

const companyRequired = `
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11222333000181"
  address            = { city = { code = "3550308" } }`

const companyFull = `
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "isento"
  city_tax_number    = "123-4"
  email              = "fiscal@example.com"
  phone              = "(11) 91234-5678"
  mobile_phone       = "+55 11 91234-5678"
  tax_regime         = "simplesNacional"
  economic_activities = [
    { code = "1091102", type = "main" },
    { code = "4721102", type = "secondary" },
  ]
  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { name = "SAO PAULO", state = "SP" }
    country     = { code = 1058 }
  }`

func TestAccCompany_goesThroughItsLifecycle(t *testing.T) {
	testkit.Lifecycle{
		Type: "einvoice_company", Kind: sandbox.KindCompanies, Path: "/v1/companies",
		Required: strings.Replace(companyRequired, `"Padaria"`, "terraform_data.input.output", 1) + mayBeDeleted, Unknown: "name", Input: "Padaria",
		All: companyFull + mayBeDeleted, Imported: companyFull, ImportID: "federal_tax_number=11222333/0001.81",
		Changed: strings.Replace(companyRequired, `"Padaria"`, `"Padaria Nova"`, 1) + mayBeDeleted,
		Refused: "phone",
		Drift:   map[string]any{"email": "other@example.com"},
		Holds:   map[string]string{"name": "Padaria Nova", "email": "<nil>", "taxRegime": "<nil>"},
		Is: []statecheck.StateCheck{
			testkit.Address("einvoice_company.test").Has("email", knownvalue.Null()),
			testkit.Address("einvoice_company.test").Has("economic_activities", knownvalue.Null()),
		},
	}.Run(t, sandbox.Start(t, sandbox.Options{}))
}

// The key is the whole key after the creation, a refresh and an update, while later
// answers show it masked.
func TestCompany_keepsTheWholeKeyRepairsDriftAndClears(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{sandbox.KindCompanies: {"backOfficeNotes"}}})
	o := testkit.Serve(t, s, nil).Object("einvoice_company")
	holds := func(fields map[string]any) func() {
		return func() { s.Patch(sandbox.KindCompanies, fixture.BranchID(s), fields) }
	}
	o.RunAnew(s, testkit.Step{Arguments: companyRequired, State: map[string]any{"email": nil, "economic_activities": nil, "deletion_protection": true}})
	key := s.KeyOf(fixture.BranchID(s))
	shown := map[string]any{"api_key": key, "api_key_masked": key[:4] + strings.Repeat("*", len(key)-4)}
	sent, _ := s.Last("POST", "/v1/companies")
	want := `{"address":{"city":{"code":"3550308"}},"federalTaxNumber":"11222333000181","legalName":"Padaria Central Ltda","name":"Padaria"}`
	if !jsontree.SameText(string(sent.Body), want) {
		t.Errorf("sent %s, want %s", sent.Body, want)
	}
	o.RunAnew(s,
		testkit.Step{Arguments: companyRequired, Plans: nothing, State: shown},
		testkit.Step{Arguments: companyFull, Plans: update, State: shown},
		testkit.Step{Arguments: strings.NewReplacer(
			"11.222.333/0001-81", "11222333000181", "isento", "ISENTO", "(11) 91234-5678", "11912345678",
			"01310-100", "01310100", `name = "SAO PAULO", state = "SP"`, `code = "3550308"`,
		).Replace(companyFull), Plans: nothing},
		testkit.Step{
			Before:    holds(map[string]any{"email": "other@example.com", "economicActivities": []any{map[string]any{"code": "1091102", "type": "main"}}}),
			Arguments: companyFull, Plans: update,
		},
	)
	company, _ := s.Object(sandbox.KindCompanies, fixture.BranchID(s))
	if activities, _ := company["economicActivities"].([]any); company["email"] != "fiscal@example.com" || len(activities) != 2 {
		t.Errorf("not repaired: %v", company)
	}
	if company["federalTaxNumber"] != "11222333000181" || company["phone"] != "11912345678" || company["stateTaxNumber"] != "ISENTO" {
		t.Errorf("the service holds %v: what is sent must be normalized", company)
	}
	o.RunAnew(s, testkit.Step{
		Before:    holds(map[string]any{"backOfficeNotes": map[string]any{"kept": json.Number("1.50")}}),
		Arguments: strings.NewReplacer(`"Padaria"`, `"Padaria Nova"`, "3550308", "3304557").Replace(companyRequired), Plans: update,
		State: map[string]any{"email": nil, "economic_activities": nil, "address.city.name": "Rio de Janeiro", "api_key": key},
	})
	company, _ = s.Object(sandbox.KindCompanies, fixture.BranchID(s))
	if company["backOfficeNotes"] == nil || company["taxRegime"] != nil || company["name"] != "Padaria Nova" {
		t.Errorf("the service holds %v: what is not managed must stay, what was cleared must go", company)
	}
	fixture.WantRequests(t, s, "PUT", "/v1/companies/{id}", 3)
}

func TestCompany_importsByTaxNumberWithAnEmptyKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 2})
	for i := range 5 {
		s.Seed(sandbox.KindCompanies, map[string]any{"name": "Outra", "legalName": "Outra", "federalTaxNumber": fmt.Sprintf("0000000000000%d", i)})
	}
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181",
		"address": map[string]any{"city": map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}, "country": map[string]any{"code": 1058, "name": "Brasil"}},
	})
	o := testkit.Serve(t, s, nil).Object("einvoice_company")
	o.MustNotFail(o.Import("federal_tax_number=11.222.333/0001-81"))
	// What only this configuration has is taken into state, and nothing is sent.
	o.RunAnew(s, testkit.Step{Arguments: companyRequired + mayBeDeleted, Plans: update, State: map[string]any{"id": id, "api_key": ""}})
	fixture.WantWrites(t, s, 0)
}

// required are the arguments of a company, as companyRequired has them.
func required() map[string]any {
	return map[string]any{
		"name": "Padaria", "legal_name": "Padaria Central Ltda", "federal_tax_number": "11222333000181", "address": map[string]any{"city": map[string]any{"code": "3550308"}},
	}
}

func TestCompany_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_company", required(), []testkit.Refusal{
		{Name: "a name that is too long", At: "name", Value: strings.Repeat("a", 81), Want: `Invalid name.*1 to 80 characters.*has 81`},
		{Name: "a legal name that is empty", At: "legal_name", Value: "", Want: `Empty legal name.*omit`},
		{Name: "no economic activity in a list", At: "economic_activities", Value: []any{}, Want: `at least 1 element`},
		{Name: "a phone that is too long", At: "phone", Value: "+55 11 91234-5678 9999", Want: `Invalid phone.*1 to 15 characters`},
		{Name: "a field with an attribute of its own", At: "extra_json", Value: `{"taxRegime":"x"}`, Want: `Field with an attribute.*tax_regime`},
		{Name: "a key among the extra fields", At: "extra_json", Value: `{"apiCredentials":{}}`, Want: `Field with an attribute`},
	})
}

func TestCompany_warnsOfAMissingCityBeforeItIsCreated(t *testing.T) {
	t.Parallel()
	o := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object("einvoice_company")
	for _, address := range []any{nil, map[string]any{"street": "Rua A"}, required()["address"], tftypes.UnknownValue} {
		arguments := required()
		arguments["address"] = address
		_, said := o.Plan(o.Value(o.Type, arguments))
		given, _ := address.(map[string]any)
		_, streetAlone := given["street"]
		if want := address == nil || streetAlone; (len(said) == 1 && strings.Contains(said[0].Summary, "without a city")) != want || len(said) > 1 {
			t.Errorf("the address %v: %d messages, and a warning is wanted: %t", address, len(said), want)
		}
	}
}

func TestCompany_onlyWarnsOfWordsThatAreNotSpecified(t *testing.T) {
	t.Parallel()
	arguments := required()
	arguments["tax_regime"], arguments["economic_activities"] = "lucroPresumido", []any{map[string]any{"code": "1", "type": "other"}}
	o := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object("einvoice_company")
	_, said := o.Plan(o.Value(o.Type, arguments))
	if text := testkit.ErrorsIn(said); text != "" || len(said) != 2 {
		t.Errorf("%d messages, want two warnings; errors: %q", len(said), text)
	}
}

func TestCompanyDataSource_findsByIDAndByTaxNumber(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
	activities := []any{map[string]any{"code": "1091102", "type": "main"}, map[string]any{"code": "4721102", "type": "secondary"}}
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181", "taxRegime": "simplesNacional",
		"economicActivities": activities, "_apiKey": "a1b2c3d4e5f60718293a4b5c6d7e8f90",
	})
	read := map[string]any{"id": id, "api_key_masked": "a1b2****************************", "tax_regime": "simplesNacional", "economic_activities": activities}
	testkit.WantDataReads(t, s, "einvoice_company", []testkit.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: read},
		{Name: "by tax number", Arguments: map[string]any{"federal_tax_number": "11.222.333/0001-81"}, State: read},
	})
}
