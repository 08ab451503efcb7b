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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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
	expect.NoError(t, json.Unmarshal([]byte(fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))), &state))
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
	received, err := json.Marshal(seedEverything(t, s))
	expect.NoError(t, err)
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

// seedEverything gives the account objects with every field, and one with every value of
// the enums, and returns an inbound invoice of each model.
func seedEverything(t *testing.T, s *sandbox.Server) (received map[string]string) {
	t.Helper()
	var held map[string]object
	account := fileText(t, filepath.Join("testdata", "coverage", "account.json"))
	expect.NoError(t, json.Unmarshal([]byte(account), &held))
	for model, kind := range map[string]string{
		einvoice.ModelService: sandbox.KindServiceInvoices, einvoice.ModelProduct: sandbox.KindProductInvoices,
		einvoice.ModelConsumer: sandbox.KindConsumerInvoices,
	} {
		s.Seed(kind, with(held["invoice"], object{"integrationId": "full-" + model}))
		s.Seed(kind, with(held["rejected"], object{"integrationId": "rejected-" + model}))
	}
	for _, words := range sandbox.Vocabulary() {
		of, field, _ := strings.Cut(words.Name, " ")
		for i, word := range words.Words {
			switch {
			case words.Name == "Invoice model":
			case of == "Invoice":
				s.Seed(sandbox.KindProductInvoices, nestedValue(field, word))
			case words.Name == "Inbound invoice status" || words.Name == "Inbound invoice manifestation.status":
				s.SeedInbound(s.OwnerCompanyID(), nestedValue(strings.TrimPrefix(field, "invoice "), word))
			case of == "Disablement":
				numbers := object{"identifier": fmt.Sprint("ID", i), "initialNumber": 10 * i, "finalNumber": 10*i + 9}
				s.Seed(sandbox.KindDisablements, with(held["disablement"], with(numbers, object{"status": word})))
			}
		}
	}
	s.SetSyncStatus(s.OwnerCompanyID(), held["sync"])
	received = map[string]string{}
	for _, model := range inbound.InboundModels {
		received[model] = s.SeedInbound(s.OwnerCompanyID(), held[model])
	}
	return received
}

func nestedValue(path, value string) map[string]any {
	if parent, name, nested := strings.Cut(path, "."); nested {
		return map[string]any{parent: map[string]any{name: value}}
	}
	return map[string]any{path: value}
}
