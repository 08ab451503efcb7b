package product_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const (
	address = acctest.Address("einvoice_product.test")

	productMinimal = "name = \"Pão\"\ncode = \"PAO-1\""
	productFull    = "name = \"Pão\"\ncode = \"PAO-1\"\nprice = 19.9\ninvoice_model = \"consumerInvoice\""
)

func productConfig(s *sandbox.Server, arguments string) string {
	return acctest.Config(s, fmt.Sprintf("resource \"einvoice_product\" \"test\" {\n%s\n}", arguments))
}

func TestAccProduct_createsWithRequiredOnly(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: productConfig(s, productMinimal),
		ConfigStateChecks: []statecheck.StateCheck{
			address.Has("id", knownvalue.NotNull()),
			address.Has("price", knownvalue.Null()),
			address.Has("invoice_model", knownvalue.Null()),
		},
	}})
	sent, _ := s.Last("POST", "/v1/products")
	if got, want := string(sent.Body), `{"code":"PAO-1","name":"Pão"}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestAccProduct_takesAPriceInAnySpelling(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	price := func(text string) string { return productConfig(s, productMinimal+"\nprice = "+text) }
	acctest.Run(t, []resource.TestStep{
		{Config: price("10"), ConfigStateChecks: []statecheck.StateCheck{address.Has("price", knownvalue.Float64Exact(10))}},
		{Config: price("10.0"), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
		{
			PreConfig:        func() { acctest.PatchAll(s, "products", map[string]any{"price": "10.00"}) },
			Config:           price("1e1"),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop),
		},
		{Config: price("0"), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate)},
		{Config: price("0.1"), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate)},
	})
	sent, _ := s.Last("PUT", "/v1/products/{id}")
	if got, want := string(sent.Body), `"price":0.1`; !regexp.MustCompile(regexp.QuoteMeta(want)).MatchString(got) {
		t.Errorf("sent %s, want it to contain %s", got, want)
	}
	if n := s.Count("PUT", "/v1/products/{id}"); n != 2 {
		t.Errorf("%d updates, want one for each new price", n)
	}
}

func TestAccProduct_updatesInPlaceAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	id := func() statecheck.StateCheck { return same.AddStateValue(string(address), tfjsonpath.New("id")) }
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull), ConfigStateChecks: []statecheck.StateCheck{id()}},
		{
			Config:            productConfig(s, "name = \"Broa\"\ncode = \"BROA-1\"\nprice = 3"),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{id(), address.Has("code", knownvalue.StringExact("BROA-1")), address.Has("invoice_model", knownvalue.Null())},
		},
		{
			Config:            productConfig(s, "name = \"Broa\"\ncode = \"BROA-1\""),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{id(), address.Has("price", knownvalue.Null())},
		},
	})
	sent, _ := s.Last("PUT", "/v1/products/{id}")
	if !regexp.MustCompile(`"price":null`).Match(sent.Body) {
		t.Errorf("sent %s, want an explicit null: the service may merge", sent.Body)
	}
}

func TestAccProduct_importsByID(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull)},
		{ResourceName: string(address), ImportState: true, ImportStateVerify: true},
		{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, Config: productConfig(s, productFull)},
	})
}

func TestAccProduct_importsByIdentity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: productConfig(s, productFull)},
			{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity, Config: productConfig(s, productFull)},
		},
	})
}

func TestAccProduct_recreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productMinimal)},
		{
			PreConfig:        func() { acctest.RemoveAll(s, "products") },
			Config:           productConfig(s, productMinimal),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
}

func TestAccProduct_showsAndRepairsDrift(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull)},
		{
			PreConfig: func() { acctest.PatchAll(s, "products", map[string]any{"price": 25, "invoiceModel": "aNewModel"}) },
			Config:    productConfig(s, productFull), PlanOnly: true, ExpectNonEmptyPlan: true, // The drift.
		},
		{
			Config:           productConfig(s, productFull),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				if price := fmt.Sprint(s.Objects("products")[0]["price"]); price != "19.9" {
					return fmt.Errorf("the price at the service is %s, want 19.9", price)
				}
				return nil
			},
		},
		{
			PreConfig:        func() { acctest.PatchAll(s, "products", map[string]any{"name": "", "price": nil}) },
			Config:           productConfig(s, productFull),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
	})
}

func TestAccProduct_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for name, test := range map[string]struct{ arguments, want string }{
		"an empty code":                  {"name = \"A\"\ncode = \"\"", `Empty code(.|\n)*omit`},
		"an empty name":                  {"name = \"\"\ncode = \"A\"", `Empty name(.|\n)*omit`},
		"an unknown invoice model":       {productMinimal + "\ninvoice_model = \"nfe\"", `Invalid invoice model(.|\n)*"nfe"(.|\n)*productInvoice,\s+consumerInvoice,\s+serviceInvoice`},
		"extra fields with an attribute": {productMinimal + "\nextra_json = jsonencode({ invoiceModel = \"x\" })", `Field with an attribute(.|\n)*invoice_model`},
	} {
		t.Run(name, func(t *testing.T) {
			acctest.Run(t, []resource.TestStep{{
				Config: productConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want),
			}})
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d requests were sent for configurations that are wrong", n)
		}
	})
}

func TestAccProduct_putsTheServicesMessageOnTheAttribute(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/products", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The code is too long","path":"Code"}]}`,
	})
	acctest.Run(t, []resource.TestStep{{
		Config:      productConfig(s, productMinimal),
		ExpectError: regexp.MustCompile(`code = "PAO-1"(.|\n)*API message: The code is too long\.`),
	}})
}

func TestAccProduct_adoptsWhatALostAnswerMade(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("products", map[string]any{"code": "PAO-10", "name": "Another"})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/products", Kind: sandbox.FaultDropAfter})
	acctest.Run(t, []resource.TestStep{{
		Config:            productConfig(s, productFull),
		ConfigStateChecks: []statecheck.StateCheck{address.Has("id", knownvalue.NotNull())},
		Check: func(*terraform.State) error {
			if n := len(s.Objects("products")); n != 2 {
				return fmt.Errorf("%d products exist, want 2", n)
			}
			return nil
		},
	}})
	if n := s.Count("POST", "/v1/products"); n != 1 {
		t.Errorf("%d creations were sent, want 1", n)
	}
}

func TestAccProduct_refusesSeveralAfterALostAnswer(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("products", map[string]any{"code": "PAO-1", "name": "Older"})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/products", Kind: sandbox.FaultDropAfter})
	acctest.Run(t, []resource.TestStep{{
		Config:      productConfig(s, productMinimal),
		ExpectError: regexp.MustCompile(`Several objects match(.|\n)*product\s+PAO-1\s+\(Pão\)(.|\n)*import it by its\s+id`),
	}})
	if n := s.Count("POST", "/v1/products"); n != 1 {
		t.Errorf("%d creations were sent, want 1", n)
	}
}

func TestAccProduct_keepsTheIDWhenTheRestOfACreationFails(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/products", Kind: sandbox.FaultDropAfter})
	s.Inject(sandbox.Fault{Method: "PUT", Path: "/v1/products/{id}", Kind: sandbox.FaultStatus, Status: 403, Message: "not now"})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productMinimal), ExpectError: regexp.MustCompile(`Cannot create product(.|\n)*not now`)},
		{Config: productConfig(s, productMinimal)},
	})
	if n := s.Count("DELETE", "/v1/products/{id}"); n != 2 {
		t.Errorf("%d deletions, want one of the adopted product, whose id was kept, and one at the end", n)
	}
}

func TestAccProduct_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{{
		Config: acctest.Config(s, `
resource "terraform_data" "input" {
  input = { name = "Pão", price = 2.5, model = "productInvoice" }
}
resource "einvoice_product" "test" {
  name          = terraform_data.input.output.name
  code          = "PAO-1"
  price         = terraform_data.input.output.price
  invoice_model = terraform_data.input.output.model
}`),
		ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownValue(string(address), tfjsonpath.New("price"))}},
		ConfigStateChecks: []statecheck.StateCheck{address.Has("price", knownvalue.Float64Exact(2.5))},
	}})
}

func TestAccProduct_sendsNothingTwiceAndNothingWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := productConfig(s, productFull)
	acctest.Run(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true}, // The product is still to be created.
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
	if n := s.Count("DELETE", "/v1/products/{id}"); n != 1 {
		t.Errorf("%d deletions, want 1", n)
	}
}

func TestAccProduct_comparesExtraFieldsByValue(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{"products": {"ncm"}}})
	extra := func(text string) string { return productConfig(s, productMinimal+"\nextra_json = "+text) }
	acctest.Run(t, []resource.TestStep{
		{Config: extra(`jsonencode({ ncm = 19059090 })`)},
		{Config: extra(`"{ \"ncm\": 19059090.0 }"`), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
		{
			PreConfig:        func() { acctest.PatchAll(s, "products", map[string]any{"ncm": 1}) },
			Config:           extra(`jsonencode({ ncm = 19059090 })`),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
		},
		{PreConfig: s.ResetRequests, Config: productConfig(s, productMinimal), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate)},
		{PreConfig: func() {
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes for a key that is only forgotten here, want none", n)
			}
		}, Config: productConfig(s, productMinimal), PlanOnly: true},
	})
}

func TestAccProduct_worksByListsAlone(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{NoReadByID: true})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull)},
		{Config: productConfig(s, productFull), ConfigPlanChecks: address.Plans(plancheck.ResourceActionNoop)},
	})
}

func TestAccProductDataSource_findsByIDOrCode(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("products", map[string]any{"code": "TWICE", "name": "One"})
	s.Seed("products", map[string]any{"code": "TWICE", "name": "Two"})
	found := func(name string, key string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_product."+name, tfjsonpath.New(key), value)
	}
	acctest.Run(t, []resource.TestStep{
		{
			Config: productConfig(s, productFull) + `
data "einvoice_product" "by_id" { id = einvoice_product.test.id }
data "einvoice_product" "by_code" {
  code       = "PAO-1"
  depends_on = [einvoice_product.test]
}`,
			ConfigStateChecks: []statecheck.StateCheck{
				found("by_id", "code", knownvalue.StringExact("PAO-1")),
				found("by_id", "price", knownvalue.Float64Exact(19.9)),
				found("by_code", "invoice_model", knownvalue.StringExact("consumerInvoice")),
				found("by_code", "name", knownvalue.StringExact("Pão")),
			},
		},
		{Config: acctest.Config(s, `data "einvoice_product" "x" { code = "PAO" }`), ExpectError: regexp.MustCompile(`Product not found(.|\n)*"PAO"`)},
		{Config: acctest.Config(s, `data "einvoice_product" "x" { id = "nobody" }`), ExpectError: regexp.MustCompile(`Product not found(.|\n)*"nobody"`)},
		{Config: acctest.Config(s, `data "einvoice_product" "x" { code = "TWICE" }`), ExpectError: regexp.MustCompile(`Product is not the only one(.|\n)*Use .id.`)},
		{Config: acctest.Config(s, `data "einvoice_product" "x" {}`), PlanOnly: true, ExpectError: regexp.MustCompile(`(?i)exactly one`)},
		{Config: acctest.Config(s, "")},
	})
}
