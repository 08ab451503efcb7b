package e2e_test

import (
	"context"
	"maps"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// sentForCompany are the resources that send for a company, each with a change that sends; nil for none.
var sentForCompany = map[string]struct {
	arguments, change object
	reason            bool   // a destroy cancels
	company           string // names the company
}{
	"einvoice_invoice_issuance": {serviceInvoice("order-1"), object{"issue": true}, true, "issuer"},
	"einvoice_order": {
		object{"transaction_id": "t-1", "amount": 10, "customer": object{"name": "Maria"}, "items": []any{object{"price": 10, "product": object{"name": "Camisa", "invoice_model": "serviceInvoice"}}}},
		object{"status": "approved"},
		true, "issuer",
	},
	"einvoice_correction_letter":     {object{"invoice_id": correctedInvoice, "letter": fixture.TestLetter}, nil, false, "issuer"},
	"einvoice_inbound_manifestation": {object{"invoice_id": receivedInvoice, "status": "acknowledged"}, object{"status": "confirmed"}, false, "company"},
}

func withInvoices(t *testing.T) *sandbox.Server {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindProductInvoices, object{"id": correctedInvoice, "status": "authorized"})
	s.SeedInbound(s.OwnerCompanyID(), object{"id": receivedInvoice})
	return s
}

// A plan shows its account, and is applied to no other one.
func TestAccount_isTheOneThatWasPlannedFor(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			first, second := withInvoices(t), withInvoices(t)
			o := testkit.Serve(t, first, nil).Object(kind)
			arguments := maps.Clone(row.arguments)
			if row.reason {
				arguments["cancellation_reason"] = "Emitida por engano no teste"
			}
			if kind == "einvoice_invoice_issuance" {
				arguments["issue"] = false
			}
			config := o.Value(o.Type, arguments)
			planned := o.MustPlan(config)
			account := testkit.TextIn(t, o.Attributes(planned.PlannedState, o.Type)["account"])
			if !regexp.MustCompile(`^[^/]+:\d+/[0-9a-f]{8}$`).MatchString(account) {
				t.Errorf("the plan shows the account %q", account)
			}
			o.MustNotFail(o.Apply(config, planned))
			o.MustNotFail(o.Refresh())
			elsewhere := func(fails func() string) {
				t.Helper()
				before := len(second.Requests())
				here := o.Protocol
				o.Protocol = testkit.Serve(t, second, nil)
				if failed := fails(); !regexp.MustCompile(`^Planned for another account: .*` + regexp.QuoteMeta(account) + `.*Nothing was sent`).MatchString(failed) {
					t.Errorf("it fails with %q", failed)
				}
				if n := len(second.Requests()) - before; n != 0 {
					t.Errorf("%d requests reached the other account", n)
				}
				o.Protocol = here
			}
			o.Protocol = testkit.Serve(t, first, nil) // Another run.
			if row.change != nil {
				changed := maps.Clone(arguments)
				maps.Copy(changed, row.change)
				config = o.Value(o.Type, changed)
				planned = o.MustPlan(config)
				elsewhere(func() string { return testkit.ErrorsIn(o.Apply(config, planned)) })
				o.MustNotFail(o.Apply(config, planned))
				o.MustNotFail(o.Refresh())
			}
			if row.reason {
				leaves, said := o.PlanDestroy()
				o.MustNotFail(said)
				elsewhere(func() string { return testkit.ErrorsIn(o.Destroy(leaves)) })
				o.MustNotFail(o.Destroy(leaves))
			} else if got := o.State()["account"]; got != account {
				t.Errorf("the state has the account %v, want %s", got, account)
			}
		})
	}
}

// A key that is replaced is no other account for what is planned afterwards.
func TestAccount_keepsItsNameWhenTheKeyIsReplaced(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	company, key := fixture.Company(s, fixture.BranchNumber)
	o := testkit.Serve(t, s, object{"api_key": key}).Object("einvoice_invoice_issuance")
	arguments := serviceInvoice("order-1")
	arguments["issue"] = false
	account := o.MustCreate(arguments)["account"]
	o.Protocol = testkit.Serve(t, s, object{"api_key": s.RegenerateKey(company)})
	arguments["issue"] = true
	o.MustNotFail(o.Refresh())
	o.MustNotFail(o.Apply(o.Value(o.Type, arguments), o.MustPlan(o.Value(o.Type, arguments))))
	if state := o.State(); state["account"] != account || state["status"] != "authorized" {
		t.Errorf("the state is %v, want the account %v", state, account)
	}
}

// While the key is not known, the account is not known either.
func TestAccount_isUnknownWithItsKey(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		s := withInvoices(t)
		o := testkit.Serve(t, s, object{"api_key": tftypes.UnknownValue}).Object(kind)
		planned := o.MustPlan(o.Value(o.Type, row.arguments))
		if account := o.Attributes(planned.PlannedState, o.Type)["account"]; account.IsKnown() {
			t.Errorf("%s: the plan shows the account %v", kind, account)
		}
	}
}

// Beside company_keys nothing is sent for a company that nobody names, and everything else goes on.
func TestIssuer_isRequiredBesideCompanyKeys(t *testing.T) {
	t.Parallel()
	s := withInvoices(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	for kind, row := range sentForCompany {
		for name, keys := range map[string]any{"keys": object{fixture.BranchNumber: key}, "no keys": object{}, "unknown keys": tftypes.UnknownValue} {
			p := testkit.Serve(t, s, object{"company_keys": keys})
			before := len(s.Requests())
			_, said := p.Object(kind).Plan(p.Object(kind).Value(p.Object(kind).Type, row.arguments))
			testkit.WantErrorAt(t, said, row.company, "Missing "+row.company+".*`api_key` would act.*Set `"+row.company+"`")
			if n := len(s.Requests()) - before; n != 0 {
				t.Errorf("%s, %s: %d requests were sent", kind, name, n)
			}
		}
	}
}

// An object that a block without issuer already has can be read, kept, changed where nothing is sent, and destroyed.
func TestIssuer_isNotRequiredWhereNothingIsSent(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := withInvoices(t)
			o := testkit.Serve(t, s, nil).Object(kind)
			arguments := maps.Clone(row.arguments)
			if kind == "einvoice_invoice_issuance" {
				arguments["issue"] = false
			}
			o.MustCreate(arguments)
			_, key := fixture.Company(s, fixture.BranchNumber)
			o.Protocol = testkit.Serve(t, s, object{"company_keys": object{fixture.BranchNumber: key}})
			o.MustNotFail(o.Refresh())
			config := o.Value(o.Type, arguments)
			o.MustNotFail(o.Apply(config, o.MustPlan(config)))
			if row.change != nil {
				changed := maps.Clone(arguments)
				maps.Copy(changed, row.change)
				_, said := o.Plan(o.Value(o.Type, changed))
				testkit.WantErrorAt(t, said, row.company, "Missing "+row.company)
			}
			leaves, said := o.PlanDestroy()
			o.MustNotFail(said)
			o.MustNotFail(o.Destroy(leaves))
		})
	}
}

// The same for each action that has such an argument.
func TestIssuer_isRequiredOfActionsBesideCompanyKeys(t *testing.T) {
	t.Parallel()
	s := withInvoices(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	p := testkit.Serve(t, s, object{"company_keys": object{fixture.BranchNumber: key}})
	arguments := rows.Read[map[string]object](t, "issuer_is_required_of_actions_beside_company_keys.json")
	for kind, schema := range p.Schemas.ActionSchemas {
		for _, a := range schema.Schema.Block.Attributes {
			if a.Name != "issuer" && a.Name != "company" {
				continue
			}
			before, config := len(s.Requests()), p.Config(schema.Schema, arguments[kind])
			planned := testkit.Answered(t, p.PlanAction, &tfprotov6.PlanActionRequest{ActionType: kind, Config: config})
			testkit.WantErrorAt(t, planned.Diagnostics, a.Name, "Missing "+a.Name+": action "+kind)
			invoked := testkit.Answered(t, func(ctx context.Context, req *tfprotov6.InvokeActionRequest) (said []*tfprotov6.Diagnostic, err error) {
				stream, err := p.InvokeAction(ctx, req)
				for event := range stream.Events {
					if ended, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
						said = ended.Diagnostics
					}
				}
				return said, err
			}, &tfprotov6.InvokeActionRequest{ActionType: kind, Config: config})
			testkit.WantErrorAt(t, invoked, a.Name, "Missing "+a.Name+": action "+kind)
			if n := len(s.Requests()) - before; n != 0 {
				t.Errorf("%s: %d requests were sent", kind, n)
			}
		}
	}
}
