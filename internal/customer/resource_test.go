package customer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const address = acctest.Address("einvoice_customer.test")

func customerConfig(arguments string) string {
	return fmt.Sprintf("resource \"einvoice_customer\" \"test\" {\n%s\n}", arguments)
}

// The framework plans after each apply, and fails unless that plan is empty.
func TestAccCustomer_createsWithRequiredOnlyRepairsDriftAndRecreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, customerConfig(`name = "Padaria"`))
	acctest.Run(t, []resource.TestStep{
		{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("id", knownvalue.NotNull()),
				address.Has("address", knownvalue.Null()),
			},
		},
		{
			PreConfig: func() {
				acctest.PatchAll(s, "customers", map[string]any{"name": "Renamed outside", "email": "new@example.com"})
			},
			Config:           config,
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
		{
			PreConfig:        func() { acctest.RemoveAll(s, "customers") },
			Config:           config,
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
	sent, _ := s.Last("POST", "/v1/customers")
	if got, want := string(sent.Body), `{"name":"Padaria"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := s.Count("POST", "/v1/customers"); n != 2 {
		t.Errorf("%d creations, want 2", n)
	}
	if customers := s.Objects("customers"); len(customers) != 0 {
		t.Errorf("%d customers are left after destroy", len(customers))
	}
}

func TestAccCustomer_readsAnAddressWithoutValuesAsNone(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{EmptyAddresses: true})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, customerConfig(`name = "Padaria"`)), ConfigStateChecks: []statecheck.StateCheck{address.Has("address", knownvalue.Null())}},
		{Config: acctest.Config(s, customerConfig("name = \"Padaria\"\naddress = {}"))},
	})
}

const customerFull = `
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11.222.333/0001-81"
  state_tax_number   = "isento"
  city_tax_number    = "123-4"
  email              = "fiscal@example.com"
  phone              = "(11) 91234-5678"
  mobile_phone       = "+55 11 91234-5678"
  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310-100"
    city        = { name = "SAO PAULO", state = "SP" }
  }`

func TestAccCustomer_takesEverySpellingImportsByIDUpdatesAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	full := acctest.Config(s, customerConfig(customerFull))
	acctest.Run(t, []resource.TestStep{
		{
			Config: full,
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("federal_tax_number", knownvalue.StringExact("11.222.333/0001-81")),
				address.Has("address", knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"city": knownvalue.ObjectExact(map[string]knownvalue.Check{
						"code": knownvalue.StringExact("3550308"), "name": knownvalue.StringExact("SAO PAULO"), "state": knownvalue.StringExact("SP"),
					}),
				})),
			},
		},
		{
			ResourceName: string(address), ImportState: true, ImportStateVerify: true,
			// The service answers in its own spelling, and no configuration is asked.
			ImportStateVerifyIgnore: []string{
				"federal_tax_number", "state_tax_number", "phone", "mobile_phone", "address.postal_code", "address.city.name", "address.city.state",
			},
		},
		{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "federal_tax_number=11222333/0001.81", Config: full},
		{
			Config: strings.NewReplacer(
				"11.222.333/0001-81", "11222333000181", "isento", "ISENTO", "(11) 91234-5678", "11912345678", "+55 11 91234-5678", "5511912345678",
				"01310-100", "01310100", `name = "SAO PAULO", state = "SP"`, `code = "3550308"`,
			).Replace(full),
			ConfigPlanChecks: acctest.EmptyPlan(),
		},
		{
			PreConfig: func() {
				if n := s.Count("PUT", ""); n != 0 {
					t.Errorf("%d updates for a change of spelling alone, want none", n)
				}
			},
			Config:           acctest.Config(s, customerConfig("name = \"Padaria Nova\"\nfederal_tax_number = \"11222333000181\"")),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("name", knownvalue.StringExact("Padaria Nova")),
				address.Has("email", knownvalue.Null()),
			},
		},
	})
	if sent := sentBody(t, s, "POST", "/v1/customers"); sent["federalTaxNumber"] != "11222333000181" || sent["phone"] != "11912345678" || sent["stateTaxNumber"] != "ISENTO" {
		t.Errorf("sent %v: what is sent must be normalized", sent)
	}
	if n := s.Count("PUT", "/v1/customers/{id}"); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
	if value, ok := sentBody(t, s, "PUT", "/v1/customers/{id}")["email"]; !ok || value != nil {
		t.Errorf("email was sent as %v, want an explicit null: the service may merge", value)
	}
}

func sentBody(t *testing.T, s *sandbox.Server, method, path string) map[string]any {
	t.Helper()
	request, _ := s.Last(method, path)
	var body map[string]any
	if err := json.Unmarshal(request.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestAccCustomer_cityChangeDropsTheStaleName(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	city := func(code string) string {
		return acctest.Config(s, customerConfig(fmt.Sprintf("name = \"Padaria\"\naddress = { city = { code = %q } }", code)))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: city("3550308")},
		{
			Config:           city("3304557"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(string(address),
				tfjsonpath.New("address").AtMapKey("city").AtMapKey("name"), knownvalue.StringExact("Rio de Janeiro"))},
		},
	})
}

func TestAccCustomer_comparesExtraFieldsByValue(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{"customers": {"limits"}}})
	extra := func(text string) string {
		return acctest.Config(s, customerConfig("name = \"Padaria\"\nextra_json = "+text))
	}
	acctest.Run(t, []resource.TestStep{
		{Config: extra(`jsonencode({ limits = { credit = 10 } })`)},
		{
			PreConfig: func() {
				acctest.PatchAll(s, "customers", map[string]any{"limits": map[string]any{"credit": 10.0, "other": true}})
			},
			Config:           extra(`"{ \"limits\" : {\"credit\": 10.00} }"`),
			ConfigPlanChecks: acctest.EmptyPlan(),
		},
		{
			PreConfig:        func() { acctest.PatchAll(s, "customers", map[string]any{"limits": map[string]any{"credit": 11}}) },
			Config:           extra(`jsonencode({ limits = { credit = 10 } })`),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
	})
}

func TestCustomer_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	acctest.WantRefusals(t, "einvoice_customer", map[string]any{"name": "A"}, []acctest.Refusal{
		{Name: "a name that is too long", At: "name", Value: strings.Repeat("a", 81), Want: `Invalid name.*1 to 80 characters.*has 81`},
		{Name: "an empty email", At: "email", Value: "", Want: `Empty email.*omit`},
		{Name: "a state tax number with text", At: "state_tax_number", Value: "livre", Want: `digits, with or without punctuation, or ISENTO`},
		{Name: "a city without a state", At: "address.city.name", Value: "Natal", Want: `Incomplete city.*both .name. and .state`},
		{Name: "a city code of no state", At: "address.city.code", Value: "1999999", Want: `Invalid city code`},
		{Name: "extra fields with an attribute", At: "extra_json", Value: `{"legalName":"x"}`, Want: `Field with an attribute.*legal_name`},
		{Name: "extra fields in a list", At: "extra_json", Value: "[]", Want: `must be a JSON object`},
	})
}

func TestCustomer_putsTheServicesMessageOnTheAttribute(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/customers", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`,
	})
	_, said := acctest.Serve(t, s, nil).Object("einvoice_customer").Create(map[string]any{"name": "A", "phone": "11 91234-5678"})
	acctest.WantErrorAt(t, said, "phone", `API message: The field Phone is invalid\.`)
}

func TestCustomerDataSource_findsByIDOrByTaxNumberInAnySpelling(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed("customers", map[string]any{"name": "Padaria", "federalTaxNumber": "11222333000181"})
	acctest.WantDataReads(t, s, "einvoice_customer", []acctest.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: map[string]any{"name": "Padaria", "federal_tax_number": "11222333000181"}},
		{Name: "by a spelling, which is kept", Arguments: map[string]any{"federal_tax_number": "11222333/0001-81"}, State: map[string]any{"id": id, "federal_tax_number": "11222333/0001-81"}},
		{Name: "a number that nobody has", Arguments: map[string]any{"federal_tax_number": "52998224725"}, Error: `Customer not found.*52998224725`},
	})
}

func TestAccCustomer_importsWithExtraFieldsAndSendsNothing(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{"customers": {"notes"}}})
	id := s.Seed("customers", map[string]any{"name": "Padaria", "notes": "vip", "address": map[string]any{"street": "Rua A"}})
	config := acctest.Config(s, customerConfig("name = \"Padaria\"\naddress = { street = \"Rua A\" }\nextra_json = jsonencode({ notes = \"vip\" })"))
	acctest.Run(t, []resource.TestStep{{
		Config: config + fmt.Sprintf("\nimport {\n  to = einvoice_customer.test\n  id = %q\n}\n", id),
	}})
	if n := s.Count("PUT", "") + s.Count("POST", ""); n != 0 {
		t.Errorf("%d writes for an import that differs in nothing", n)
	}
}

func TestCustomer_importsByTaxNumber(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	bakery := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Padaria", "federalTaxNumber": "11222333000181"})
	abroad := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Widget Inc.", "federalTaxNumber": "US=12/345 a"})
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "Consumidor"})
	one := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Ana", "federalTaxNumber": "52998224725"})
	other := s.Seed(sandbox.KindCustomers, map[string]any{"name": "Ana Maria", "federalTaxNumber": "52998224725"})
	acctest.WantImports(t, acctest.Serve(t, s, nil), s, "einvoice_customer", map[string]string{
		bakery:                                  bakery,
		"federal_tax_number=11222333000181":     bakery,
		"federal_tax_number=11.222.333/0001-81": bakery,
		"federal_tax_number=US=12/345 a":        abroad,
	}, map[string]string{
		"federal_tax_number=11444777000161": `Customer not found: No customer has federal_tax_number "11444777000161"`,
		"federal_tax_number=529.982.247-25": `Customer is not the only one: 2 objects.*` + one + ", " + other,
		"federal_tax_number= ":              `Invalid import ID.*federal_tax_number=11\.222\.333/0001-81`,
		"name=Padaria":                      `Invalid import ID: The import ID is "name=Padaria"`,
		"11.222.333/0001-81":                `Invalid import ID`,
	})
	refused := acctest.ErrorsIn(acctest.Serve(t, s, map[string]any{"api_key": ""}).Object("einvoice_customer").Import("federal_tax_number=11222333000181"))
	if !strings.Contains(refused, "Empty API key") {
		t.Errorf("without a key the error is %q", refused)
	}
}
