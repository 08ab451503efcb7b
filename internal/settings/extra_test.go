package settings_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCompanySettings_refusesExtraSettingsWithAnAttribute(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_company_settings", "company_settings_refuses_extra_settings.json")
}

// What extra_json names changes, and no other byte of the document.
func TestCompanySettings_managesExtraSettingsKeyByKey(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	want := document(t, s)
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	for _, row := range rows.Read[[]struct {
		Row string
		testkit.Step
		Drift   map[string]any    // at the service, before the step
		Changes map[string]string // in what it holds
		Writes  int               // by now
	}](t, "extra_settings.json") {
		row.Arguments = "company_id = \"" + s.OwnerCompanyID() + "\"\n" + row.Arguments
		row.Before = func() {
			for at, value := range row.Drift {
				block, field, _ := strings.Cut(at, ".")
				set(s, block, field, value)
			}
		}
		for at, value := range row.Changes {
			block, field, _ := strings.Cut(at, ".")
			want[block][field] = value
		}
		o.Run(row.Step)
		expect.Same(t, want, document(t, s), "%s: the document", row.Row)
		expect.Is(t, s.Count("PUT", settingsRoute), row.Writes, "%s: writes by now", row.Row)
	}
}
