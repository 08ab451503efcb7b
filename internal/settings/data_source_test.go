package settings_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestCompanySettingsDataSource_readsTheLiveSettings(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	runSteps(t, s, testkit.Step{Arguments: settingsFull})
	set(s, "productInvoice", "nextNumber", 77)
	p := testkit.Serve(t, s, nil)
	read := func(company string) (map[string]any, string) {
		return p.ReadData("einvoice_company_settings", map[string]any{"company_id": company})
	}
	state, failed := read(s.OwnerCompanyID())
	if failed != "" {
		t.Fatal(failed)
	}
	leaf := func(names ...string) any {
		var value any = state
		for _, name := range names {
			members, _ := value.(map[string]any)
			value = members[name]
		}
		return value
	}
	got := []any{
		leaf("product_invoice", "next_number"), leaf("product_invoice", "inbound", "enabled"), leaf("general", "technical_responsible", "contact_name"),
		leaf("consumer_invoice", "token_id"), leaf("service_invoice", "issue_type"), leaf("consumer_invoice", "csc"), leaf("service_invoice", "password"),
	}
	if diff := cmp.Diff([]any{77.0, true, "Maria Silva", "000001", "annfs", nil, nil}, got); diff != "" {
		t.Errorf("the settings, and no secret (-want +got):\n%s", diff)
	}
	if _, failed := read("7c9e6679-7425-40de-944b-e07fc1f90ae7"); !strings.Contains(failed, "Company not found") || !strings.Contains(failed, "company_id") {
		t.Errorf("an unknown company is reported by %q", failed)
	}
}
