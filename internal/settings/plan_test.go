package settings_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccCompanySettings_plansOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, settingsConfig(s, settingsFull), "")
	w.MustApply()
	w.Write(settingsConfig(s, strings.Replace(settingsFull, `series             = "2"`, `series             = "3"`, 1)))
	output := w.MustRun("plan")
	var changes []string
	_, shown, _ := strings.Cut(output, "will perform the following actions")
	for line := range strings.Lines(shown) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "~") || strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			if !strings.Contains(line, "in-place") && !strings.Contains(line, "(write-only attribute)") {
				changes = append(changes, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	want := []string{`~ resource "einvoice_company_settings" "test" {`, `~ product_invoice = {`, `~ series = "2" -> "3"`}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("the plan shows more than the change (-want +got):\n%s\n%s", diff, output)
	}
}

func TestAccCompanySettings_nextNumberIsAFloor(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	set(s, "productInvoice", "nextNumber", 1500)
	floor := func(n int) string {
		return settingsConfig(s, fmt.Sprintf("product_invoice = { next_number = %d }\n service_invoice = { next_batch_number = %d }", n, n))
	}
	number := func(n int64) []statecheck.StateCheck {
		return []statecheck.StateCheck{expectSetting("product_invoice", "next_number", knownvalue.Int64Exact(n))}
	}
	settingsTest(t, []resource.TestStep{
		{Config: floor(10)},
		{Config: floor(10), ConfigPlanChecks: acctest.EmptyPlan(), ConfigStateChecks: number(1500)},
		{PreConfig: func() { set(s, "productInvoice", "nextNumber", 1600) }, Config: floor(10), ConfigPlanChecks: acctest.EmptyPlan(), ConfigStateChecks: number(1600)},
		{Config: floor(5), ConfigPlanChecks: acctest.EmptyPlan()},
		{Config: floor(2000), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate), ConfigStateChecks: number(2000)},
		{
			PreConfig: func() { set(s, "productInvoice", "nextNumber", 3) },
			Config:    floor(2000), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate), ConfigStateChecks: number(2000),
		},
		{ // An unset number is below every floor.
			PreConfig: func() { set(s, "serviceInvoice", "nextBatchNumber", nil) },
			Config:    floor(2000), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate),
		},
	})
	if held(s, "productInvoice", "nextNumber") != json.Number("2000") || held(s, "serviceInvoice", "nextBatchNumber") != json.Number("2000") {
		t.Errorf("the service holds %v and %v", held(s, "productInvoice", "nextNumber"), held(s, "serviceInvoice", "nextBatchNumber"))
	}
}

func TestAccCompanySettings_neverLowersANumberThatMovedSinceThePlan(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, settingsConfig(s, `product_invoice = { next_number = 10 }`), "")
	w.MustApply()
	w.Write(settingsConfig(s, `product_invoice = { next_number = 20, series = "2" }`))
	w.MustRun("plan", "-out=tfplan")
	set(s, "productInvoice", "nextNumber", 30)
	w.MustRun("apply", "tfplan")
	if got := held(s, "productInvoice", "nextNumber"); got != json.Number("30") {
		t.Errorf("the service's number is %v, want 30: lowering it issues numbers twice", got)
	}
	if held(s, "productInvoice", "series") != "2" {
		t.Error("the rest of the plan was not applied")
	}
	w.MustRun("plan", "-detailed-exitcode")
}

func TestAccCompanySettings_validatesWhilePlanning(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	for name, test := range map[string]struct{ arguments, want string }{
		"an environment that does not exist":   {`product_invoice = { environment_type = "homologation" }`, `Invalid environment type(.|\n)*production,\s+development,\s+simulation`},
		"an issue type that does not exist":    {`service_invoice = { issue_type = "national" }`, `Invalid issue type(.|\n)*annfs`},
		"an empty series":                      {`consumer_invoice = { series = "" }`, `Empty series(.|\n)*omit`},
		"a number below one":                   {`product_invoice = { next_number = 0 }`, `at\s+least\s+1`},
		"a date that is none":                  {`product_invoice = { inbound = { start_date = "01/02/2026" } }`, `Invalid start date(.|\n)*ISO 8601`},
		"an empty csc":                         {`consumer_invoice = { csc = "" }`, `Empty csc`},
		"a write-only csc without its version": {`secrets = { csc_wo = "x" }`, `csc_wo_version`},
		"a csc given twice":                    {"consumer_invoice = { csc = \"x\" }\n secrets = { csc_wo = \"x\", csc_wo_version = \"1\" }", `(?s)Invalid\s+Attribute\s+Combination.*consumer_invoice\.csc`},
		"a password given twice":               {"service_invoice = { password = \"x\" }\n secrets = { service_password_wo = \"x\", service_password_wo_version = \"1\" }", `(?s)Invalid\s+Attribute\s+Combination.*service_invoice\.password`},
		"a version without a secret":           {`secrets = { csc_wo_version = "1" }`, `New version without a secret`},
	} {
		t.Run(name, func(t *testing.T) {
			settingsTest(t, []resource.TestStep{{Config: settingsConfig(s, test.arguments), PlanOnly: true, ExpectError: regexp.MustCompile(test.want)}})
		})
	}
	t.Cleanup(func() {
		if n := len(s.Requests()); n != 0 {
			t.Errorf("%d requests were sent for configurations that are wrong", n)
		}
	})
}

func TestAccCompanySettings_onlyWarnsOfALayoutThatIsNotSpecified(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	settingsTest(t, []resource.TestStep{{
		Config: settingsConfig(s, `product_invoice = { danfe_print_layout = "compact" }`), PlanOnly: true,
		ExpectNonEmptyPlan: true, // The settings are still to be taken in.
	}})
}

func TestAccCompanySettings_waitsForUnknownInputs(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := func(series, number string) string {
		return acctest.Config(s, fmt.Sprintf(`
resource "terraform_data" "input" {
  input = { series = %q, number = %s, block = { environment_type = "development" } }
}
resource "einvoice_company_settings" "test" {
  company_id = %q
  product_invoice = {
    series      = terraform_data.input.output.series
    next_number = terraform_data.input.output.number
  }
  service_invoice = terraform_data.input.output.block
}`, series, number, s.OwnerCompanyID()))
	}
	set(s, "productInvoice", "nextNumber", 1500)
	settingsTest(t, []resource.TestStep{
		{
			Config: config("2", "10"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(settingsAddress, tfjsonpath.New("service_invoice")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{expectSetting("service_invoice", "environment_type", knownvalue.StringExact("development"))},
		},
		{Config: config("3", "11"), ConfigStateChecks: []statecheck.StateCheck{
			expectSetting("product_invoice", "series", knownvalue.StringExact("3")), expectSetting("product_invoice", "next_number", knownvalue.Int64Exact(1500)),
		}},
	})
}

func TestAccCompanySettings_sendsNothingWhilePlanningAndNothingOnDestroy(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, settingsConfig(s, `product_invoice = { series = "2" }`), "")
	w.MustRun("plan")
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests while planning a creation, want none", n)
	}
	w.MustApply()
	s.ResetRequests()
	if output := w.MustRun("plan", "-destroy"); !strings.Contains(acctest.Squeezed(output), "Settings stay at the service") || !strings.Contains(output, s.OwnerCompanyID()) {
		t.Errorf("the plan of a destroy does not say what stays:\n%s", output)
	}
	w.MustRun("destroy", "-auto-approve")
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes on destroy, want none", n)
	}
	if held(s, "productInvoice", "series") != "2" {
		t.Error("destroying changed the settings")
	}
}

func TestAccCompanySettings_warnsOfProduction(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	environment := func(word string) string {
		return settingsConfig(s, fmt.Sprintf("service_invoice = { environment_type = %q }", word))
	}
	w := acctest.NewWorkspace(t, environment("development"), "")
	warns := func(why string, want bool, args ...string) {
		t.Helper()
		if output := w.MustRun(args...); strings.Contains(acctest.Squeezed(output), "Invoices become legally valid") != want {
			t.Errorf("%s: warns %v, want %v:\n%s", why, !want, want, output)
		}
	}
	warns("into development", false, "apply", "-auto-approve")
	w.Write(environment("production"))
	warns("into production", true, "plan")
	warns("into production", true, "apply", "-auto-approve")
	warns("in production already", false, "plan")
	w.Write(settingsConfig(s, "service_invoice = { environment_type = \"production\", series = \"5\" }"))
	warns("another change in production", false, "plan")
}
