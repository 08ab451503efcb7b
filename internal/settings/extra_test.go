package settings_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestCompanySettings_refusesExtraSettingsWithAnAttribute(t *testing.T) {
	t.Parallel()
	testkit.WantRefusals(t, "einvoice_company_settings", map[string]any{"company_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "extra_json": `{"general":{"x":1},"newBlock":{}}`}, []testkit.Refusal{
		{Name: "no object", At: "extra_json", Value: `[1]`, Want: `must be a JSON object of blocks`},
		{Name: "outside of a block", At: "extra_json", Value: `{"roundingTolerance":1}`, Want: `holds "roundingTolerance", which is not an object`},
		{Name: "a field", At: "extra_json", Value: `{"general":{"decimalPrecision":1}}`, Want: `holds "general.decimalPrecision", and there is an attribute .general.decimal_precision. for that`},
		{Name: "a field in another case", At: "extra_json", Value: `{"General":{"DecimalPrecision":1}}`, Want: `general.decimal_precision`},
		{Name: "a field of an object", At: "extra_json", Value: `{"productInvoice":{"inbound":{"enabled":true}}}`, Want: `product_invoice.inbound.enabled`},
		{Name: "an object that has an attribute", At: "extra_json", Value: `{"productInvoice":{"inbound":null}}`, Want: `product_invoice.inbound`},
		{Name: "a secret", At: "extra_json", Value: `{"consumerInvoice":{"csc":"A"}}`, Want: `consumer_invoice.csc`},
	})
}

// What extra_json names changes, and no other byte of the document.
func TestCompanySettings_managesExtraSettingsKeyByKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	want := document(t, s)
	puts := func() int { return s.Count("PUT", settingsRoute) }
	changes := func(block, field, value string) func() {
		return func() { want[block][field] = value }
	}
	expect := func(step string, sent int) {
		t.Helper()
		if diff := cmp.Diff(want, document(t, s)); diff != "" {
			t.Errorf("%s: the document (-want +got):\n%s", step, diff)
		}
		if n := puts(); n != sent {
			t.Errorf("%s: %d writes by now, want %d", step, n, sent)
		}
	}
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	company := "company_id = \"" + s.OwnerCompanyID() + "\"\n"
	run := func(name string, writes int, change func(), step testkit.Step) {
		t.Helper()
		step.Arguments = company + step.Arguments
		if change != nil {
			change()
		}
		o.Run(step)
		expect(name, writes)
	}
	run("what is held is not sent", 0, nil, testkit.Step{Arguments: `extra_json = "{\"general\":{\"roundingTolerance\":1.5}}"`})
	run("a value", 1, changes("general", "roundingTolerance", "2"), testkit.Step{Arguments: `extra_json = "{\"general\":{\"roundingTolerance\":2}}"`, Plans: plancheck.ResourceActionUpdate})
	run("another way to write it", 1, nil, testkit.Step{Arguments: `extra_json = "{ \"general\": {\"roundingTolerance\": 2.0 } }"`, Plans: plancheck.ResourceActionNoop})
	run("deep in an object, beside an attribute", 2, func() {
		changes("serviceInvoice", "providerOptions", `{"retention":0.0150,"layout":{"version":"2.05","extra":[1,2.0]}}`)()
		changes("serviceInvoice", "series", `"9"`)()
	}, testkit.Step{Arguments: "service_invoice = { series = \"9\" }\nextra_json = \"{\\\"serviceInvoice\\\":{\\\"providerOptions\\\":{\\\"layout\\\":{\\\"version\\\":\\\"2.05\\\"}}}}\""})
	run("drift is repaired", 3, nil, testkit.Step{
		Before:    func() { set(s, "general", "roundingTolerance", 7) },
		Arguments: `extra_json = "{\"general\":{\"roundingTolerance\":2}}"`, Plans: plancheck.ResourceActionUpdate,
	})
	run("what is taken out stays", 3, nil, testkit.Step{State: map[string]any{"extra_json": nil}})
	run("null clears", 4, changes("general", "documentDelivery", "null"), testkit.Step{Arguments: `extra_json = "{\"general\":{\"documentDelivery\":null}}"`})
	run("null is held where there is nothing", 4, nil, testkit.Step{Arguments: `extra_json = "{\"general\":{\"invented\":null}}"`})
	run("what the service adds to an element of a list is no change", 4, changes("general", "documentDelivery", `[{"since":1,"to":"a"}]`), testkit.Step{
		Before:    func() { set(s, "general", "documentDelivery", []any{map[string]any{"to": "a", "since": 1}}) },
		Arguments: `extra_json = "{\"general\":{\"documentDelivery\":[{\"to\":\"a\"}]}}"`,
	})
	run("an empty object asks for nothing", 4, nil, testkit.Step{Arguments: `extra_json = "{\"serviceInvoice\":{\"providerOptions\":{}}}"`})
}

// Integrations report both names: whichever a block shows is the one that is raised, and it is never lowered.
func TestCompanySettings_raisesTheNextNumberUnderTheNameThatTheServiceHas(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"nextNumber": nil, "currentNumber": 7}})
	at := func(least string) string {
		return "company_id = \"" + s.OwnerCompanyID() + "\"\nconsumer_invoice = { next_number = " + least + " }"
	}
	next := func(n float64) map[string]any { return map[string]any{"consumer_invoice.next_number": n} }
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	o.Run(testkit.Step{Arguments: at("5")})
	if n := s.Count("PUT", settingsRoute); n != 0 {
		t.Errorf("%d writes of a number that is higher", n)
	}
	o.Run(
		testkit.Step{Arguments: at("5"), Plans: plancheck.ResourceActionNoop, State: next(7)},
		testkit.Step{Arguments: at("9"), Plans: plancheck.ResourceActionUpdate, State: next(9)},
	)
	if block := document(t, s)["consumerInvoice"]; block["currentNumber"] != "9" || block["nextNumber"] != "null" {
		t.Errorf("the service holds %v", block)
	}
}
