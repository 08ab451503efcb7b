package customer_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const address = acctest.Address("einvoice_customer.test")

func customerConfig(arguments string) string {
	return fmt.Sprintf("resource \"einvoice_customer\" \"test\" {\n%s\n}", arguments)
}

func TestAccCustomer_createsWithRequiredOnly(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, customerConfig(`name = "Padaria"`)),
		ConfigStateChecks: []statecheck.StateCheck{
			address.Has("id", knownvalue.NotNull()),
			address.Has("address", knownvalue.Null()),
		},
	}})
	sent, _ := s.Last("POST", "/v1/customers")
	if got, want := string(sent.Body), `{"name":"Padaria"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if n := s.Count("POST", "/v1/customers"); n != 1 {
		t.Errorf("%d creations, want 1", n)
	}
}

func TestAccCustomer_readsAnAddressWithoutValuesAsNone(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{EmptyAddresses: true})
	config := acctest.Config(s, customerConfig(`name = "Padaria"`))
	acctest.Run(t, []resource.TestStep{
		{Config: config, ConfigStateChecks: []statecheck.StateCheck{address.Has("address", knownvalue.Null())}},
		{Config: config, ConfigPlanChecks: acctest.EmptyPlan()},
		{Config: acctest.Config(s, customerConfig("name = \"Padaria\"\naddress = {}"))},
		{Config: acctest.Config(s, customerConfig("name = \"Padaria\"\naddress = {}")), ConfigPlanChecks: acctest.EmptyPlan()},
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

func TestAccCustomer_planIsEmptyForEverySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	empty := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	acctest.Run(t, []resource.TestStep{
		{
			Config: acctest.Config(s, customerConfig(customerFull)),
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
			Config: acctest.Config(s, customerConfig(`
  name               = "Padaria"
  legal_name         = "Padaria Central Ltda"
  federal_tax_number = "11222333000181"
  state_tax_number   = "ISENTO"
  city_tax_number    = "123-4"
  email              = "fiscal@example.com"
  phone              = "11912345678"
  mobile_phone       = "5511912345678"
  address = {
    street      = "Avenida Paulista"
    number      = "1000"
    district    = "Bela Vista"
    postal_code = "01310100"
    city        = { code = "3550308" }
  }`)),
			ConfigPlanChecks: empty,
		},
	})
	var sent map[string]any
	request, _ := s.Last("POST", "/v1/customers")
	if err := json.Unmarshal(request.Body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent["federalTaxNumber"] != "11222333000181" || sent["phone"] != "11912345678" || sent["stateTaxNumber"] != "ISENTO" {
		t.Errorf("sent %s: what is sent must be normalized", request.Body)
	}
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d updates for a change of spelling alone, want none", n)
	}
}

func TestAccCustomer_updatesInPlaceAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, customerConfig(customerFull))},
		{
			Config:           acctest.Config(s, customerConfig("name = \"Padaria Nova\"\nfederal_tax_number = \"11222333000181\"")),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("name", knownvalue.StringExact("Padaria Nova")),
				address.Has("email", knownvalue.Null()),
			},
		},
	})
	if n := s.Count("PUT", "/v1/customers/{id}"); n != 1 {
		t.Errorf("%d updates, want 1", n)
	}
	request, _ := s.Last("PUT", "/v1/customers/{id}")
	var sent map[string]any
	if err := json.Unmarshal(request.Body, &sent); err != nil {
		t.Fatal(err)
	}
	if value, ok := sent["email"]; !ok || value != nil {
		t.Errorf("email was sent as %v, want an explicit null: the service may merge", value)
	}
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

func TestAccCustomer_importsByID(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, customerConfig(customerFull))},
		{
			ResourceName: string(address), ImportState: true, ImportStateVerify: true,
			// The service answers in its own spelling, and no configuration is asked.
			ImportStateVerifyIgnore: []string{
				"federal_tax_number", "state_tax_number", "phone", "mobile_phone", "address.postal_code", "address.city.name", "address.city.state",
			},
		},
		{
			ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID,
			Config: acctest.Config(s, customerConfig(customerFull)),
		},
	})
}

func TestAccCustomer_recreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, customerConfig(`name = "Padaria"`))
	acctest.Run(t, []resource.TestStep{
		{Config: config},
		{
			PreConfig: func() {
				for _, customer := range s.Objects("customers") {
					s.Remove("customers", fmt.Sprint(customer["id"]))
				}
			},
			Config:           config,
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
}

func TestAccCustomer_showsAndRepairsDrift(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, customerConfig(`name = "Padaria"`))
	acctest.Run(t, []resource.TestStep{
		{Config: config},
		{
			PreConfig: func() {
				for _, customer := range s.Objects("customers") {
					s.Patch("customers", fmt.Sprint(customer["id"]), map[string]any{"name": "Renamed outside", "email": "new@example.com"})
				}
			},
			Config:           config,
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
	})
	customers := s.Objects("customers")
	if len(customers) != 0 {
		t.Errorf("%d customers are left after destroy", len(customers))
	}
}

func TestAccCustomer_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for name, test := range map[string]struct{ arguments, want string }{
		"a name that is too long":        {`name = "` + strings.Repeat("a", 81) + `"`, `Invalid name(.|\n)*1\s+to\s+80\s+characters(.|\n)*has\s+81`},
		"an empty email":                 {"name = \"A\"\nemail = \"\"", `Empty email(.|\n)*omit`},
		"a state tax number with text":   {"name = \"A\"\nstate_tax_number = \"livre\"", `digits only, or\s+ISENTO`},
		"a city without a state":         {"name = \"A\"\naddress = { city = { name = \"Natal\" } }", `Incomplete city(.|\n)*both\s+.name.\s+and\s+.state`},
		"a city code of no state":        {"name = \"A\"\naddress = { city = { code = \"1999999\" } }", `Invalid city code`},
		"extra fields with an attribute": {"name = \"A\"\nextra_json = jsonencode({ legalName = \"x\" })", `Field with an attribute(.|\n)*legal_name`},
		"extra fields in a list":         {"name = \"A\"\nextra_json = \"[]\"", `must be a JSON object`},
	} {
		t.Run(name, func(t *testing.T) {
			acctest.Run(t, []resource.TestStep{{
				Config: acctest.Config(s, customerConfig(test.arguments)), PlanOnly: true, ExpectError: regexp.MustCompile(test.want),
			}})
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d requests were sent for configurations that are wrong", n)
		}
	})
}

func TestAccCustomer_putsTheServicesMessageOnTheAttribute(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/customers", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`,
	})
	acctest.Run(t, []resource.TestStep{{
		Config:      acctest.Config(s, customerConfig("name = \"A\"\nphone = \"11 91234-5678\"")),
		ExpectError: regexp.MustCompile(`phone = "11 91234-5678"(.|\n)*API message: The field Phone is invalid\.`),
	}})
}

func TestAccCustomer_adoptsWhatALostAnswerMade(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/customers", Kind: sandbox.FaultDropAfter})
	acctest.Run(t, []resource.TestStep{{
		Config:            acctest.Config(s, customerConfig(customerFull)),
		ConfigStateChecks: []statecheck.StateCheck{address.Has("id", knownvalue.NotNull())},
		Check: func(*terraform.State) error {
			if n := len(s.Objects("customers")); n != 1 {
				return fmt.Errorf("%d customers exist, want 1", n)
			}
			return nil
		},
	}})
	if n := s.Count("POST", "/v1/customers"); n != 1 {
		t.Errorf("%d creations were sent, want 1", n)
	}
}

func TestAccCustomer_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, `
resource "terraform_data" "input" {
  input = { name = "Padaria", number = "11.222.333/0001-81", code = "3550308" }
}
resource "einvoice_customer" "test" {
  name               = terraform_data.input.output.name
  federal_tax_number = terraform_data.input.output.number
  address            = { city = { code = terraform_data.input.output.code } }
}`),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue(string(address), tfjsonpath.New("federal_tax_number")),
		}},
		ConfigStateChecks: []statecheck.StateCheck{address.Has("federal_tax_number", knownvalue.StringExact("11.222.333/0001-81"))},
	}})
}

func TestAccCustomer_sendsNothingTwiceAndNothingWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := acctest.Config(s, customerConfig(customerFull))
	acctest.Run(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The customer is still to be created.
		{PreConfig: func() {
			if n := len(s.Requests()); n != 0 {
				t.Errorf("%d requests while planning a creation, want none", n)
			}
		}, Config: config},
		{PreConfig: s.ResetRequests, Config: config, PlanOnly: true},
		{PreConfig: func() {
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes while planning, want none", n)
			}
			s.ResetRequests()
		}, Config: config, Destroy: true},
	})
	if n := s.Count("DELETE", "/v1/customers/{id}"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
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
				for _, customer := range s.Objects("customers") {
					s.Patch("customers", fmt.Sprint(customer["id"]), map[string]any{"limits": map[string]any{"credit": 10.0, "other": true}})
				}
			},
			Config:           extra(`"{ \"limits\" : {\"credit\": 10.00} }"`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		{
			PreConfig: func() {
				for _, customer := range s.Objects("customers") {
					s.Patch("customers", fmt.Sprint(customer["id"]), map[string]any{"limits": map[string]any{"credit": 11}})
				}
			},
			Config:           extra(`jsonencode({ limits = { credit = 10 } })`),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
	})
}

func TestAccCustomer_isRemovedWithAWarningWhereTheServiceCannotDelete(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{NoCustomerDelete: true})
	acctest.Run(t, []resource.TestStep{{Config: acctest.Config(s, customerConfig(`name = "Padaria"`))}})
	if n := len(s.Objects("customers")); n != 1 {
		t.Errorf("%d customers at the service, want the one that cannot be deleted", n)
	}
}

func TestAccCustomer_worksByListsAlone(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{NoReadByID: true})
	config := acctest.Config(s, customerConfig(customerFull))
	acctest.Run(t, []resource.TestStep{
		{Config: config},
		{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
	})
}

func TestAccCustomer_refusesAnEmptyKeyInThePlan(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config:      acctest.Config(s, customerConfig(`name = "Padaria"`), `api_key = ""`),
		PlanOnly:    true,
		ExpectError: regexp.MustCompile(`Empty API key(.|\n)*coalesce`),
	}})
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent without a key", n)
	}
}

func TestAccCustomerDataSource_findsByTaxNumberInAnySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{
			Config: acctest.Config(s, customerConfig(customerFull)+`
data "einvoice_customer" "test" {
  federal_tax_number = "11222333/0001-81"
  depends_on         = [einvoice_customer.test]
}
data "einvoice_customer" "by_id" { id = einvoice_customer.test.id }
`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.einvoice_customer.test", tfjsonpath.New("name"), knownvalue.StringExact("Padaria")),
				statecheck.ExpectKnownValue("data.einvoice_customer.test", tfjsonpath.New("federal_tax_number"), knownvalue.StringExact("11222333/0001-81")),
				statecheck.ExpectKnownValue("data.einvoice_customer.by_id", tfjsonpath.New("federal_tax_number"), knownvalue.StringExact("11222333000181")),
			},
		},
		{
			Config:      acctest.Config(s, `data "einvoice_customer" "test" { federal_tax_number = "52998224725" }`),
			ExpectError: regexp.MustCompile(`Customer not found(.|\n)*52998224725`),
		},
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
