package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccCompanySettingsDataSource_readsTheLiveSettings(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	config := settingsConfig(s, settingsFull) + `
data "einvoice_company_settings" "test" {
  company_id = einvoice_company_settings.test.company_id
}`
	read := func(block, name string, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.einvoice_company_settings.test", tfjsonpath.New(block).AtMapKey(name), value)
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testFactories(),
		Steps: []resource.TestStep{
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
		},
	})
}
