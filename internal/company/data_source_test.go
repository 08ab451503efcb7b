package company_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestAccCompanyDataSource_findsByIDAndByTaxNumber(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
	config := acctest.Config(s, companyConfig(companyFull)+`
data "einvoice_company" "id" {
  id = einvoice_company.test.id
}
data "einvoice_company" "number" {
  federal_tax_number = "11.222.333/0001-81"
  depends_on         = [einvoice_company.test]
}
`)
	var checks []statecheck.StateCheck
	for _, address := range []string{"data.einvoice_company.id", "data.einvoice_company.number"} {
		checks = append(checks,
			statecheck.CompareValuePairs(address, tfjsonpath.New("id"), companyAddress, tfjsonpath.New("id"), compare.ValuesSame()),
			statecheck.CompareValuePairs(address, tfjsonpath.New("api_key_masked"), companyAddress, tfjsonpath.New("api_key_masked"), compare.ValuesSame()),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("tax_regime"), knownvalue.StringExact("simplesNacional")),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("economic_activities").AtSliceIndex(1).AtMapKey("type"), knownvalue.StringExact("secondary")),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("address").AtMapKey("city").AtMapKey("state"), knownvalue.StringExact("sp")),
		)
	}
	companyTest(t, []resource.TestStep{
		{
			Config:      acctest.Config(s, companyConfig(companyFull)+"\ndata \"einvoice_company\" \"none\" {\n  federal_tax_number = \"99999999999999\"\n}"),
			ExpectError: regexp.MustCompile(`Company not found`),
		},
		{
			Config:      acctest.Config(s, companyConfig(companyFull)+"\ndata \"einvoice_company\" \"none\" {\n  id = \"00000000-0000-4000-8000-000000000000\"\n}"),
			ExpectError: regexp.MustCompile(`Company not found`),
		},
		{
			Config:      acctest.Config(s, companyConfig(companyFull)+"\ndata \"einvoice_company\" \"both\" {\n  id = \"a\"\n  federal_tax_number = \"b\"\n}"),
			ExpectError: regexp.MustCompile(`(?s)Invalid Attribute Combination`),
		},
		{Config: config, ConfigStateChecks: checks},
	})
}
