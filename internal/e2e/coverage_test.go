package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/inbound"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// reached are the attributes that a run brought into the state, by the kind and name of
// their object, and by path.
type reached map[string]map[string]bool

func (r reached) add(object, at string, value any) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for name, v := range value {
			r.add(object, strings.TrimPrefix(at+"."+name, "."), v)
		}
	case []any:
		for _, v := range value {
			r.add(object, at, v)
		}
	default:
		if r[object] == nil {
			r[object] = map[string]bool{}
		}
		// The elements of a map are no attributes.
		for ; at != ""; at = at[:max(0, strings.LastIndex(at, "."))] {
			r[object][at] = true
		}
	}
}

// read adds what is in the state of a workspace.
func (r reached) read(t *testing.T, w *testkit.Workspace) {
	t.Helper()
	var state struct {
		Resources []struct {
			Mode, Type string
			Instances  []testkit.StateObject
		}
	}
	if err := json.Unmarshal([]byte(fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))), &state); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{"managed": "resource ", "data": "data source "}
	for _, object := range state.Resources {
		for _, instance := range object.Instances {
			r.add(kinds[object.Mode]+object.Type, "", instance.Attributes)
		}
	}
}

// TestAccCoverage_everyAttributeOfTheServiceReachesTheState applies a configuration that
// has everything, in an account that holds everything.
func TestAccCoverage_everyAttributeOfTheServiceReachesTheState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.ExampleWorkspace(t, s, filepath.Join("testdata", "coverage"))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s does not know write-only arguments", w.Cli)
	}
	received, err := json.Marshal(seedEverything(s))
	if err != nil {
		t.Fatal(err)
	}
	w.Environ = append(w.Environ, "TF_VAR_company="+s.OwnerCompanyID(), "TF_VAR_received="+string(received))
	state := reached{}
	for step := 1; step <= 2; step++ {
		w.MustRun("apply", "-auto-approve", "-input=false", fmt.Sprintf("-var=step=%d", step))
		state.read(t, w)
	}
	schemas := servedSchemas(t)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if !strings.HasPrefix(name, "resource ") && !strings.HasPrefix(name, "data source ") {
			continue
		}
		everyAttribute("", schemas[name].Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			if a.Computed && !a.Optional && a.NestedType == nil && !state[name][at] && !slices.Contains(notReached[name], at) {
				t.Errorf("%s: %s never came to the state", name, at)
			}
		})
	}
	for _, field := range s.UnknownFields() {
		t.Errorf("the service does not know %v", field)
	}
}

// notReached are attributes that the tests of their nouns are about.
var notReached = map[string][]string{
	"data source einvoice_inbound_invoices": {"invoices.manifestation.reason_code", "invoices.raw_json"},
	"data source einvoice_invoice_totals":   {"by_status.amount", "by_status.invoice_count"},
	"data source einvoice_invoices":         {"invoices.raw_json"},
	"data source einvoice_numbering":        {"gaps.from", "gaps.to"},
	"data source einvoice_orders":           {"orders.invoices.access_key", "orders.invoices.number"},
	"resource einvoice_invoice_issuance": {
		"details.cancellation.date", "details.cancellation.justification", "details.cancellation.protocol",
		"details.contingency.date", "details.contingency.reason",
	},
}

// The account that the coverage test works on has an object with every field
// and one with every value of the enums.

func fullParty() map[string]any {
	return map[string]any{
		"name": "Café da Esquina", "federalTaxNumber": "45997418000153", "stateTaxNumber": "110042490114", "cityTaxNumber": "7654321",
		"email": "fiscal@cafe.example", "phoneNumber": "1130000002",
		"address": map[string]any{
			"street": "Rua Augusta", "district": "Consolação", "postalCode": "01304000", "number": "200", "additionalInformation": "Loja",
			"city": map[string]any{"code": 3550308, "name": "São Paulo", "state": "sp"}, "country": "BRA",
		},
	}
}

func fullInvoice(model string) map[string]any {
	const moment = "2026-11-20T10:00:00-03:00"
	receiver := fullParty()
	receiver["suframaTaxNumber"], receiver["municipalTaxNumber"] = "200000001", "7654321"
	return map[string]any{
		"integrationId": "full-" + model, "status": "canceled", "environmentType": "production", "issuedOn": moment, "effectiveDate": moment,
		"receiver": receiver, "pickup": fullParty(), "delivery": fullParty(),
		"company": map[string]any{
			"name": "Padaria Central", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181", "stateTaxNumber": "110042490114",
			"cityTaxNumber": "1234567",
		},
		"order":            map[string]any{"id": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "date": moment, "transactionId": "sale-1"},
		"authorization":    map[string]any{"date": moment, "protocol": "135260000000001", "digestValue": "q1w2e3"},
		"cancellation":     map[string]any{"date": moment, "protocol": "135260000000002", "justification": "Emitida em duplicidade"},
		"processingDetail": map[string]any{"status": "success", "code": "100", "message": "Autorizado o uso da NF-e", "on": moment},
		"contingency":      map[string]any{"date": moment, "reason": "Autoridade indisponível"},
		"amount":           10.5, "number": 7, "series": "1", "isFromApi": true,
		"accessKey": "35261111222333000181550010000000071000000079", "operationType": "outgoing", "printingType": "portrait", "issueType": "normal",
		"purposeType": "normal", "debitType": "advancePayment", "creditType": "appropriation", "govOperationType": "supply",
		"govPurchase": map[string]any{"type": "1", "rate": 0.5}, "authorizedPersons": []any{"45997418000153"},
		"rps": map[string]any{"number": 7, "series": "1"}, "batchNumber": 3,
	}
}

func fullInbound(model string) map[string]any {
	manifestation := map[string]any{"status": "confirmed", "date": "2026-11-20T10:00:00-03:00", "justification": "Recebida"}
	if model == einvoice.ModelService {
		manifestation["reasonCode"] = "1"
	} else {
		manifestation["protocol"] = "135260000000003"
	}
	return map[string]any{"model": model, "isComplete": true, "manifestation": manifestation, "lastModificationTime": "2026-11-20T11:00:00-03:00"}
}

// seedEverything gives the account objects with every field and every value of
// the enums, and returns an inbound invoice of each model.
func seedEverything(s *sandbox.Server) (received map[string]string) {
	kinds := map[string]string{
		einvoice.ModelService: sandbox.KindServiceInvoices, einvoice.ModelProduct: sandbox.KindProductInvoices, einvoice.ModelConsumer: sandbox.KindConsumerInvoices,
	}
	for model, kind := range kinds {
		s.Seed(kind, fullInvoice(model))
		s.Seed(kind, map[string]any{
			"integrationId": "rejected-" + model, "status": "rejected", "amount": 10,
			"processingDetail": map[string]any{"status": "success", "code": "539", "message": "Duplicidade de NF-e"},
		})
	}
	for _, words := range sandbox.Vocabulary() {
		object, field, _ := strings.Cut(words.Name, " ")
		for i, word := range words.Words {
			switch {
			case object == "Invoice" && field == "model":
			case object == "Invoice":
				s.Seed(sandbox.KindProductInvoices, nestedValue(field, word))
			case words.Name == "Inbound invoice status" || words.Name == "Inbound invoice manifestation.status":
				s.SeedInbound(s.OwnerCompanyID(), nestedValue(strings.TrimPrefix(field, "invoice "), word))
			case object == "Disablement":
				s.Seed(sandbox.KindDisablements, map[string]any{
					"status": word, "identifier": fmt.Sprint("ID", i), "initialNumber": 10 * i, "finalNumber": 10*i + 9, "series": "1",
					"reason": "Falha na numeração", "protocolNumber": "135260000000001", "messageCode": "102", "messageText": "Inutilização homologada",
				})
			}
		}
	}
	s.SetSyncStatus(s.OwnerCompanyID(), map[string]any{
		"lastNsu": 42, "lastSyncAt": "2026-11-20T08:00:00-03:00", "nextAllowedSyncAt": "2026-11-20T09:00:00-03:00",
		"lastAttemptOutcome": "throttledByAuthority", "lastAttemptMessage": "Consumo indevido", "lastAttemptAt": "2026-11-20T08:30:00-03:00",
	})
	received = map[string]string{}
	for _, model := range inbound.InboundModels {
		received[model] = s.SeedInbound(s.OwnerCompanyID(), fullInbound(model))
	}
	return received
}

func nestedValue(path, value string) map[string]any {
	if parent, name, nested := strings.Cut(path, "."); nested {
		return map[string]any{parent: map[string]any{name: value}}
	}
	return map[string]any{path: value}
}
