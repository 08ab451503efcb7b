package settings_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func settingsOf(s *sandbox.Server, companyID string) string {
	return acctest.Config(s, fmt.Sprintf("data \"einvoice_company_settings\" \"test\" {\n company_id = %q\n}", companyID))
}

func TestAccCompanySettingsDataSource_readsTheLiveSettings(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	config := settingsConfig(s, settingsFull) + `
data "einvoice_company_settings" "test" {
  company_id = einvoice_company_settings.test.company_id
}`
	read := func(block, name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_company_settings.test", tfjsonpath.New(block).AtMapKey(name), value)
	}
	settingsTest(t, []resource.TestStep{
		{Config: config},
		{
			PreConfig: func() { set(s, "productInvoice", "nextNumber", 77) },
			Config:    config,
			ConfigStateChecks: []statecheck.StateCheck{
				read("product_invoice", "next_number", knownvalue.Int64Exact(77)),
				read("product_invoice", "inbound", knownvalue.ObjectPartial(map[string]knownvalue.Check{"enabled": knownvalue.Bool(true)})),
				read("general", "technical_responsible", knownvalue.ObjectPartial(map[string]knownvalue.Check{"contact_name": knownvalue.StringExact("Maria Silva")})),
				read("consumer_invoice", "token_id", knownvalue.StringExact("000001")),
				read("service_invoice", "issue_type", knownvalue.StringExact("annfs")),
			},
			Check: func(state *terraform.State) error {
				for name, value := range state.RootModule().Resources["data.einvoice_company_settings.test"].Primary.Attributes {
					if value == "SECRET-CSC" || value == "s3cret" {
						return fmt.Errorf("%s shows a secret", name)
					}
				}
				return nil
			},
		},
		{
			PreConfig: func() {
				s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/companies/{id}/settings", Status: 403, Message: "no access"})
			},
			Config: settingsOf(s, s.OwnerCompanyID()), PlanOnly: true, ExpectError: regexp.MustCompile(`Cannot read company settings(.|\n)*no access`),
		},
		{Config: settingsOf(s, "7c9e6679-7425-40de-944b-e07fc1f90ae7"), PlanOnly: true, ExpectError: regexp.MustCompile(`Company not found(.|\n)*company_id`)},
		{Config: config},
	})
}
