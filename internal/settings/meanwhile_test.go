package settings_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

const series3 = `product_invoice = { series = "3" }`

// started is a company with values in all blocks, and its settings resource.
func started(t *testing.T, options sandbox.Options) (*sandbox.Server, *testkit.Object) {
	t.Helper()
	s := sandbox.Start(t, options)
	for at, value := range map[string]any{
		"consumerInvoice.series": "7", "consumerInvoice.nextNumber": 42, "consumerInvoice.environmentType": "production",
		"consumerInvoice.tokenId": "000001", "consumerInvoice.csc": "SECRET-OF-THE-TAXPAYER",
		"consumerInvoice.allowOfflineContingency": true, "general.decimalPrecision": 4,
		"general.technicalResponsible": map[string]any{
			"contactName": "Ana", "email": "a@example.com", "phone": nil, "federalTaxNumber": nil, "csrts": nil,
		},
		"general.labels": []any{"a", "b"}, "consumerInvoice.warning": "expires soon", "productInvoice.nextNumber": 5,
		"serviceInvoice.nextBatchNumber": 6, "serviceInvoice.userName": "city",
	} {
		block, field, _ := strings.Cut(at, ".")
		set(s, block, field, value)
	}
	return s, testkit.Serve(t, s, nil).Object("einvoice_company_settings")
}

func create(s *sandbox.Server, o *testkit.Object, arguments string) (errors, all string) {
	_, said := o.Create(o.Arguments(fmt.Sprintf("company_id = %q\n%s", s.OwnerCompanyID(), arguments)))
	return testkit.ErrorsIn(said), testkit.TextsOf(said)
}

// requested are the reads and writes of the settings, each write with what it sends of a place.
func requested(t *testing.T, s *sandbox.Server, block, field string) (log []string) {
	t.Helper()
	bodies := putBodies(t, s, 0)
	for _, r := range s.Requests() {
		if r.Method == http.MethodPut {
			log = append(log, fmt.Sprint("PUT ", bodies[0][block][field]))
			bodies = bodies[1:]
			continue
		}
		log = append(log, r.Method)
	}
	return log
}

// What somebody changes in other blocks during a write stays, and is not written: only what is gone was reset.
func TestCompanySettings_whatSomebodyChangesInAnotherBlockStays(t *testing.T) {
	t.Parallel()
	for _, secrets := range []string{sandbox.SecretsClear, sandbox.SecretsMasked, sandbox.SecretsAbsent, sandbox.SecretsNull} {
		for at, value := range map[string]any{
			"consumerInvoice.environmentType": "development", "consumerInvoice.nextNumber": 10, "consumerInvoice.series": "8",
			"consumerInvoice.tokenId": "000002", "consumerInvoice.csc": "ANOTHER-SECRET-OF-THE-TAXPAYER",
			"consumerInvoice.allowOfflineContingency": false, "consumerInvoice.modifiedAt": "2026-11-26", "general.decimalPrecision": 0,
			"general.technicalResponsible": map[string]any{"contactName": "Bia", "email": "a@example.com"},
			"general.labels":               []any{"a"}, "serviceInvoice.authNumber": "17",
		} {
			t.Run(secrets+" "+at, func(t *testing.T) {
				t.Parallel()
				s, o := started(t, sandbox.Options{SecretReads: secrets})
				block, field, _ := strings.Cut(at, ".")
				set(s, "consumerInvoice", "modifiedAt", "2026-11-25")
				s.Before("PUT", settingsRoute, func() { set(s, block, field, value) })
				before := s.SettingsClear(s.OwnerCompanyID())
				failed, text := create(s, o, series3)
				if failed != "" {
					t.Error(failed)
				}
				isQuiet := field == "modifiedAt" || field == "csc" || field == "labels" || field == "authNumber"
				if isQuiet == strings.Contains(text, "changed during the write of another block") || strings.Contains(text, "SECRET") {
					t.Errorf("it says %s", text)
				}
				if diff := cmp.Diff([]string{"GET", "PUT 3", "GET"}, requested(t, s, "productInvoice", "series")); diff != "" {
					t.Error(diff)
				}
				want, _ := json.Marshal(value)
				if got, _ := json.Marshal(held(s, block, field)); string(got) != string(want) {
					t.Errorf("the service holds %s, want %s", got, want)
				}
				if csc := held(s, "consumerInvoice", "csc"); field != "csc" && csc != testkit.At(before, "consumerInvoice.csc") {
					t.Errorf("the CSC is %v", csc)
				}
			})
		}
	}
}

// A field that changes with each request, as a time of change does, is no reset, and asks for no write.
func TestCompanySettings_aFieldThatChangesByItselfIsNoReset(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{SecretReads: sandbox.SecretsAbsent})
	n := 0
	s.OnRequest(func(sandbox.Request) {
		for _, block := range []string{"general", "productInvoice", "consumerInvoice", "serviceInvoice"} {
			n++
			set(s, block, "modifiedAt", fmt.Sprint(n))
		}
	})
	if failed, text := create(s, o, series3); failed != "" || strings.Contains(text, "changed during") {
		t.Error(text)
	}
	if csc := held(s, "consumerInvoice", "csc"); csc != "SECRET-OF-THE-TAXPAYER" || len(putBodies(t, s, 0)) != 1 {
		t.Errorf("the CSC is %v, sent %v", csc, putBodies(t, s, 0))
	}
}

// A field without an attribute may empty itself. It is named, and a secret beside it that is not shown is not wiped.
func TestCompanySettings_anUnknownFieldThatEmptiesItselfWipesNoSecret(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{SecretReads: sandbox.SecretsAbsent})
	s.Before("PUT", settingsRoute, func() { set(s, "consumerInvoice", "warning", nil) })
	if failed, _ := create(s, o, series3); !strings.Contains(failed, "`warning` = \"expires soon\"") {
		t.Errorf("the error is %q", failed)
	}
	if csc := held(s, "consumerInvoice", "csc"); csc != "SECRET-OF-THE-TAXPAYER" || len(putBodies(t, s, 0)) != 1 {
		t.Errorf("the CSC is %v, sent %v", csc, putBodies(t, s, 0))
	}
}

// A value that is gone after the write of another block was reset, and comes back.
func TestCompanySettings_aValueThatIsGoneComesBack(t *testing.T) {
	t.Parallel()
	for at, values := range map[string][]any{
		"consumerInvoice.environmentType": {json.RawMessage("0"), nil, ""},
		"consumerInvoice.nextNumber":      {nil, json.RawMessage("0")},
		"consumerInvoice.tokenId":         {nil, ""},
		"general.decimalPrecision":        {nil},
		"general.technicalResponsible":    {nil, map[string]any{}, map[string]any{"contactName": "Ana", "email": nil}},
		"general.labels":                  {nil, []any{}},
		"serviceInvoice.nextBatchNumber":  {nil, json.RawMessage("0")},
	} {
		for _, value := range values {
			t.Run(fmt.Sprintf("%s %s", at, value), func(t *testing.T) {
				t.Parallel()
				s, o := started(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
				block, field, _ := strings.Cut(at, ".")
				before, _ := json.Marshal(held(s, block, field))
				s.Before("PUT", settingsRoute, func() { set(s, block, field, value) })
				failed, text := create(s, o, series3)
				if failed != "" || !strings.Contains(text, "were reset and sent back: "+block) {
					t.Errorf("it says %s", text)
				}
				if after, _ := json.Marshal(held(s, block, field)); string(after) != string(before) || len(putBodies(t, s, 0)) != 2 {
					t.Errorf("the service holds %s, want %s; sent %v", after, before, putBodies(t, s, 0))
				}
				wantHeld(t, s, map[string]any{"consumerInvoice.csc": "SECRET-OF-THE-TAXPAYER", "productInvoice.series": "3"})
			})
		}
	}
}

// Blocks that were not reset go along in the second write as they are by then.
func TestCompanySettings_sendingBackUndoesNobodysChange(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	s.Before("PUT", settingsRoute, func() {
		set(s, "consumerInvoice", "environmentType", "development")
		set(s, "general", "technicalResponsible", nil)
		s.Before("GET", settingsRoute, func() {
			set(s, "productInvoice", "danfePrintLayout", "simplified")
			set(s, "productInvoice", "nextNumber", 9)
		})
	})
	if failed, text := create(s, o, series3); failed != "" || !strings.Contains(text, "were reset and sent back: general") {
		t.Error(text)
	}
	wantHeld(t, s, map[string]any{
		"consumerInvoice.environmentType": "development", "productInvoice.danfePrintLayout": "simplified",
		"productInvoice.nextNumber": json.Number("9"), "general.technicalResponsible.contactName": "Ana", "productInvoice.series": "3",
	})
}

// A write that is repeated sends what was read right before it.
func TestCompanySettings_aRepeatedWriteIsMadeAnew(t *testing.T) {
	t.Parallel()
	limited := sandbox.Fault{Kind: sandbox.FaultStatus, Status: 429, Header: http.Header{"Retry-After": {"0"}}}
	for name, fault := range map[string]sandbox.Fault{
		"429": limited, "503": {Kind: sandbox.FaultStatus, Status: 503}, "a cut connection": {Kind: sandbox.FaultDropBefore},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o := started(t, sandbox.Options{})
			fault.Method, fault.Path = "PUT", settingsRoute
			s.Inject(fault)
			s.Before("PUT", settingsRoute, func() {
				set(s, "productInvoice", "nextNumber", 9)
				set(s, "productInvoice", "danfePrintLayout", "simplified")
				set(s, "consumerInvoice", "environmentType", "development")
			})
			if failed, _ := create(s, o, series3); failed != "" {
				t.Error(failed)
			}
			log := requested(t, s, "productInvoice", "nextNumber")
			if diff := cmp.Diff([]string{"GET", "PUT 5", "GET", "PUT 9", "GET"}, log); diff != "" {
				t.Error(diff)
			}
			wantHeld(t, s, map[string]any{
				"productInvoice.series": "3", "productInvoice.danfePrintLayout": "simplified",
				"consumerInvoice.environmentType": "development",
			})
		})
	}
}

// A lost answer may hide that the write has reset other blocks: they come back as they were before it.
func TestCompanySettings_aWriteWithALostAnswerHidesNoReset(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{SettingsReplaceAll: true, SecretReads: sandbox.SecretsClear})
	s.Inject(sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultDropAfter})
	failed, text := create(s, o, series3+"\nconsumer_invoice = { environment_type = \"production\" }")
	if failed != "" || !strings.Contains(text, "were reset and sent back: consumerInvoice, general, serviceInvoice") {
		t.Error(text)
	}
	wantHeld(t, s, map[string]any{
		"consumerInvoice.series": "7", "consumerInvoice.csc": "SECRET-OF-THE-TAXPAYER", "general.decimalPrecision": json.Number("4"),
		"productInvoice.series": "3", "serviceInvoice.userName": "city",
	})
}

// A block that is not shown when it is read again is not sent.
func TestCompanySettings_aBlockThatIsGoneBeforeTheRepetitionIsNotSent(t *testing.T) {
	t.Parallel()
	s, o := started(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "PUT", Path: settingsRoute, Kind: sandbox.FaultStatus, Status: 503})
	s.Inject(sandbox.Fault{Method: "GET", Path: settingsRoute, Kind: sandbox.FaultBody, Skip: 1, Body: `{"general": {"decimalPrecision": 4}}`})
	failed, _ := create(s, o, series3)
	for _, want := range []string{"Cannot update company settings", "Cannot write the settings block productInvoice"} {
		if !strings.Contains(failed, want) {
			t.Errorf("the error lacks %q: %s", want, failed)
		}
	}
	if n := len(putBodies(t, s, 0)); n != 1 {
		t.Errorf("%d writes", n)
	}
}
