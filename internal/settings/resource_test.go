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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const (
	address       = testkit.Address("einvoice_company_settings.test")
	settingsRoute = "/v1/companies/{id}/settings"
)

// settingsConfig manages settings of the main company, which always exists.
func settingsConfig(s *sandbox.Server, arguments string) string {
	return testkit.Config(s, fmt.Sprintf("resource \"einvoice_company_settings\" \"test\" {\n  company_id = %q\n%s\n}", s.OwnerCompanyID(), arguments))
}

// withCompany are arguments of the main company's settings.
func withCompany(s *sandbox.Server, arguments map[string]any) map[string]any {
	arguments["company_id"] = s.OwnerCompanyID()
	return arguments
}

// set changes the main company's settings behind everybody's back.
func set(s *sandbox.Server, block, field string, value any) {
	s.SetSettings(s.OwnerCompanyID(), map[string]any{block: map[string]any{field: value}})
}

// held reads a field of the main company's settings, secrets in clear.
func held(s *sandbox.Server, block, field string) any {
	return testkit.At(s.SettingsClear(s.OwnerCompanyID()), block+"."+field)
}

// wantHeld compares fields of the main company's settings, by paths such as general.decimalPrecision.
func wantHeld(t *testing.T, s *sandbox.Server, fields map[string]any) {
	t.Helper()
	for at, want := range fields {
		block, field, _ := strings.Cut(at, ".")
		if diff := cmp.Diff(want, held(s, block, field)); diff != "" {
			t.Errorf("%s at the service (-want +got):\n%s", at, diff)
		}
	}
}

// matches reports whether a text has these parts in this order, with .* between them. Without any it is empty.
func matches(parts, text string) bool {
	for part := range strings.SplitSeq(parts, ".*") {
		_, after, found := strings.Cut(text, part)
		if text = after; !found || parts == "" && text != "" {
			return false
		}
	}
	return true
}

// document is the main company's settings, every field as it is spelled.
func document(t *testing.T, s *sandbox.Server) map[string]map[string]string {
	t.Helper()
	var blocks map[string]json.RawMessage
	if err := json.Unmarshal(s.SettingsJSON(s.OwnerCompanyID()), &blocks); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]string{}
	for name, raw := range blocks {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			continue
		}
		out[name] = map[string]string{}
		for field, value := range fields {
			out[name][field] = string(value)
		}
	}
	return out
}

const settingsFull = `
  general = {
    allow_multiple_invoice_models_per_order = true
    decimal_precision                       = 3
    technical_responsible = {
      federal_tax_number = "11.222.333/0001-81"
      contact_name       = "Maria Silva"
      email              = "suporte@example.com"
      phone              = "(11) 91234-5678"
    }
  }
  product_invoice = {
    series             = "2"
    next_number        = 10
    environment_type   = "development"
    danfe_print_layout = "simplified"
    inbound            = { enabled = true, start_date = "2026-01-01" }
  }
  consumer_invoice = {
    environment_type          = "development"
    token_id                  = "000001"
    csc                       = "SECRET-CSC"
    allow_offline_contingency = true
  }
  service_invoice = {
    next_batch_number = 5
    environment_type  = "simulation"
    issue_type        = "annfs"
    user_name         = "city"
    password          = "s3cret"
  }`

func TestAccCompanySettings_goesThroughItsLifecycle(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	// What an import cannot know.
	imported := settingsConfig(s, strings.NewReplacer("csc                       = \"SECRET-CSC\"", "", `password          = "s3cret"`, "", "allow_offline_contingency = true", "").Replace(settingsFull))
	imports := []resource.ImportStateKind{resource.ImportBlockWithID}
	if testkit.MustFindCLI(t).AtLeast(1, 12) {
		imports = append(imports, resource.ImportBlockWithResourceIdentity)
	}
	steps := []resource.TestStep{
		{
			PreConfig: func() {
				s.Inject(sandbox.Fault{
					Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 400,
					Body: `{"errors":[{"message":"The field Series is refused","path":"ProductInvoice.Series"}]}`,
				})
			},
			Config: settingsConfig(s, `product_invoice = { series = "x" }`),
			// The CLI quotes the line of the attribute, and then wraps the message.
			ExpectError: regexp.MustCompile(`(?s)\d+: product_invoice .*The\s+field\s+Series\s+is\s+refused`),
		},
		{
			Config: settingsConfig(s, "product_invoice = { series = terraform_data.input.output }") + "\nresource \"terraform_data\" \"input\" {\n  input = \"7\"\n}",
			ConfigPlanChecks: address.Plans(plancheck.ResourceActionCreate,
				plancheck.ExpectUnknownValue(string(address), tfjsonpath.New("product_invoice").AtMapKey("series"))),
		},
		{
			Config: settingsConfig(s, settingsFull), ConfigPlanChecks: address.Plans(update),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(string(address), tfjsonpath.New("consumer_invoice").AtMapKey("series"), knownvalue.StringExact("1")),
				statecheck.ExpectKnownValue(string(address), tfjsonpath.New("product_invoice").AtMapKey("next_number"), knownvalue.Int64Exact(10)),
			},
		},
	}
	for _, kind := range imports {
		steps = append(steps, resource.TestStep{ResourceName: string(address), ImportState: true, ImportStateKind: kind, Config: imported})
	}
	testkit.Run(t, append(
		steps,
		resource.TestStep{
			PreConfig: func() { set(s, "productInvoice", "inbound", nil) },
			Config:    settingsConfig(s, strings.Replace(settingsFull, `, start_date = "2026-01-01"`, "", 1)),
			// What the service puts into an object that it did not have shows in the next refresh.
			ConfigPlanChecks: address.Plans(update, plancheck.ExpectKnownValue(string(address), tfjsonpath.New("product_invoice").AtMapKey("inbound").AtMapKey("start_date"), knownvalue.Null())),
		},
	))
	fixture.WantWrites(t, s, 4)
	wantHeld(t, s, map[string]any{"consumerInvoice.csc": "SECRET-CSC", "serviceInvoice.password": "s3cret"})
}

func TestCompanySettings(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "settings.json")
	testkit.TellStories(t, "secrets.json")
}
