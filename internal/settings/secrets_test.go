package settings_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

const maskedCSC = "consumer_invoice = {\n series = %q\n csc = \"SECRET-CSC\"\n}"

func TestAccCompanySettings_secretsAreNullUnlessConfiguredAndLeaveWithTheConfiguration(t *testing.T) {
	for _, reads := range []string{sandbox.SecretsMasked, sandbox.SecretsHidden, sandbox.SecretsAbsent, sandbox.SecretsClear} {
		t.Run(reads, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{SecretReads: reads})
			set(s, "serviceInvoice", "password", "other")
			null, set := knownvalue.Null(), knownvalue.StringExact("SECRET-CSC")
			secrets := func(csc knownvalue.Check) []statecheck.StateCheck {
				return []statecheck.StateCheck{expectSetting("consumer_invoice", "csc", csc), expectSetting("service_invoice", "password", null)}
			}
			configured := settingsConfig(s, fmt.Sprintf(maskedCSC, "1"))
			settingsTest(t, []resource.TestStep{
				{Config: settingsConfig(s, ""), ConfigStateChecks: secrets(null)},
				{Config: configured, ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate), ConfigStateChecks: secrets(set)},
				{Config: configured, ConfigPlanChecks: acctest.EmptyPlan(), ConfigStateChecks: secrets(set)},
				{Config: settingsConfig(s, `consumer_invoice = { series = "1" }`), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate), ConfigStateChecks: secrets(null)},
				{Config: configured, ConfigStateChecks: secrets(set)},
				{Config: settingsConfig(s, ""), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate), ConfigStateChecks: secrets(null)},
			})
			if held(s, "consumerInvoice", "csc") != "SECRET-CSC" || held(s, "serviceInvoice", "password") != "other" {
				t.Error("a secret did not stay at the service")
			}
		})
	}
}

func TestAccCompanySettings_aMaskIsNeverWrittenBack(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	set(s, "consumerInvoice", "csc", "SECRET-CSC")
	set(s, "serviceInvoice", "password", "s3cret")
	want := regexp.MustCompile("(?s)Secret that the service does not show.*Nothing was\\s+sent.*Set\\s+`consumer_invoice.csc`,\\s+or\\s+`secrets.csc_wo`")
	settingsTest(t, []resource.TestStep{
		// Nothing is known while planning a creation: it fails before the write.
		{Config: settingsConfig(s, `consumer_invoice = { series = "2" }`), ExpectError: want},
		{Config: settingsConfig(s, `consumer_invoice = { series = "1" }`)},
		// Later it fails in plan.
		{Config: settingsConfig(s, `consumer_invoice = { series = "2" }`), PlanOnly: true, ExpectError: want},
		{Config: settingsConfig(s, `service_invoice = { series = "2" }`), PlanOnly: true, ExpectError: regexp.MustCompile("Set\\s+`service_invoice.password`")},
		// Another block does not mind, and with its value the block is written.
		{Config: settingsConfig(s, `product_invoice = { series = "2" }`)},
		{Config: settingsConfig(s, fmt.Sprintf(maskedCSC, "2"))},
	})
	if held(s, "consumerInvoice", "csc") != "SECRET-CSC" || held(s, "consumerInvoice", "series") != "2" || held(s, "serviceInvoice", "password") != "s3cret" {
		t.Error("the service does not hold what was configured beside what it held")
	}
	if n := fixture.CountWrites(s); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}

func TestAccCompanySettings_aSecretThatIsNotShownAtAllIsNotLost(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsAbsent})
	settingsTest(t, []resource.TestStep{
		{Config: settingsConfig(s, fmt.Sprintf(maskedCSC, "1"))},
		{Config: settingsConfig(s, `consumer_invoice = { series = "1" }`)},
		{Config: settingsConfig(s, `consumer_invoice = { series = "2" }`), ExpectError: regexp.MustCompile("Secret that the service does not show")},
	})
	if held(s, "consumerInvoice", "csc") != "SECRET-CSC" {
		t.Error("the secret is gone")
	}
}

func TestAccCompanySettings_aSecretThatIsShownAsNullIsTakenForHeldOnceItWasSent(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsNull})
	config := settingsConfig(s, fmt.Sprintf(maskedCSC, "7"))
	settingsTest(t, []resource.TestStep{
		{Config: config, ConfigStateChecks: []statecheck.StateCheck{expectSetting("consumer_invoice", "csc", knownvalue.StringExact("SECRET-CSC"))}},
		{Config: config, ConfigPlanChecks: acctest.EmptyPlan()},
		{Config: settingsConfig(s, fmt.Sprintf(maskedCSC, "2")), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate)},
		{Config: settingsConfig(s, `consumer_invoice = { series = "3" }`), ExpectError: regexp.MustCompile("Secret that the service does not show")},
	})
	if held(s, "consumerInvoice", "csc") != "SECRET-CSC" || held(s, "consumerInvoice", "series") != "2" {
		t.Error("the service does not hold what was configured")
	}
	if n := fixture.CountWrites(s); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}

func TestAccCompanySettings_aSecretChangedOutsideIsRepaired(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	config := settingsConfig(s, fmt.Sprintf(maskedCSC, "1"))
	settingsTest(t, []resource.TestStep{
		{Config: config},
		{PreConfig: func() { set(s, "consumerInvoice", "csc", "OTHER-CSC") }, Config: config, ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate)},
		{PreConfig: func() {
			if held(s, "consumerInvoice", "csc") != "SECRET-CSC" {
				t.Error("a changed secret was not repaired")
			}
			set(s, "consumerInvoice", "csc", nil)
		}, Config: config, ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate)},
		{Config: strings.Replace(config, "SECRET-CSC", "SECOND-CSC", 1), ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate)},
	})
	if held(s, "consumerInvoice", "csc") != "SECOND-CSC" {
		t.Error("a newly configured secret was not sent")
	}
}

func TestAccCompanySettings_writeOnlySecretsReachTheServiceAndNeverTheState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const first, second, third = "FIRST-CSC-VALUE", "OTHER-CSC-VALUE", "THIRD-CSC-VALUE"
	config := func(value, version, more string) string {
		return settingsConfig(s, fmt.Sprintf("%s\n  secrets = {\n    csc_wo = %q\n    csc_wo_version = %q\n    service_password_wo = \"PASSWORD-VALUE\"\n    service_password_wo_version = \"a\"\n  }", more, value, version))
	}
	w := acctest.NewWorkspace(t, config(first, "1", ""), "")
	sent := func(why, want string, writes int) {
		t.Helper()
		if got := held(s, "consumerInvoice", "csc"); got != want {
			t.Errorf("%s: the service holds %v, want %v", why, got, want)
		}
		if n := fixture.CountWrites(s); n != writes {
			t.Errorf("%s: %d writes so far, want %d", why, n, writes)
		}
		for _, secret := range []string{first, second, third, "PASSWORD-VALUE"} {
			if files := w.InFiles(secret); len(files) != 0 {
				t.Errorf("%s: a secret is in %v", why, files)
			}
		}
	}
	w.MustApply()
	sent("created", first, 1)
	if held(s, "serviceInvoice", "password") != "PASSWORD-VALUE" {
		t.Error("the password did not arrive")
	}
	w.MustRun("plan", "-detailed-exitcode")
	w.Write(config(second, "1", ""))
	w.MustApply()
	sent("the same version", first, 1)
	w.Write(config(second, "2", ""))
	w.MustApply()
	sent("another version", second, 2)

	// The service refuses, and then ignores: neither error may leave a secret behind.
	w.Write(config(third, "3", ""))
	for _, fault := range []sandbox.Fault{
		{Kind: sandbox.FaultStatus, Status: 400, Body: `{"errors":[{"message":"The field Csc is invalid","path":"ConsumerInvoice.Csc"}]}`},
		{Kind: sandbox.FaultStatus, Status: 200, Body: `{}`},
	} {
		fault.Method, fault.Path = "PUT", settingsRoute
		s.Inject(fault)
		output, ok := w.Run("apply", "-auto-approve")
		if ok || strings.Contains(output, third) || strings.Contains(output, second) {
			t.Errorf("an apply that the service answers with %d: succeeded %v, or showed the secret:\n%s", fault.Status, ok, output)
		}
	}
	sent("refused and ignored", second, 4)
	w.MustApply()
	sent("applied again", third, 5)

	// A block that is written for another reason takes the value along, version or not.
	w.Write(config(third, "3", "  consumer_invoice = { series = \"9\" }"))
	w.MustApply()
	sent("with another change", third, 6)

	// Removed at the service: the version is out of state, and the secret is sent again.
	set(s, "consumerInvoice", "csc", nil)
	w.MustApply()
	sent("repaired", third, 7)
	w.MustRun("plan", "-detailed-exitcode")

	// From write-only to plain and out again.
	w.Write(settingsConfig(s, ""))
	w.MustApply()
	sent("no longer configured", third, 7)
}

func TestAccCompanySettings_aWriteOnlySecretThatFailsToBeCreatedIsNowhere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, settingsConfig(s, "secrets = {\n    csc_wo = \"HIDDEN-CSC-VALUE\"\n    csc_wo_version = \"1\"\n  }"), "")
	s.Inject(sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 200, Body: `{}`})
	output, ok := w.Run("apply", "-auto-approve")
	if ok || !strings.Contains(acctest.Squeezed(output), "`secrets.csc_wo` was sent") {
		t.Errorf("an ignored secret is no error:\n%s", output)
	}
	if files := w.InFiles("HIDDEN-CSC-VALUE"); len(files) != 0 || strings.Contains(output, "HIDDEN-CSC-VALUE") {
		t.Errorf("the secret is in %v, or in the output", files)
	}
	if output := w.MustRun("plan"); !strings.Contains(output, "1 to add, 0 to change, 0 to destroy") {
		t.Errorf("a creation that failed is planned as something else than a creation:\n%s", output)
	}
}

func TestAccCompanySettings_movesASecretOutOfTheState(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	settingsTest(t, []resource.TestStep{
		{Config: settingsConfig(s, fmt.Sprintf(maskedCSC, "1"))},
		{
			Config:           settingsConfig(s, "consumer_invoice = { series = \"1\" }\n  secrets = {\n    csc_wo = \"SECRET-CSC\"\n    csc_wo_version = \"1\"\n  }"),
			ConfigPlanChecks: plansSettings(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{
				expectSetting("consumer_invoice", "csc", knownvalue.Null()),
				statecheck.ExpectKnownValue(settingsAddress, tfjsonpath.New("secrets").AtMapKey("csc_wo"), knownvalue.Null()),
			},
		},
	})
}

func TestAccCompanySettings_offlineContingencyNeedsTokenAndCode(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	token := regexp.MustCompile("(?s)Offline contingency without token.*no\\s+`token_id`.*Set\\s+`consumer_invoice.token_id`")
	code := regexp.MustCompile("(?s)Offline contingency without CSC.*no\\s+CSC.*Set\\s+`consumer_invoice.csc`")
	allow := func(more string) string {
		return settingsConfig(s, "consumer_invoice = {\n allow_offline_contingency = true\n"+more+"}")
	}
	settingsTest(t, []resource.TestStep{
		// What is not in state yet is asked of the service.
		{Config: allow(""), PlanOnly: true, ExpectError: token},
		{Config: allow("token_id = \"1\"\n"), PlanOnly: true, ExpectError: code},
		{Config: allow("csc = \"SECRET\"\n"), PlanOnly: true, ExpectError: token},
		{ // Of a company that is not known while planning it fails before the write.
			Config:      strings.Replace(allow(""), fmt.Sprintf("%q", s.OwnerCompanyID()), "terraform_data.company.output", 1) + fmt.Sprintf("\nresource \"terraform_data\" \"company\" {\n input = %q\n}", s.OwnerCompanyID()),
			ExpectError: token,
		},
		{
			PreConfig: func() {
				if n := fixture.CountWrites(s); n != 0 {
					t.Errorf("%d writes, want none", n)
				}
			},
			Config: settingsConfig(s, ""),
		},
		// What was refreshed is not asked again.
		{Config: allow("csc = \"SECRET\"\n"), PlanOnly: true, ExpectError: token},
		{Config: allow("token_id = \"1\"\n"), PlanOnly: true, ExpectError: code},
		{Config: allow("token_id = \"1\"\ncsc = \"SECRET\"\n")},
		{ // Both at the service is as good.
			Config: settingsConfig(s, "consumer_invoice = {\n allow_offline_contingency = false\n csc = \"SECRET\"\n}"),
		},
		{Config: allow("csc = \"SECRET\"\n")},
	})
	if held(s, "consumerInvoice", "allowOfflineContingency") != true || held(s, "consumerInvoice", "tokenId") != "1" {
		t.Error("contingency with token and code was not allowed")
	}
}

func TestAccCompanySettings_aPlanLeavesSettingsThatItCannotReadToTheApply(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/companies/{id}/settings", Status: 403, Times: -1})
	config := settingsConfig(s, "consumer_invoice = { allow_offline_contingency = true }")
	settingsTest(t, []resource.TestStep{
		{Config: config, PlanOnly: true, ExpectNonEmptyPlan: true},
		{Config: config, ExpectError: regexp.MustCompile(`Cannot read company settings`)},
	})
}

func TestAccCompanySettings_offlineContingencyWithAWriteOnlyCode(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	settingsTest(t, []resource.TestStep{{
		Config: settingsConfig(s, "consumer_invoice = { allow_offline_contingency = true, token_id = \"1\" }\n  secrets = {\n    csc_wo = \"SECRET-CSC\"\n    csc_wo_version = \"1\"\n  }"),
	}})
}

// A CLI that does not know write-only arguments loads the provider and uses
// the settings without them; only a configuration that has one is refused.
func TestCompanySettings_loadsOnCLIsOlderThanWriteOnlyArguments(t *testing.T) {
	t.Parallel()
	server, err := providerserver.NewProtocol6WithError(provider.New("test")())()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(schemas.Diagnostics) != 0 {
		t.Fatalf("the provider does not load: %v %v", err, schemas.Diagnostics)
	}
	schema := schemas.ResourceSchemas["einvoice_company_settings"]
	object, ok := schema.ValueType().(tftypes.Object)
	if !ok {
		t.Fatal("the schema is no object")
	}
	validate := func(csc any) []*tfprotov6.Diagnostic {
		t.Helper()
		values := map[string]tftypes.Value{}
		for name, attribute := range object.AttributeTypes {
			values[name] = tftypes.NewValue(attribute, nil)
		}
		values["company_id"] = tftypes.NewValue(tftypes.String, "7c9e6679-7425-40de-944b-e07fc1f90ae7")
		secrets, _ := object.AttributeTypes["secrets"].(tftypes.Object)
		inner := map[string]tftypes.Value{}
		for name, attribute := range secrets.AttributeTypes {
			inner[name] = tftypes.NewValue(attribute, nil)
		}
		inner["csc_wo"] = tftypes.NewValue(tftypes.String, csc)
		if csc != nil {
			inner["csc_wo_version"] = tftypes.NewValue(tftypes.String, "1")
			values["secrets"] = tftypes.NewValue(secrets, inner)
		}
		config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: "einvoice_company_settings", Config: &config,
			ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: false},
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	if diags := validate(nil); len(diags) != 0 {
		t.Errorf("settings without write-only arguments are refused: %v", diags[0].Detail)
	}
	diags := validate("SECRET")
	if len(diags) == 0 || strings.Contains(diags[0].Detail+diags[0].Summary, "SECRET") {
		t.Errorf("a write-only argument is not refused on a CLI that would store it: %v", diags)
	}
}
