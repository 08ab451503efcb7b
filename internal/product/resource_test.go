package product_test

import (
	"regexp"
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

	productMinimal = "name = \"Pão\"\ncode = \"PAO-1\"\n"
	productFull    = productMinimal + "price = 19.9\ninvoice_model = \"consumerInvoice\""
)

// wantSent looks for a part in the last request with a method.
func wantSent(t *testing.T, s *sandbox.Server, method, part string) {
	t.Helper()
	if sent, _ := s.Last(method, ""); !strings.Contains(string(sent.Body), part) {
		t.Errorf("sent %s, want %s", sent.Body, part)
	}
}

func TestProduct_takesAPriceInAnySpellingAndClears(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	price := func(text string) string { return productMinimal + "price = " + text }
	holds := func(fields map[string]any) func() {
		return func() { testkit.PatchAll(s, sandbox.KindProducts, fields) }
	}
	testkit.Serve(t, s, nil).Object("einvoice_product").RunAnew(s,
		testkit.Step{Arguments: productMinimal, State: map[string]any{"price": nil, "invoice_model": nil}},
		testkit.Step{Before: func() { wantSent(t, s, "POST", `{"code":"PAO-1","name":"Pão"}`) }, Arguments: price("10"), Plans: update, State: map[string]any{"price": 10.0}},
		testkit.Step{Arguments: price("10.0"), Plans: nothing},
		testkit.Step{Before: holds(map[string]any{"price": "10.00"}), Arguments: price("1e1"), Plans: nothing},
		testkit.Step{Arguments: price("0"), Plans: update},
		testkit.Step{Arguments: price("0.1"), Plans: update},
		testkit.Step{Before: func() { wantSent(t, s, "PUT", `"price":0.1`) }, Arguments: productMinimal, Plans: update},
		// The service may merge, so that what is cleared is an explicit null.
		testkit.Step{Before: func() { wantSent(t, s, "PUT", `"price":null`) }, Arguments: productFull, Plans: update},
		testkit.Step{Before: holds(map[string]any{"name": "", "price": nil}), Arguments: productFull, Plans: update},
	)
	fixture.WantRequests(t, s, "PUT", "", 6)
}

func TestProduct_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_product", "product_refuses_wrong_values_while_planning.json")
}

// What is adopted is not changed: the next plan shows what the service wrote in its own way.
func TestProduct_settlesALostAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before map[string]any // a product that is there already
		want   string         // the error
	}{
		"by adopting what has the code": {before: map[string]any{"code": "PAO-10", "name": "Another"}},
		"unless several have the code":  {before: map[string]any{"code": "PAO-1", "name": "Older"}, want: `lost: product PAO-1 \(Pão\).*lists 2 that match.*by its id`},
	} {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{Capitals: true})
			s.Seed("products", tt.before)
			s.Inject(sandbox.Fault{Method: "POST", Path: "/v1/products", Kind: sandbox.FaultDropAfter})
			o := testkit.Serve(t, s, nil).Object("einvoice_product")
			arguments := map[string]any{"name": "Pão", "code": "PAO-1"}
			state, said := o.Create(arguments)
			if failed := testkit.ErrorsIn(said); (tt.want == "") != (failed == "") || !regexp.MustCompile("(?s)"+tt.want).MatchString(failed) {
				t.Errorf("the error is %q, want %q", failed, tt.want)
			}
			fixture.WantWrites(t, s, 1)
			if kept := state["id"] != nil; kept != (tt.want == "") {
				t.Fatalf("the state is %v", state)
			}
			if state["id"] == nil {
				return
			}
			o.MustNotFail(o.Refresh())
			expect.Is(t, o.Action(o.MustPlan(o.Value(o.Type, arguments))), update, "the next plan is to")
		})
	}
}

func TestProduct_comparesExtraFieldsByValue(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{ExtraFields: map[string][]string{"products": {"ncm"}}})
	extra := func(number string) string { return productMinimal + "extra_json = \"{\\\"ncm\\\": " + number + "}\"" }
	testkit.Serve(t, s, nil).Object("einvoice_product").RunAnew(s,
		testkit.Step{Arguments: extra("19059090")},
		testkit.Step{Arguments: extra("19059090.0"), Plans: nothing},
		testkit.Step{Before: func() { testkit.PatchAll(s, "products", map[string]any{"ncm": 1}) }, Arguments: extra("19059090"), Plans: update},
		testkit.Step{Before: s.ResetRequests, Arguments: productMinimal, Plans: update},
	)
	fixture.WantWrites(t, s, 0)
}

func TestProductDataSource_findsByIDOrCode(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed("products", map[string]any{"id": "id-1", "code": "PAO-1", "name": "Pão", "price": 19.9, "invoiceModel": "consumerInvoice"})
	for range 2 {
		s.Seed("products", map[string]any{"code": "TWICE", "name": "One of two"})
	}
	testkit.WantDataReads(t, s, "einvoice_product", rows.Read[[]testkit.DataRead](t, "product_data_source_finds.json"))
}

// A service that writes a code in its own way has made the product all the same: no second one is created.
func TestProduct_isKnownByItsNameWhereTheServiceChangesTheCode(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed("products", map[string]any{"code": "123", "name": "Pão"})
	s.Inject(sandbox.Fault{
		Method: "POST", Path: "/v1/products", Kind: sandbox.FaultBody, Status: 200,
		Body: `{"id": "` + id + `", "code": 123, "name": "Pão"}`,
	})
	state, said := testkit.Serve(t, s, nil).Object("einvoice_product").Create(map[string]any{"name": "Pão", "code": "0123"})
	if text := testkit.TextsOf(said); testkit.ErrorsIn(said) != "" || state["id"] != id || !strings.Contains(text, "Not kept as sent: code") {
		t.Errorf("the state is %v, and it says %s", state, text)
	}
	fixture.WantRequests(t, s, "POST", "/v1/products", 1)
}
