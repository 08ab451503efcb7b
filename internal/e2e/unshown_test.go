package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A read that leaves a value out does not say that it is gone. One that shows null does.
func TestRefresh_keepsWhatTheServiceDoesNotShow(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct{ arguments, cleared, attribute string }{
		"customer": {
			`name = "Padaria"
			federal_tax_number = "11.222.333/0001-81"
			email = "a@example.com"
			phone = "(11) 91234-5678"
			address = { street = "Rua A", city = { code = "3550308" } }
			extra_json = jsonencode({ tags = { shelf = "A" } })`,
			`"email": null`, "email",
		},
		"product": {
			`name = "Pão"
			code = "P-1"
			price = 1.5
			invoice_model = "productInvoice"
			extra_json = jsonencode({ ncm = "19059090" })`,
			`"price": null`, "price",
		},
		"company": {
			`name = "Filial"
			legal_name = "Filial Ltda"
			federal_tax_number = "11444777000161"
			email = "a@example.com"
			tax_regime = "regimeNormal"
			economic_activities = [{ code = "1091102", type = "main" }]
			address = { street = "Rua A", city = { code = "3550308" } }`,
			`"email": null`, "email",
		},
		"webhook": {
			`event = "invoice.authorized"
			url = "https://erp.example/hooks"
			enabled = false`,
			`"enabled": true`, "enabled",
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object("einvoice_" + kind)
			_, said := o.Create(o.Arguments(test.arguments))
			o.MustNotFail(said)
			before := o.State()
			many := map[string]string{"company": "companies"}[kind]
			if many == "" {
				many = kind + "s"
			}
			shows := func(more string) {
				t.Helper()
				for _, path := range []string{"/v1/" + many, "/v1/" + many + "/{id}"} {
					s.Inject(sandbox.Fault{
						Method: "GET", Path: path, Kind: sandbox.FaultBody,
						Body: fmt.Sprintf(`{"id": %q, "address": {"street": "Rua A", "city": {"name": "São Paulo"}}, `+
							`"economicActivities": [{"code": "1091102"}]%s}`, before["id"], more),
					})
				}
				o.MustNotFail(o.Refresh())
			}
			shows("")
			if diff := cmp.Diff(before, o.State()); diff != "" {
				t.Errorf("the state (-want +got):\n%s", diff)
			}
			planned := o.MustPlan(o.Value(o.Type, o.Arguments(test.arguments)))
			if action := o.Action(planned); action != plancheck.ResourceActionNoop {
				t.Errorf("the plan of the same is %s", action)
			}
			s.ClearFaults()
			shows(", " + test.cleared)
			if after := o.State()[test.attribute]; after == before[test.attribute] {
				t.Errorf("%s is still %v in state", test.attribute, after)
			}
		})
	}
}

// A list that comes as one bare object says nothing about the others, which stay in state.
func TestRefresh_keepsWhatAListOfOneObjectDoesNotShow(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct{ first, second, changed, member string }{
		"customer": {`name = "Padaria"`, `name = "Cafe"`, `name = "Cafe 2"`, "name"},
		"product": {
			"name = \"Pão\"\ncode = \"P-1\"", "name = \"Broa\"\ncode = \"B-1\"", "name = \"Broa 2\"\ncode = \"B-1\"", "name",
		},
		"webhook": {
			"event = \"invoice.authorized\"\nurl = \"https://erp.example/a\"", "event = \"invoice.authorized\"\nurl = \"https://erp.example/b\"",
			"event = \"invoice.authorized\"\nurl = \"https://erp.example/c\"", "url",
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			path := "/v1/" + kind + "s"
			s := sandbox.Start(t, sandbox.Options{Without: []string{"GET " + path + "/{id}", "DELETE " + path + "/{id}"}})
			p := testkit.Serve(t, s, nil)
			first, second := p.Object("einvoice_"+kind), p.Object("einvoice_"+kind)
			_, said := first.Create(first.Arguments(test.first))
			first.MustNotFail(said)
			_, said = second.Create(second.Arguments(test.second))
			second.MustNotFail(said)
			shown, err := json.Marshal(s.Objects(kind + "s")[0])
			if err != nil {
				t.Fatal(err)
			}
			s.Inject(sandbox.Fault{Method: "GET", Path: path, Kind: sandbox.FaultBody, Body: string(shown), Times: -1})
			for _, o := range []*testkit.Object{first, second} {
				before := o.State()
				said := o.Refresh()
				o.MustNotFail(said)
				if diff := cmp.Diff(before, o.State()); diff != "" {
					t.Errorf("the state (-want +got):\n%s", diff)
				}
				isWarned := strings.Contains(testkit.TextsOf(said), "The service shows only one "+kind)
				if isWarned != (o == second) {
					t.Errorf("it says %q", testkit.TextsOf(said))
				}
			}
			change := second.Value(second.Type, second.Arguments(test.changed))
			second.MustNotFail(second.Apply(change, second.MustPlan(change)))
			if sent := s.All("PUT", path+"/{id}"); len(sent) != 1 || !strings.Contains(string(sent[0].Body), `"`+test.member+`":`) {
				t.Errorf("sent %v", sent)
			}
			planned, said := second.PlanDestroy()
			second.MustNotFail(said)
			second.MustNotFail(second.Destroy(planned))
		})
	}
}
