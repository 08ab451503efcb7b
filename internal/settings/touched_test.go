package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// putBodies are the settings that were sent since, by block, in the order of the requests.
func putBodies(t *testing.T, s *sandbox.Server, since int) (bodies []map[string]map[string]any) {
	t.Helper()
	for _, r := range s.All("PUT", settingsRoute)[since:] {
		var body map[string]map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// A service that resets the blocks that are not sent loses the secrets in them that nobody knows,
// and nothing else. The error names them, and so does every plan until they are set again.
func TestCompanySettings_onlyUnknownSecretsAreLostToAReset(t *testing.T) {
	t.Parallel()
	for _, options := range []sandbox.Options{
		{SecretReads: sandbox.SecretsMasked},
		{SecretReads: sandbox.SecretsMasked, SettingsResetFilled: true},
		{SecretReads: sandbox.SecretsHidden, SettingsResetFilled: true},
		{SecretMask: "SECR"},
	} {
		t.Run(fmt.Sprintf("%s%s filled %t", options.SecretReads, options.SecretMask, options.SettingsResetFilled), func(t *testing.T) {
			t.Parallel()
			options.SettingsReplaceAll = true
			s := sandbox.Start(t, options)
			o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
			arguments := func(series, more string) map[string]any {
				return o.Arguments(fmt.Sprintf("company_id = %q\nproduct_invoice = { series = %q }\n"+
					"service_invoice = { password = \"SECRET-PASSWORD\" }\n%s", s.OwnerCompanyID(), series, more))
			}
			if _, said := o.Create(arguments("1", "")); testkit.ErrorsIn(said) != "" {
				t.Fatal(testkit.TextsOf(said))
			}
			set(s, "consumerInvoice", "series", "7")
			set(s, "consumerInvoice", "nextNumber", 42)
			set(s, "consumerInvoice", "tokenId", "000001")
			set(s, "consumerInvoice", "csc", "SECRET-OF-THE-TAXPAYER")
			set(s, "serviceInvoice", "environmentType", "simulation")
			set(s, "serviceInvoice", "nextBatchNumber", 5)
			set(s, "serviceInvoice", "userName", "city")
			set(s, "serviceInvoice", "cityToken", "SECR****")
			set(s, "general", "technicalResponsible", map[string]any{"contactName": "Ana", "csrts": []any{"SECRET-TOO"}})
			o.MustNotFail(o.Refresh())
			since := len(putBodies(t, s, 0))
			s.Before("PUT", settingsRoute, func() { // An invoice is issued between the two writes.
				s.Before("GET", settingsRoute, func() { set(s, "productInvoice", "nextNumber", 9) })
			})
			config := o.Value(o.Type, arguments("3", ""))
			said := o.Apply(config, o.MustPlan(config))
			for _, want := range []string{
				"Secrets lost at the service: company ", "`consumer_invoice.csc`", "`general.technical_responsible.csrts`",
				"Set `serviceInvoice.cityToken` in the back office: there is no argument for it.",
			} {
				if failed := testkit.ErrorsIn(said); !strings.Contains(failed, want) || strings.Contains(failed, "service_invoice.password") {
					t.Errorf("the error lacks %q: %s", want, failed)
				}
			}
			if text := testkit.TextsOf(said); strings.Contains(text, "SECR") || strings.Contains(text, "changed by the write of another block") {
				t.Errorf("it says %s", text)
			}
			bodies := putBodies(t, s, since)
			if len(bodies) != 2 || len(bodies[0]) != 1 || len(bodies[1]) != 4 {
				t.Fatalf("sent %v, want the change and then all blocks", bodies)
			}
			sent := bodies[1]
			for at, want := range map[string]any{
				"consumerInvoice.series": "7", "consumerInvoice.nextNumber": 42.0, "consumerInvoice.tokenId": "000001",
				"consumerInvoice.csc": nil, "serviceInvoice.environmentType": "simulation", "serviceInvoice.nextBatchNumber": 5.0,
				"serviceInvoice.password": "SECRET-PASSWORD", "serviceInvoice.cityToken": nil, "productInvoice.series": "3",
				"productInvoice.nextNumber": 9.0, "general.technicalResponsible": map[string]any{"contactName": "Ana"},
			} {
				block, name, _ := strings.Cut(at, ".")
				if diff := cmp.Diff(want, sent[block][name]); diff != "" {
					t.Errorf("%s is sent as (-want +got):\n%s", at, diff)
				}
			}
			// What was written is in state, and each plan names the secrets until they are set here or at the service.
			if series := o.State()["product_invoice"].(map[string]any)["series"]; series != "3" {
				t.Errorf("the series in state is %v", series)
			}
			plans := func(want string, config map[string]any) {
				t.Helper()
				o.MustNotFail(o.Refresh())
				planned, said := o.Plan(o.Value(o.Type, config))
				o.MustNotFail(said)
				if text := testkit.TextsOf(said); want == "" && strings.Contains(text, "lost") || !strings.Contains(text, want) {
					t.Errorf("the plan says %q, want %q", text, want)
				}
				if action := o.Action(planned); want != "" && action != plancheck.ResourceActionNoop {
					t.Errorf("it plans %s", action)
				}
			}
			plans("`consumer_invoice.csc`, `general.technical_responsible.csrts`, `serviceInvoice.cityToken`", arguments("3", ""))
			set(s, "serviceInvoice", "cityToken", "SECR****")
			set(s, "general", "technicalResponsible", map[string]any{"contactName": "Ana", "csrts": []any{"SECRET-TOO"}})
			plans("`consumer_invoice.csc` of company", arguments("3", ""))
			withCSC := arguments("3", `consumer_invoice = { csc = "SECRET-OF-THE-TAXPAYER" }`)
			plans("", withCSC)
			set(s, "consumerInvoice", "csc", "SECRET-OF-THE-TAXPAYER")
			plans("", arguments("3", ""))
		})
	}
}

// A creation that has lost secrets leaves no state. The next one says what is missing.
func TestCompanySettings_aCreationAfterALostSecretIsNotSilent(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SettingsReplaceAll: true})
	set(s, "consumerInvoice", "tokenId", "000001")
	set(s, "consumerInvoice", "csc", "SECRET-OF-THE-TAXPAYER")
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	arguments := withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "3"}})
	state, said := o.Create(arguments)
	if failed := testkit.ErrorsIn(said); state != nil || !strings.Contains(failed, "Secrets lost at the service") {
		t.Errorf("state %v, error %q", state, failed)
	}
	_, said = o.Create(arguments)
	o.MustNotFail(said)
	if text := testkit.TextsOf(said); !strings.Contains(text, "Secret that may be missing") || !strings.Contains(text, "`consumer_invoice.csc`") {
		t.Errorf("the next creation says %q", text)
	}
	if n := len(putBodies(t, s, 0)); n != 2 {
		t.Errorf("%d writes, want two of the first creation", n)
	}
}

// What cannot be sent back is named with its values, also where the second write fails.
func TestCompanySettings_aResetThatCannotBeSentBackNamesTheValues(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SettingsReplaceAll: true})
	set(s, "consumerInvoice", "series", "7")
	set(s, "consumerInvoice", "csc", "SECRET-OF-THE-TAXPAYER")
	set(s, "general", "technicalResponsible", map[string]any{"contactName": "Ana", "csrts": []any{"SECRET-TOO"}})
	s.Inject(sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 400, Skip: 1, Body: `{}`})
	_, said := testkit.Serve(t, s, nil).Object("einvoice_company_settings").
		Create(withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "3"}}))
	for _, want := range []string{
		"Cannot update company settings", "Settings block consumerInvoice of company", "`csc` (its value is not shown)",
		"`series` = \"7\"", "Settings block general of company", `"contactName":"Ana"`,
	} {
		if failed := testkit.ErrorsIn(said); !strings.Contains(failed, want) || strings.Contains(failed, "SECRET") {
			t.Errorf("the error lacks %q: %s", want, failed)
		}
	}
}

// Until a write of settings is checked, and what it has reset is sent back, nothing is issued beside it: an environment
// may be another one meanwhile.
func TestCompanySettings_nothingIsIssuedWhileTheyAreWritten(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{SettingsReplaceAll: true, SettingsResetFilled: true})
	p := testkit.Serve(t, s, nil)
	settings, issuance := p.Object("einvoice_company_settings"), p.Object("einvoice_invoice_issuance")
	arguments := func(series string) map[string]any {
		return settings.Arguments(fmt.Sprintf("company_id = %q\nproduct_invoice = { series = %q }", s.OwnerCompanyID(), series))
	}
	if _, said := settings.Create(arguments("1")); testkit.ErrorsIn(said) != "" {
		t.Fatal(testkit.TextsOf(said))
	}
	set(s, "serviceInvoice", "environmentType", "simulation")
	set(s, "serviceInvoice", "userName", "city")
	settings.MustNotFail(settings.Refresh())
	change, sale := settings.Value(settings.Type, arguments("2")), issuance.Value(issuance.Type, issuance.Arguments(
		`model = "serviceInvoice"
		integration_id = "sale-1"
		payload_json = "{\"description\":\"Consulting\",\"federalServiceCode\":\"17.01\",\"total\":{\"invoiceAmount\":100}}"`))
	planned, sold := settings.MustPlan(change), issuance.MustPlan(sale)
	s.ResetRequests()
	issued := make(chan string)
	s.Before("PUT", settingsRoute, func() {
		go func() { issued <- testkit.ErrorsIn(issuance.Apply(sale, sold)) }()
		<-time.After(200 * time.Millisecond) // Long enough for a sale that does not wait.
	})
	settings.MustNotFail(settings.Apply(change, planned))
	if failed := <-issued; failed != "" {
		t.Error(failed)
	}
	var sent []string
	for _, r := range s.Requests() {
		if r.Method == "PUT" || r.Method == "POST" {
			sent = append(sent, r.Method+" "+strings.Split(r.Path, "/")[2])
		}
	}
	if diff := cmp.Diff([]string{"PUT companies", "PUT companies", "POST service-invoices"}, sent); diff != "" {
		t.Error(diff)
	}
}

// A block that the read after the write leaves out may be as it was: it is named, and not written.
func TestCompanySettings_aBlockThatIsNotShownAfterTheWriteIsNotSentBack(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	set(s, "consumerInvoice", "csc", "SECRET-OF-THE-TAXPAYER")
	s.Inject(sandbox.Fault{
		Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Skip: 1, Body: `{"productInvoice": {"series": "3"}}`,
	})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	_, said := o.Create(withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "3"}}))
	if failed := testkit.ErrorsIn(said); !strings.Contains(failed, "Settings block consumerInvoice of company") {
		t.Errorf("the error is %q", failed)
	}
	if held(s, "consumerInvoice", "csc") != "SECRET-OF-THE-TAXPAYER" || len(putBodies(t, s, 0)) != 1 {
		t.Errorf("sent %v", putBodies(t, s, 0))
	}
}

// A secret that is shown in another form after the write is still there: sending its block back would lose it.
func TestCompanySettings_aSecretInAnotherFormIsNoReset(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	show := func(series, csc string, skip int) {
		s.Inject(sandbox.Fault{
			Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Skip: skip, Body: fmt.Sprintf(`{
				"productInvoice": {"series": %q, "nextNumber": 7},
				"consumerInvoice": {"series": "1", "tokenId": "000001", "csc": %q}}`, series, csc),
		})
	}
	show("1", "SECR****", 0)
	show("3", "[hidden]", 0)
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	o.MustCreate(withCompany(s, map[string]any{"product_invoice": map[string]any{"series": "3"}}))
	if bodies := putBodies(t, s, 0); len(bodies) != 1 || len(bodies[0]) != 1 {
		t.Errorf("sent %v, want the changed block alone", bodies)
	}
}
