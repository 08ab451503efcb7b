package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A read that leaves out a block, or all of them, does not clear them in state. A write of such a
// block would lose at the service what is not configured, so nothing is sent.
func TestCompanySettings_aBlockThatIsNotShownIsKeptAndNotWritten(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"nothing":                      `{}`,
		"the block missing":            `{"general": {"decimalPrecision": 2}}`,
		"the block null":               `{"general": {"decimalPrecision": 2}, "productInvoice": null}`,
		"the block empty":              `{"general": {"decimalPrecision": 2}, "productInvoice": {}}`,
		"only a block of its own kind": `{"general": {"decimalPrecision": 2}, "other": {"a": 1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
			arguments := func(series, precision string) map[string]any {
				return o.Arguments(fmt.Sprintf(`company_id = %q
					general         = { decimal_precision = %s }
					product_invoice = { series = %q, next_number = 42, environment_type = "development" }
					extra_json      = jsonencode({ productInvoice = { roundingTolerance = 1.5 } })`, s.OwnerCompanyID(), precision, series))
			}
			_, said := o.Create(arguments("7", "2"))
			o.MustNotFail(said)
			before, sent := o.State(), len(putBodies(t, s, 0))
			s.Inject(sandbox.Fault{Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Body: answer, Times: 2})

			said = o.Refresh()
			o.MustNotFail(said)
			if text := testkit.TextsOf(said); !strings.Contains(text, "The service does not show the settings block productInvoice") {
				t.Errorf("the refresh says %q", text)
			}
			for _, at := range []string{"product_invoice", "extra_json"} {
				if diff := cmp.Diff(before[at], o.State()[at]); diff != "" {
					t.Errorf("%s in state (-want +got):\n%s", at, diff)
				}
			}
			if planned := o.MustPlan(o.Value(o.Type, arguments("7", "2"))); o.Action(planned) != plancheck.ResourceActionNoop {
				t.Errorf("the plan of the same is %s", o.Action(planned))
			}
			change := o.Value(o.Type, arguments("8", "2"))
			failed := testkit.ErrorsIn(o.Apply(change, o.MustPlan(change)))
			for _, want := range []string{"Cannot write the settings block productInvoice", "Nothing was sent", "`state rm`"} {
				if !strings.Contains(failed, want) {
					t.Errorf("the error lacks %q: %s", want, failed)
				}
			}
			if bodies := putBodies(t, s, sent); len(bodies) != 0 {
				t.Errorf("sent %v", bodies)
			}
			// It shows again.
			o.MustNotFail(o.Apply(change, o.MustPlan(change)))
			bodies := putBodies(t, s, sent)
			if len(bodies) != 1 || bodies[0]["productInvoice"]["nextNumber"] != 42.0 ||
				bodies[0]["productInvoice"]["roundingTolerance"] != 1.5 || bodies[0]["productInvoice"]["series"] != "8" {
				t.Errorf("sent %v, want the block as a whole", bodies)
			}
		})
	}
}

// A block that no read has shown may hold all the same: numbering, environment, secrets. It is written only
// where the configuration sets all of it, or where the service says that there is none.
func TestCompanySettings_aBlockThatNoReadHasShownIsOnlyWrittenAsAWhole(t *testing.T) {
	t.Parallel()
	const (
		part = `consumer_invoice = { series = "7" }`
		all  = `consumer_invoice = {
				series = "7", next_number = 42, environment_type = "development", token_id = "000001", csc = "SECRET-CODE"
				allow_offline_contingency = false
			}`
		refused = "Cannot write the settings block consumerInvoice.*does not show `consumer_invoice.next_number`, " +
			"`consumer_invoice.environment_type`, `consumer_invoice.token_id`, `consumer_invoice.csc`, .*Nothing was sent"
	)
	for name, test := range map[string]struct{ answer, arguments, fails string }{
		"nothing is shown":                  {`{}`, part, refused},
		"the block is not shown":            {`{"general": {"decimalPrecision": 2}}`, part, refused},
		"all of it is configured":           {`{}`, all, ""},
		"the service says that it is null":  {`{"consumerInvoice": null}`, part, ""},
		"the service says that it is empty": {`{"consumerInvoice": {}}`, part, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Body: test.answer, Times: 1})
			runSteps(t, s, testkit.Step{Arguments: test.arguments, Fails: test.fails})
			bodies := putBodies(t, s, 0)
			if isSent := len(bodies) == 1 && bodies[0]["consumerInvoice"]["series"] == "7"; isSent != (test.fails == "") {
				t.Errorf("sent %v", bodies)
			}
		})
	}
}

// A field that a read leaves out is kept in state. A write of its block would reset it, unless it is
// configured.
func TestCompanySettings_aFieldThatIsNotShownIsKept(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	arguments := func(series, precision, more string) map[string]any {
		return o.Arguments(fmt.Sprintf("company_id = %q\ngeneral = { decimal_precision = %s }\nproduct_invoice = { series = %q\n%s }",
			s.OwnerCompanyID(), precision, series, more))
	}
	const more = "next_number = 42\nenvironment_type = \"development\"\ninbound = { enabled = true }"
	_, said := o.Create(arguments("7", "2", more))
	o.MustNotFail(said)
	before, sent := o.State(), len(putBodies(t, s, 0))
	s.Inject(sandbox.Fault{
		Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Times: -1,
		Body: `{
			"general": {
				"decimalPrecision": 2, "allowDuplicateFederalTaxNumbers": null, "allowNaturalPersonCompany": null,
				"allowMultipleInvoiceModelsPerOrder": null, "taxReformFieldsEnabled": null, "technicalResponsible": null
			},
			"productInvoice": {"series": "7", "danfePrintLayout": "default"}
		}`,
	})
	o.MustNotFail(o.Refresh())
	if diff := cmp.Diff(before["product_invoice"], o.State()["product_invoice"]); diff != "" {
		t.Errorf("in state (-want +got):\n%s", diff)
	}
	if planned := o.MustPlan(o.Value(o.Type, arguments("7", "2", more))); o.Action(planned) != plancheck.ResourceActionNoop {
		t.Errorf("the plan of the same is %s", o.Action(planned))
	}
	apply := func(arguments map[string]any) string {
		change := o.Value(o.Type, arguments)
		return testkit.ErrorsIn(o.Apply(change, o.MustPlan(change)))
	}
	for _, want := range []string{"Cannot write the settings block productInvoice", "`productInvoice.nextNumber`", "`productInvoice.inbound.enabled`"} {
		if failed := apply(arguments("8", "2", `environment_type = "development"`)); !strings.Contains(failed, want) || strings.Contains(failed, "environment_type") {
			t.Errorf("the error lacks %q: %s", want, failed)
		}
	}
	if bodies := putBodies(t, s, sent); len(bodies) != 0 {
		t.Errorf("sent %v", bodies)
	}
	_ = apply(arguments("7", "3", more)) // The fault does not show the new precision.
	_ = apply(arguments("8", "2", more))
	bodies := putBodies(t, s, sent)
	if len(bodies) != 2 || bodies[0]["productInvoice"] != nil || bodies[1]["productInvoice"]["nextNumber"] != 42.0 {
		t.Errorf("sent %v, want the general block alone, then the product block with all that is configured", bodies)
	}
}
