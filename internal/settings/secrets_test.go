package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const (
	update = plancheck.ResourceActionUpdate
)

// writeOnly are the secrets that are sent with these values, beside more arguments.
func writeOnly(csc, version, more string) string {
	return fmt.Sprintf(`
  secrets = {
    csc_wo                      = %q
    csc_wo_version              = %q
    service_password_wo         = "PASSWORD-VALUE"
    service_password_wo_version = "a"
    csrts_wo                    = "[\"CODE-VALUE\"]"
    csrts_wo_version            = "a"
  }
  %s`, csc, version, more)
}

func TestAccCompanySettings_writeOnlySecretsAreInNoFileAndNoOutput(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const first, second = "FIRST-CSC-VALUE", "OTHER-CSC-VALUE"
	w := testkit.NewAttached(t, settingsConfig(s, writeOnly(first, "1", "")))
	apply := func(fails string) {
		t.Helper()
		output, ok := w.Run("apply", "-auto-approve")
		if ok != (fails == "") || !strings.Contains(testkit.Squeezed(output), fails) {
			t.Errorf("it succeeded: %t, want the error %q:\n%s", ok, fails, output)
		}
		for _, secret := range []string{first, second, "PASSWORD-VALUE", "CODE-VALUE"} {
			if files := w.InFiles(secret); len(files) != 0 || strings.Contains(output, secret) {
				t.Errorf("a secret is in %v, or in the output:\n%s", files, output)
			}
		}
	}
	// The service ignores a secret, takes it, and refuses another one.
	fault := sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 200, Body: `{}`}
	s.Inject(fault)
	apply("`secrets.csc_wo` was sent")
	if w.State()[string(address)] != nil {
		t.Error("a creation that failed is in state")
	}
	apply("")
	fault.Status, fault.Body = 400, `{"errors":[{"message":"The field Csc is invalid, not `+second+`","path":"ConsumerInvoice.Csc"}]}`
	s.Inject(fault)
	w.Write(settingsConfig(s, writeOnly(second, "2", "")))
	apply("The field Csc is invalid")
	wantHeld(t, s, map[string]any{"consumerInvoice.csc": first})
}

// Of a company that is not known while planning it fails before the write.
func TestCompanySettings_offlineContingencyOfACompanyThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	config := func(company any) tftypes.Value {
		return o.Value(o.Type, map[string]any{"company_id": company, "consumer_invoice": map[string]any{"allow_offline_contingency": true}})
	}
	planned := o.MustPlan(config(tftypes.UnknownValue))
	said := o.Apply(config(s.OwnerCompanyID()), planned)
	testkit.WantErrorAt(t, said, "consumer_invoice", "Offline contingency without token")
	fixture.WantWrites(t, s, 0)
}
