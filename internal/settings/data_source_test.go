package settings_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestCompanySettingsDataSource_readsTheLiveSettings(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	runSteps(t, s, testkit.Step{Arguments: settingsFull})
	set(s, "productInvoice", "nextNumber", 77)
	testkit.WantDataReads(t, s, "einvoice_company_settings", []testkit.DataRead{
		{Name: "without secrets", Arguments: map[string]any{"company_id": s.OwnerCompanyID()}, State: map[string]any{
			"product_invoice.next_number": 77.0, "product_invoice.inbound.enabled": true,
			"general.technical_responsible.contact_name": "Maria Silva", "consumer_invoice.token_id": "000001",
			"service_invoice.issue_type": "annfs", "consumer_invoice.csc": nil, "service_invoice.password": nil,
		}},
		{
			Name: "of nobody", Arguments: map[string]any{"company_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
			Error: "Company not found.*company_id",
		},
	})
}
