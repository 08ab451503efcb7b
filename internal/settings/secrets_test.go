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

	maskedCSC = "consumer_invoice = {\n series = %q\n csc = \"SECRET-CSC\"\n}"
)

func TestCompanySettings_secretsAreNullUnlessConfiguredAndLeaveWithTheConfiguration(t *testing.T) {
	t.Parallel()
	for _, reads := range []string{sandbox.SecretsMasked, sandbox.SecretsHidden, sandbox.SecretsAbsent, sandbox.SecretsClear} {
		t.Run(reads, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{SecretReads: reads})
			set(s, "serviceInvoice", "password", "other")
			secrets := func(csc any) map[string]any {
				return map[string]any{"consumer_invoice.csc": csc, "service_invoice.password": nil}
			}
			configured := fmt.Sprintf(maskedCSC, "1")
			runSteps(t, s,
				testkit.Step{State: secrets(nil)},
				testkit.Step{Arguments: configured, Plans: update, State: secrets("SECRET-CSC")},
				testkit.Step{Arguments: `consumer_invoice = { series = "1" }`, Plans: update, State: secrets(nil)},
				testkit.Step{Arguments: configured, State: secrets("SECRET-CSC")},
				testkit.Step{Plans: update, State: secrets(nil)},
			)
			wantHeld(t, s, map[string]any{"consumerInvoice.csc": "SECRET-CSC", "serviceInvoice.password": "other"})
		})
	}
}

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

func TestCompanySettings_writeOnlySecretsAreSentWithANewVersion(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	const first, second, third = "FIRST-CSC-VALUE", "OTHER-CSC-VALUE", "THIRD-CSC-VALUE"
	sent := func(want string, writes int, more ...func()) func() {
		return func() {
			t.Helper()
			if got, n := held(s, "consumerInvoice", "csc"), fixture.CountWrites(s); got != want || n != writes {
				t.Errorf("the service holds %v after %d writes, want %s after %d", got, n, want, writes)
			}
			for _, outside := range more {
				outside()
			}
		}
	}
	fault := sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 200, Body: `{}`}
	ignored := func() { s.Inject(fault) }
	refused := func() {
		fault := fault
		fault.Status, fault.Body = 400, `{"errors":[{"message":"The field Csc is invalid","path":"ConsumerInvoice.Csc"}]}`
		s.Inject(fault)
	}
	gone := func() { set(s, "consumerInvoice", "csc", nil) }
	hidden := map[string]any{"secrets.csc_wo": nil, "secrets.service_password_wo": nil, "secrets.csrts_wo": nil, "consumer_invoice.csc": nil, "service_invoice.password": nil}
	const nothing, series = plancheck.ResourceActionNoop, `consumer_invoice = { series = "9" }`
	runSteps(t, s,
		testkit.Step{Arguments: writeOnly(first, "1", ""), State: hidden},
		testkit.Step{Before: sent(first, 1), Arguments: writeOnly(second, "1", ""), Plans: nothing},
		testkit.Step{Before: sent(first, 1), Arguments: writeOnly(second, "2", ""), Plans: update, State: hidden},
		// An error keeps the prior version, so that the same change is planned again.
		testkit.Step{Before: sent(second, 2, refused), Arguments: writeOnly(third, "3", ""), Fails: "The field Csc is invalid"},
		testkit.Step{Before: sent(second, 3, ignored), Arguments: writeOnly(third, "3", ""), Fails: "`secrets.csc_wo` was sent"},
		testkit.Step{Before: sent(second, 4), Arguments: writeOnly(third, "3", ""), Plans: update},
		// A block that is written for another reason takes the value along, version or not.
		testkit.Step{Before: sent(third, 5), Arguments: writeOnly(third, "3", series), Plans: update},
		// Removed at the service: the version is out of state, and the secret is sent again.
		testkit.Step{Before: sent(third, 6, gone), Arguments: writeOnly(third, "3", series), Plans: update},
		testkit.Step{Before: sent(third, 7), State: hidden},
	)
	sent(third, 7)()
	wantHeld(t, s, map[string]any{"serviceInvoice.password": "PASSWORD-VALUE"})
	wantHeld(t, s, map[string]any{"general.technicalResponsible.csrts": []any{"CODE-VALUE"}})
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

func TestCompanySettings_aSecretThatOnlyLeavesTheStateIsWarnedOf(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	company := fmt.Sprintf("company_id = %q\n", s.OwnerCompanyID())
	o.Run(testkit.Step{Arguments: company + fmt.Sprintf(maskedCSC, "1")})
	for arguments, want := range map[string]bool{
		`consumer_invoice = { series = "1" }`:                true,
		fmt.Sprintf(maskedCSC, "2"):                          false,
		`secrets = { csc_wo = "C", csc_wo_version = "1" }`:   false,
		`consumer_invoice = { series = "1", csc = "OTHER" }`: false,
		`service_invoice = { series = "1" }`:                 true,
	} {
		_, said := o.Plan(o.Value(o.Type, o.Arguments(company+arguments)))
		if text := testkit.TextsOf(said); strings.Contains(text, "The service keeps consumer_invoice.csc of company") != want {
			t.Errorf("for %s the plan says %q", arguments, text)
		}
	}
}
