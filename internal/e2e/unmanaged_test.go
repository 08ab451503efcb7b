package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// What a configuration does not manage belongs to somebody else, and the service's
// PUT erases what it does not name. A change is made of what the service holds then:
// what somebody else wrote after the refresh and the plan is sent back as it is.

// unmanaged are the fields that the service of these tests knows beyond those that
// have an attribute.
var unmanaged = map[string][]string{
	sandbox.KindCustomers: {"externalCode", "segment"},
	sandbox.KindProducts:  {"ncm", "unit", "weight"},
	sandbox.KindWebhooks:  {"description"},
	sandbox.KindCompanies: {"segment"},
}

// plainCompany are the arguments that a company needs.
func plainCompany(name string, more object) object {
	return with(object{
		"name": name, "legal_name": "Padaria Ltda", "federal_tax_number": "11222333000181",
		"address": object{"city": object{"code": "3550308"}},
	}, more)
}

func TestUpdates_keepWhatIsNotManaged(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, resource string
		before, after  map[string]any
		outside, want  map[string]any // fields at the service, as somebody else set them and afterwards
	}{
		"customer": {
			kind: sandbox.KindCustomers, resource: "einvoice_customer",
			before:  map[string]any{"name": "Padaria", "email": "a@b.example", "address": map[string]any{"street": "Rua A", "city": map[string]any{"code": "3550308"}}},
			after:   map[string]any{"name": "Padaria Nova", "address": map[string]any{"street": "Rua B", "city": map[string]any{"code": "3304557"}}},
			outside: map[string]any{"externalCode": "C-1", "segment": map[string]any{"tier": "gold"}},
			want:    map[string]any{"name": "Padaria Nova", "email": nil, "externalCode": "C-1", "segment": map[string]any{"tier": "gold"}},
		},
		"product": {
			kind: sandbox.KindProducts, resource: "einvoice_product",
			before:  map[string]any{"name": "Pão", "code": "P-1", "price": 1.5, "invoice_model": "consumerInvoice"},
			after:   map[string]any{"name": "Pão", "code": "P-1", "price": 2.5},
			outside: map[string]any{"ncm": "19059090", "unit": "UN", "weight": 0.05},
			want:    map[string]any{"price": 2.5, "invoiceModel": nil, "ncm": "19059090", "unit": "UN", "weight": 0.05},
		},
		"product whose extra field is forgotten": {
			kind: sandbox.KindProducts, resource: "einvoice_product",
			before:  map[string]any{"name": "Pão", "code": "P-1", "extra_json": `{"ncm":"19059090","unit":"UN"}`},
			after:   map[string]any{"name": "Bolo", "code": "P-1", "extra_json": `{"unit":"KG"}`},
			outside: map[string]any{"weight": 1},
			want:    map[string]any{"name": "Bolo", "ncm": "19059090", "unit": "KG", "weight": 1},
		},
		"customer of which a part of an extra field is managed": {
			kind: sandbox.KindCustomers, resource: "einvoice_customer",
			before:  map[string]any{"name": "Padaria", "extra_json": `{"segment":{"tier":"gold"}}`},
			after:   map[string]any{"name": "Padaria", "extra_json": `{"segment":{"tier":"silver"}}`},
			outside: map[string]any{"segment": map[string]any{"tier": "gold", "since": 2020}},
			want:    map[string]any{"segment": map[string]any{"tier": "silver", "since": 2020}},
		},
		"webhook": {
			kind: sandbox.KindWebhooks, resource: "einvoice_webhook",
			before:  map[string]any{"event": "invoice.authorized", "url": "https://a.example/"},
			after:   map[string]any{"event": "invoice.authorized", "url": "https://b.example/"},
			outside: map[string]any{"description": "ERP"},
			want:    map[string]any{"url": "https://b.example/", "description": "ERP", "enabled": true},
		},
		"company": {
			kind: sandbox.KindCompanies, resource: "einvoice_company",
			before:  plainCompany("Padaria", nil),
			after:   plainCompany("Padaria Nova", nil),
			outside: map[string]any{"segment": "gold"},
			want:    map[string]any{"name": "Padaria Nova", "segment": "gold"},
		},
	} {
		for options, opts := range map[string]sandbox.Options{"": {}, " that is not read by id": {NoReadByID: true}, " in a wrapper": {WrapResults: true}} {
			t.Run(name+options, func(t *testing.T) {
				t.Parallel()
				opts.ExtraFields = unmanaged
				s := sandbox.Start(t, opts)
				object := testkit.Serve(t, s, nil).Object(tt.resource)
				state, said := object.Create(tt.before)
				object.MustNotFail(said)
				object.MustNotFail(object.Refresh())
				config := object.Value(object.Type, tt.after)
				planned := object.MustPlan(config)
				s.Patch(tt.kind, state["id"].(string), tt.outside)
				object.MustNotFail(object.Apply(config, planned))
				held, _ := s.Object(tt.kind, state["id"].(string))
				for field, want := range tt.want {
					if got := held[field]; fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%s is %v afterwards, want %v", field, got, want)
					}
				}
			})
		}
	}
}

func TestWrites_sayWhatTheServiceDoesNotKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		resource  string
		arguments map[string]any
		options   sandbox.Options
		at        string // where it is said
		write     string // what each write says
		cured     map[string]any
	}{
		"product's code in capitals": {
			resource: "einvoice_product", arguments: map[string]any{"name": "PAO", "code": "pão-1"}, options: sandbox.Options{Capitals: true}, at: "code",
			write: `code.*"pão-1".*holds "PAO-1"`,
			cured: map[string]any{"name": "PAO", "code": "PAO-1"},
		},
		"customer's field that the service does not know": {
			resource: "einvoice_customer", arguments: map[string]any{"name": "A", "extra_json": `{"segment":"gold","notes":"vip"}`}, options: sandbox.Options{ExtraFields: unmanaged}, at: "extra_json",
			write: `extra_json\.notes.*"vip".*holds nothing.*may not know the field`,
			cured: map[string]any{"name": "A", "extra_json": `{"segment":"gold"}`},
		},
		"company's field that the service does not know": {
			resource: "einvoice_company", arguments: plainCompany("A", map[string]any{"extra_json": `{"notes":"vip"}`}), at: "extra_json",
			write: `extra_json\.notes.*"vip".*holds nothing`,
			cured: plainCompany("A", nil),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := testkit.Serve(t, sandbox.Start(t, tt.options), nil).Object(tt.resource)
			_, said := object.Create(tt.arguments)
			object.MustNotFail(said)
			wantWarning(t, "the creation", said, tt.at, tt.write)
			config := object.Value(object.Type, tt.arguments)
			for _, run := range []string{"the first plan", "the second plan"} {
				object.MustNotFail(object.Refresh())
				planned, said := object.Plan(config)
				object.MustNotFail(said)
				wantWarning(t, run, said, tt.at, "")
				wantWarning(t, "the update after "+run, object.Apply(config, planned), tt.at, tt.write)
			}
			object.MustNotFail(object.Refresh())
			config = object.Value(object.Type, tt.cured)
			planned, said := object.Plan(config)
			wantWarning(t, "the cured plan", said, tt.at, "")
			wantWarning(t, "the cured apply", object.Apply(config, planned), tt.at, "")
		})
	}
}

// wantWarning checks the only warning; "" wants none.
func wantWarning(t *testing.T, when string, said []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	var warnings []string
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			warnings = append(warnings, strings.TrimPrefix(d.Attribute.String(), "AttributeName(")+" "+d.Summary+": "+d.Detail)
		}
	}
	if want == "" && len(warnings) == 0 {
		return
	}
	if want == "" || len(warnings) != 1 || !regexp.MustCompile("(?s)"+at+".*"+want).MatchString(warnings[0]) {
		t.Errorf("%s says %q, want one warning like %q at %s", when, warnings, want, at)
	}
}
