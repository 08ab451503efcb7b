package customer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	update  = plancheck.ResourceActionUpdate
	nothing = plancheck.ResourceActionNoop
)

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

func sentBody(t *testing.T, s *sandbox.Server, method, path string) map[string]any {
	t.Helper()
	request, _ := s.Last(method, path)
	var body map[string]any
	expect.NoError(t, json.Unmarshal(request.Body, &body))
	return body
}

func TestCustomer_takesEverySpellingAndClears(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	testkit.Serve(t, s, nil).Object("einvoice_customer").RunAnew(s,
		testkit.Step{Arguments: customerFull, State: map[string]any{
			"federal_tax_number": "11.222.333/0001-81", "address.city.code": "3550308", "address.city.name": "SAO PAULO", "address.city.state": "SP",
		}},
		testkit.Step{Arguments: strings.NewReplacer(
			"11.222.333/0001-81", "11222333000181", "isento", "ISENTO", "(11) 91234-5678", "11912345678", "+55 11 91234-5678", "5511912345678",
			"01310-100", "01310100", `name = "SAO PAULO", state = "SP"`, `code = "3550308"`,
		).Replace(customerFull), Plans: nothing},
		// Another code makes the name that belonged to the first one stale.
		testkit.Step{
			Arguments: "name = \"Padaria\"\naddress = { city = { code = \"3304557\" } }", Plans: update,
			State: map[string]any{"email": nil, "address.city.name": "Rio de Janeiro"},
		},
	)
	if sent := sentBody(t, s, "POST", "/v1/customers"); sent["federalTaxNumber"] != "11222333000181" || sent["phone"] != "11912345678" || sent["mobilePhone"] != "+5511912345678" || sent["stateTaxNumber"] != "ISENTO" {
		t.Errorf("sent %v: what is sent must be normalized", sent)
	}
	fixture.WantRequests(t, s, "PUT", "", 1)
	if value, ok := sentBody(t, s, "PUT", "/v1/customers/{id}")["email"]; !ok || value != nil {
		t.Errorf("email was sent as %v, want an explicit null: the service may merge", value)
	}
}

func TestCustomer_readsAnAddressWithoutValuesAsNone(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{EmptyAddresses: true})
	testkit.Serve(t, s, nil).Object("einvoice_customer").RunAnew(s,
		testkit.Step{Arguments: `name = "Padaria"`, State: map[string]any{"address": nil}},
		testkit.Step{Arguments: "name = \"Padaria\"\naddress = {}"},
	)
	if sent := sentBody(t, s, "POST", "/v1/customers"); len(sent) != 1 || sent["name"] != "Padaria" {
		t.Errorf("sent %v, want the name alone", sent)
	}
}

func TestCustomer_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_customer", "customer_refuses_wrong_values_while_planning.json")
}

func TestCustomerDataSource_findsByIDOrByTaxNumberInAnySpelling(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed("customers", map[string]any{"name": "Padaria", "federalTaxNumber": "11222333000181"})
	testkit.WantDataReads(t, s, "einvoice_customer", []testkit.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: map[string]any{"name": "Padaria", "federal_tax_number": "11222333000181"}},
		{Name: "by a spelling, which is kept", Arguments: map[string]any{"federal_tax_number": "11222333/0001-81"}, State: map[string]any{"id": id, "federal_tax_number": "11222333/0001-81"}},
	})
}

func TestCustomer_importsWithExtraFieldsAndSendsNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{"customers": {"notes"}}})
	id := s.Seed("customers", map[string]any{"name": "Padaria", "notes": "vip", "address": map[string]any{"street": "Rua A"}})
	o := testkit.Serve(t, s, nil).Object("einvoice_customer")
	o.MustNotFail(o.Import(id))
	o.RunAnew(s, testkit.Step{Arguments: "name = \"Padaria\"\naddress = { street = \"Rua A\" }\nextra_json = \"{\\\"notes\\\":\\\"vip\\\"}\""})
	fixture.WantWrites(t, s, 0)
}

// A service that shows numbers loses the zeros before them.
func TestCustomer_isKnownByANumberWithoutItsLeadingZeros(t *testing.T) {
	t.Parallel()
	for number, shown := range map[string]int{
		"00.000.000/0001-91": 191, "000.000.001-91": 191, "00.360.305/0001-04": 360305000104, "01.222.333/0001-28": 1222333000128, "012.345.678-90": 1234567890,
	} {
		rows.Case(t, number, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object("einvoice_customer")
			arguments := "name = \"Banco\"\nfederal_tax_number = \"" + number + "\"\naddress = { postal_code = \"01310-100\" }"
			show := func() {
				testkit.PatchAll(s, sandbox.KindCustomers, map[string]any{"federalTaxNumber": shown, "address": map[string]any{"postalCode": 1310100}})
			}
			o.RunAnew(s, testkit.Step{Arguments: arguments}, testkit.Step{Before: show, Arguments: arguments, Plans: nothing})
			o.MustNotFail(testkit.Serve(t, s, nil).Object("einvoice_customer").Import("federal_tax_number=" + number))
			fixture.WantWrites(t, s, 1)
		})
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
	testkit.WantImports(t, testkit.Serve(t, s, nil), s, "einvoice_customer", map[string]string{
		bakery:                                  bakery,
		"federal_tax_number=11222333000181":     bakery,
		"federal_tax_number=11.222.333/0001-81": bakery,
		"federal_tax_number=US=12/345 a":        abroad,
	}, map[string]string{
		"federal_tax_number=11444777000161": `Customer not found: No customer has federal_tax_number "11444777000161"`,
		"federal_tax_number=529.982.247-25": `More than one customer has .*: The service has 2.*` + one + ", " + other,
		"federal_tax_number= ":              `Invalid import ID.*federal_tax_number=11\.222\.333/0001-81`,
		"name=Padaria":                      `Invalid import ID: The import ID is "name=Padaria"`,
		"11.222.333/0001-81":                `Invalid import ID`,
	})
	refused := testkit.ErrorsIn(testkit.Serve(t, s, map[string]any{"api_key": ""}).Object("einvoice_customer").Import("federal_tax_number=11222333000181"))
	expect.Contains(t, refused, "Empty API key")
}
