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
			for _, want := range []string{"Settings that the service does not show now", "`product_invoice.series`", "Nothing was sent", "`state rm`"} {
				if !strings.Contains(failed, want) {
					t.Errorf("the error lacks %q: %s", want, failed)
				}
			}
			if text := testkit.TextsOf(said); strings.Contains(text, "the write has reset") {
				t.Errorf("nothing was written, and a warning says otherwise: %s", text)
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

// A block that no read has shown is written as configured: a new company may have none. Where the service may only
// hide it, a warning says what the write may have reset.
func TestCompanySettings_aBlockThatNoReadHasShownIsWritten(t *testing.T) {
	t.Parallel()
	for answer, warns := range map[string]bool{
		`{}`: true, `{"general": {"decimalPrecision": 2}}`: true,
		`{"productInvoice": null}`: false, `{"productInvoice": {}}`: false,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Body: answer})
			o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
			_, said := o.Create(withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "7"}}))
			o.MustNotFail(said)
			if bodies := putBodies(t, s, 0); len(bodies) != 1 || bodies[0]["productInvoice"]["series"] != "7" {
				t.Errorf("sent %v", bodies)
			}
			if text := testkit.TextsOf(said); strings.Contains(text, "Check the settings block productInvoice") != warns {
				t.Errorf("it says %q", text)
			}
		})
	}
}

// The read right before a write may leave out single values, too: the write must not reset what the state knows.
func TestCompanySettings_aValueThatIsNotShownIsNotReset(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ shown, want string }{
		"the environment":           {`"series": "7", "nextNumber": 250, "environmentType": 0`, "product_invoice.environment_type"},
		"the next number":           {`"series": "7", "environmentType": "development"`, "product_invoice.next_number"},
		"the environment, and more": {`"series": "7", "nextNumber": null`, "product_invoice.next_number`, `product_invoice.environment_type"},
		"a lower number":            {`"series": "7", "nextNumber": 120, "environmentType": "development"`, ""},
		"what is configured":        {`"series": null, "nextNumber": 250, "environmentType": "simulation"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			set(s, "productInvoice", "environmentType", "development")
			set(s, "productInvoice", "nextNumber", 250)
			o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
			arguments := func(series string) map[string]any {
				return withCompany(s, map[string]any{"product_invoice": map[string]any{"series": series, "next_number": 100}})
			}
			o.MustCreate(arguments("7"))
			o.MustNotFail(o.Refresh())
			change, sent := o.Value(o.Type, arguments("8")), len(putBodies(t, s, 0))
			planned := o.MustPlan(change)
			s.Inject(sandbox.Fault{
				Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Body: `{"productInvoice": {"danfePrintLayout": "default", ` + test.shown + `}}`,
			})
			failed := testkit.ErrorsIn(o.Apply(change, planned))
			if test.want == "" && failed != "" || !strings.Contains(failed, test.want) {
				t.Errorf("it says %q, want %q", failed, test.want)
			}
			if bodies := putBodies(t, s, sent); (len(bodies) == 0) != (test.want != "") {
				t.Errorf("sent %v", bodies)
			}
		})
	}
}
