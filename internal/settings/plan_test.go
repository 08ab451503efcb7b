package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A plan shows no setting that nobody manages: at the creation it is null, and the next refresh takes it from the
// service without planning a change.
func TestCompanySettings_whatNobodyManagesIsNeverUnknown(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for field, value := range map[string]any{"tokenId": "1", "csc": "SECRET-CSC", "series": "9"} {
		set(s, "consumerInvoice", field, value)
	}
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	arguments := func(more string) tftypes.Value {
		return o.Value(o.Type, o.Arguments(fmt.Sprintf("company_id = %q\nproduct_invoice = { series = \"2\" }\n%s", s.OwnerCompanyID(), more)))
	}
	apply := func(config tftypes.Value) {
		t.Helper()
		planned := o.MustPlan(config)
		if value := o.Unpack(planned.PlannedState, o.Type); !value.IsFullyKnown() {
			t.Errorf("the plan has unknown parts: %s", value)
		}
		o.MustNotFail(o.Apply(config, planned))
	}
	apply(arguments(""))
	if state := o.State(); state["general"] != nil || state["consumer_invoice"] != nil || state["id"] != s.OwnerCompanyID() {
		t.Errorf("the state after the creation is %v", state)
	}
	const allow = "consumer_invoice = {\n allow_offline_contingency = true\n csc = \"SECRET-CSC\"\n}"
	// Null in state does not mean that the service has none: this is planned without a refresh.
	apply(arguments(allow))
	wantHeld(t, s, map[string]any{"consumerInvoice.allowOfflineContingency": true, "consumerInvoice.series": "9"})
	o.MustNotFail(o.Refresh())
	if testkit.At(o.State(), "consumer_invoice.series") != "9" || o.State()["general"] == nil {
		t.Errorf("the state after the refresh is %v", o.State())
	}
	if planned := o.MustPlan(arguments(allow)); o.Action(planned) != plancheck.ResourceActionNoop {
		t.Errorf("the next plan is %s", o.Action(planned))
	}
}

func TestCompanySettings_neverLowersANumberThatMovedSinceThePlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	o.MustCreate(withCompany(s, map[string]any{"product_invoice": map[string]any{"next_number": 10}}))
	config := o.Value(o.Type, withCompany(s, map[string]any{"product_invoice": map[string]any{"next_number": 20, "series": "2"}}))
	planned := o.MustPlan(config)
	set(s, "productInvoice", "nextNumber", 30)
	o.MustNotFail(o.Apply(config, planned))
	// Lowering the number issues numbers twice.
	wantHeld(t, s, map[string]any{"productInvoice.nextNumber": json.Number("30"), "productInvoice.series": "2"})
	o.Run(testkit.Step{
		Arguments: fmt.Sprintf("company_id = %q\nproduct_invoice = { next_number = 20, series = \"2\" }", s.OwnerCompanyID()), Plans: plancheck.ResourceActionNoop,
	})
}

func TestCompanySettings_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	written := func(name string) map[string]any { return map[string]any{name: "x", name + "_version": "1"} }
	testkit.WantRefusalsOf(t, "einvoice_company_settings", "company_settings_refuses_wrong_values_while_planning.json")
	for at, writeOnly := range map[string]string{"consumer_invoice.csc": "csc_wo", "service_invoice.password": "service_password_wo"} {
		arguments := map[string]any{"company_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "secrets": written(writeOnly)}
		testkit.Set(arguments, at, "x")
		o := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object("einvoice_company_settings")
		_, said := o.Plan(o.Value(o.Type, arguments))
		testkit.WantErrorAt(t, said, "secrets", `Invalid Attribute Combination.*`+strings.ReplaceAll(at, ".", `\.`))
	}
}
