package e2e_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A service may write a name in its own way: it is one object, in state, whose plan is empty, and that imports find.
func TestSpellings_ofTheServiceAreTheSameObject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		noun, at     string
		given, shown string
		importBy     string // in the given spelling; none where it is empty
	}{
		"a host in capitals":            {"webhook", "url", "https://ERP.Example.com/hooks", "https://erp.example.com/hooks", "event=invoice.authorized,url="},
		"no path":                       {"webhook", "url", "https://erp.example", "https://erp.example/", "event=invoice.authorized,url="},
		"a default port":                {"webhook", "url", "https://erp.example:443/h", "https://erp.example/h", "event=invoice.authorized,url="},
		"punycode and an escaped path":  {"webhook", "url", "https://notas-são.example/ação", "https://xn--notas-so-xza.example/a%C3%A7%C3%A3o", "event=invoice.authorized,url="},
		"a foreign document":            {"customer", "federal_tax_number", "pt501234567", "PT501234567", "federal_tax_number="},
		"a code in capitals":            {"product", "code", "pao-1", "PAO-1", "code="},
		"a code with blanks":            {"product", "code", "PAO-1 ", "PAO-1", "code="},
		"a name in two characters":      {"product", "name", "Pão", "Pa\u0303o", ""},
		"a code in two characters":      {"product", "code", "PÃO-1", "PA\u0303O-1", "code="},
		"fields beyond, two characters": {"product", "extra_json", `{"notes":"Pão"}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			kind := map[string]string{"webhook": sandbox.KindWebhooks, "customer": sandbox.KindCustomers, "product": sandbox.KindProducts}[test.noun]
			arguments := object{test.at: test.given}
			for at, value := range map[string]object{
				"webhook": {"event": "invoice.authorized"}, "customer": {"name": "Ana"}, "product": {"name": "Pão", "code": "P-1"},
			}[test.noun] {
				if arguments[at] == nil {
					arguments[at] = value
				}
			}
			p := testkit.Serve(t, s, nil)
			o := p.Object("einvoice_" + test.noun)
			field := map[string]string{"federal_tax_number": "federalTaxNumber"}[test.at]
			if field == "" {
				field = test.at
			}
			patch := map[string]any{field: test.shown}
			if test.at == "extra_json" {
				patch = map[string]any{"notes": "Pa\u0303o"}
			}
			id, _ := o.MustCreate(arguments)["id"].(string)
			s.Patch(kind, id, patch)
			said := o.Refresh()
			config := o.Value(o.Type, arguments)
			if action := o.Action(o.MustPlan(config)); action != plancheck.ResourceActionNoop || len(said) > 0 {
				t.Errorf("the next plan is to %s, and says %s", action, testkit.TextsOf(said))
			}
			if test.importBy != "" {
				other := p.Object("einvoice_" + test.noun)
				o.MustNotFail(other.Import(test.importBy + test.given))
				if action := other.Action(other.MustPlan(config)); action != plancheck.ResourceActionNoop {
					t.Errorf("the plan after an import is to %s", action)
				}
			}
		})
	}
}

// Core drops names that an object does not have. What is left of it holds nothing.
func TestObjects_thatHoldNothingWarnAndSettle(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for name, test := range map[string]struct {
		kind      string
		arguments object
		want      string
	}{
		"a country":      {"customer", object{"name": "Ana", "address": object{"street": "Rua A", "country": object{}}}, "address.country holds nothing"},
		"an address":     {"customer", object{"name": "Ana", "address": object{}}, "address holds nothing"},
		"a settings":     {"company_settings", object{"company_id": s.OwnerCompanyID(), "service_invoice": object{}}, "service_invoice holds nothing"},
		"secrets":        {"company_settings", object{"company_id": s.OwnerCompanyID(), "secrets": object{}}, "secrets holds nothing"},
		"one that holds": {"customer", object{"name": "Ana", "address": object{"street": tftypes.UnknownValue}}, ""},
		"a short postal code": {
			"customer", object{"name": "Ana", "address": object{"postal_code": "1310100"}}, `Postal code without 8 digits: 1310100: `,
		},
		"a short postal code abroad": {
			"customer", object{"name": "Ana", "address": object{"postal_code": "1310100", "country": object{"code": 6076}}}, "",
		},
		"items of an order": {"order", object{
			"transaction_id": "t-1", "amount": 10, "customer": object{"name": "Ana"},
			"items": []any{object{"product": object{"name": "Pão"}}},
		}, "Item without an amount: order t-1"},
	} {
		o := p.Object("einvoice_" + test.kind)
		config := o.Value(o.Type, test.arguments)
		planned, said := o.Plan(config)
		text := testkit.TextsOf(said)
		if testkit.ErrorsIn(said) != "" || (test.want == "") != (text == "") || !strings.Contains(text, test.want) {
			t.Errorf("%s: the plan says %q, want %q", name, text, test.want)
			continue
		}
		if test.kind != "customer" || test.want == "" {
			continue
		}
		if said := o.Apply(config, planned); len(said) > 0 {
			t.Errorf("%s: the apply says %s", name, testkit.TextsOf(said))
		}
		o.MustNotFail(o.Refresh())
		if action := o.Action(o.MustPlan(config)); action != plancheck.ResourceActionNoop {
			t.Errorf("%s: the next plan is to %s", name, action)
		}
	}
}

func TestImports_ofWhatCannotBeAnIDSayWhatCan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for _, test := range []struct{ kind, id, want string }{
		{"customer", `"77c0"`, "Invalid import ID"},
		{"product", "77c0\n", "Invalid import ID"},
		{"customer", "{77c0}", "Invalid import ID"},
		{"customer", "11222333000181", `Did you mean "federal_tax_number=11222333000181"`},
		{"webhook", "'77c0'", "Invalid import ID"},
		{"order", `"77c0"`, "Invalid import ID"},
		{"invoice_issuance", `serviceInvoice/"77c0"`, "Invalid import ID"},
	} {
		if said := testkit.TextsOf(p.Object("einvoice_" + test.kind).Import(test.id)); !strings.Contains(said, test.want) {
			t.Errorf("%s %q: it says %q, want %q", test.kind, test.id, said, test.want)
		}
	}
	if n := len(s.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
	s.Inject(sandbox.Fault{Method: "GET", Kind: sandbox.FaultStatus, Status: 400, Message: "not valid", Times: 3})
	for _, test := range []struct{ kind, id string }{{"customer", "imp-1"}, {"order", "imp-1"}, {"invoice_issuance", "serviceInvoice/imp-1"}} {
		if said := testkit.TextsOf(p.Object("einvoice_" + test.kind).Import(test.id)); !strings.HasPrefix(said, "Invalid import ID") {
			t.Errorf("%s: of an id that the service refuses it says %q", test.kind, said)
		}
	}
}
