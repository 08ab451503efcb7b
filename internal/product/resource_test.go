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

// The framework plans after each apply, and fails unless that plan is empty.
func TestAccProduct_createsWithRequiredOnlyAndRecreatesWhatVanished(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{
			Config: productConfig(s, productMinimal),
			ConfigStateChecks: []statecheck.StateCheck{
				address.Has("id", knownvalue.NotNull()),
				address.Has("price", knownvalue.Null()),
				address.Has("invoice_model", knownvalue.Null()),
			},
		},
		{
			PreConfig:        func() { acctest.RemoveAll(s, "products") },
			Config:           productConfig(s, productMinimal),
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate),
		},
	})
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

func TestAccProduct_importsByIDUpdatesInPlaceAndClears(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	same := statecheck.CompareValue(compare.ValuesSame())
	id := func() statecheck.StateCheck { return same.AddStateValue(string(address), tfjsonpath.New("id")) }
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull), ConfigStateChecks: []statecheck.StateCheck{id()}},
		{ResourceName: string(address), ImportState: true, ImportStateVerify: true},
		{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: "code=PAO-1", Config: productConfig(s, productFull)},
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

func TestAccProduct_showsAndRepairsDrift(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: productConfig(s, productFull)},
		{
			PreConfig:        func() { acctest.PatchAll(s, "products", map[string]any{"price": 25, "invoiceModel": "aNewModel"}) },
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

func TestProduct_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	acctest.WantRefusals(t, "einvoice_product", map[string]any{"name": "Pão", "code": "PAO-1"}, []acctest.Refusal{
		{Name: "an empty code", At: "code", Value: "", Want: `Empty code.*omit`},
		{Name: "an empty name", At: "name", Value: "", Want: `Empty name.*omit`},
		{Name: "an unknown invoice model", At: "invoice_model", Value: "nfe", Want: `Invalid invoice model.*"nfe".*productInvoice, consumerInvoice, serviceInvoice`},
		{Name: "extra fields with an attribute", At: "extra_json", Value: `{"invoiceModel":"x"}`, Want: `Field with an attribute.*invoice_model`},
	})
}

func TestProduct_putsTheServicesMessageOnTheAttribute(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/products", Kind: sandbox.FaultStatus, Status: 400,
		Body: `{"errors":[{"message":"The code is too long","path":"Code"}]}`,
	})
	_, said := acctest.Serve(t, s, nil).Object("einvoice_product").Create(map[string]any{"name": "Pão", "code": "PAO-1"})
	acctest.WantErrorAt(t, said, "code", `API message: The code is too long\.`)
}

func TestProduct_settlesALostAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before map[string]any // a product that is there already
		refuse bool           // the update that completes what was adopted
		want   string         // the error
		kept   bool           // the id is in state
	}{
		"by adopting what has the code":      {before: map[string]any{"code": "PAO-10", "name": "Another"}, kept: true},
		"unless several have the code":       {before: map[string]any{"code": "PAO-1", "name": "Older"}, want: `Several objects match.*product PAO-1 \(Pão\).*import it by its id`},
		"and keeps the id if the rest fails": {refuse: true, want: `Cannot create product.*not now`, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			if tt.before != nil {
				s.Seed("products", tt.before)
			}
			s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/products", Kind: sandbox.FaultDropAfter})
			if tt.refuse {
				s.Inject(sandbox.Fault{Method: "PUT", Path: "/v1/products/{id}", Kind: sandbox.FaultStatus, Status: 403, Message: "not now"})
			}
			state, said := acctest.Serve(t, s, nil).Object("einvoice_product").Create(map[string]any{"name": "Pão", "code": "PAO-1"})
			if failed := acctest.ErrorsIn(said); (tt.want == "") != (failed == "") || !regexp.MustCompile("(?s)"+tt.want).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, tt.want)
			}
			if kept := state["id"] != nil; kept != tt.kept {
				t.Errorf("the state is %v", state)
			}
			if n := s.Count("POST", "/v1/products"); n != 1 {
				t.Errorf("%d creations were sent, want 1", n)
			}
		})
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
		{
			PreConfig: s.ResetRequests, Config: productConfig(s, productMinimal), ConfigPlanChecks: address.Plans(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				if n := fixture.CountWrites(s); n != 0 {
					return fmt.Errorf("%d writes for a key that is only forgotten here, want none", n)
				}
				return nil
			},
		},
	})
}

func TestProductDataSource_findsByIDOrCode(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed("products", map[string]any{"code": "PAO-1", "name": "Pão", "price": 19.9, "invoiceModel": "consumerInvoice"})
	s.Seed("products", map[string]any{"code": "TWICE", "name": "One"})
	s.Seed("products", map[string]any{"code": "TWICE", "name": "Two"})
	acctest.WantDataReads(t, s, "einvoice_product", []acctest.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: map[string]any{"code": "PAO-1", "price": 19.9}},
		{Name: "by code", Arguments: map[string]any{"code": "PAO-1"}, State: map[string]any{"name": "Pão", "invoice_model": "consumerInvoice"}},
		{Name: "a code that none has", Arguments: map[string]any{"code": "PAO"}, Error: `Product not found.*"PAO"`},
		{Name: "an id that none has", Arguments: map[string]any{"id": "nobody"}, Error: `Product not found.*"nobody"`},
		{Name: "a code that two have", Arguments: map[string]any{"code": "TWICE"}, Error: "Product is not the only one.*Use .id."},
		{Name: "neither", Error: `(?i)exactly one`},
	})
}

func TestProduct_importsByCode(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	bread := s.Seed(sandbox.KindProducts, map[string]any{"name": "Pão", "code": "PAO-1"})
	odd := s.Seed(sandbox.KindProducts, map[string]any{"name": "Broa", "code": "BROA 1/2=a"})
	one := s.Seed(sandbox.KindProducts, map[string]any{"name": "One", "code": "TWICE"})
	other := s.Seed(sandbox.KindProducts, map[string]any{"name": "Two", "code": "TWICE"})
	acctest.WantImports(t, acctest.Serve(t, s, nil), s, "einvoice_product", map[string]string{
		bread: bread, "code=PAO-1": bread, "code=BROA 1/2=a": odd,
	}, map[string]string{
		"code=pao-1": `Product not found: No product has code "pao-1"`,
		"code=TWICE": `Product is not the only one: 2 objects.*` + one + ", " + other,
		"code=":      `Invalid import ID.*code=PAO-001`,
		"name=Pão":   `Invalid import ID: The import ID is "name=Pão"`,
	})
}
