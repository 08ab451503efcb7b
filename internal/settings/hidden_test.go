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
			o.MustCreate(arguments("7", "2"))
			before, sent := o.State(), len(putBodies(t, s, 0))
			s.Inject(sandbox.Fault{Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Body: answer, Times: 2})

			said := o.Refresh()
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
			said = o.Apply(change, o.MustPlan(change))
			failed := testkit.ErrorsIn(said)
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
