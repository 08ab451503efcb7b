package company_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestCompanyDataSource_findsByIDAndByTaxNumber(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
	activities := []any{map[string]any{"code": "1091102", "type": "main"}, map[string]any{"code": "4721102", "type": "secondary"}}
	id := s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Padaria", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181", "taxRegime": "simplesNacional",
		"economicActivities": activities, "_apiKey": "a1b2c3d4e5f60718293a4b5c6d7e8f90",
	})
	read := map[string]any{"id": id, "api_key_masked": "a1b2****************************", "tax_regime": "simplesNacional", "economic_activities": activities}
	testkit.WantDataReads(t, s, "einvoice_company", []testkit.DataRead{
		{Name: "by id", Arguments: map[string]any{"id": id}, State: read},
		{Name: "by tax number", Arguments: map[string]any{"federal_tax_number": "11.222.333/0001-81"}, State: read},
	})
}
