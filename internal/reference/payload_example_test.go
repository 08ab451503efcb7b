package reference_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// One city for each way in which the example finds its codes.
func TestAccPayloadExample_issuesWithTheCodesOfTheCity(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name, City, Regime string
		Environment        string
		Codes              map[string]any // what comes from the example
	}](t, "acc_payload_example_issues_with_the_codes_of_the_city.json") {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "payload-example"))
			w.Environ = append(w.Environ, "TF_VAR_city_code="+test.City, "TF_VAR_tax_regime="+test.Regime)
			w.MustApply()
			var shown struct{ Environment, Status string }
			if err := json.Unmarshal([]byte(w.MustRun("output", "-json", "invoice")), &shown); err != nil {
				t.Fatal(err)
			}
			if shown.Environment != test.Environment || shown.Status != "authorized" {
				t.Errorf("the output is %+v, want %s and authorized", shown, test.Environment)
			}
			request, ok := s.Last("POST", fixture.ServiceInvoices)
			if !ok {
				t.Fatal("no invoice was sent")
			}
			var sent map[string]any
			if err := json.Unmarshal(request.Body, &sent); err != nil {
				t.Fatal(err)
			}
			receiver, _ := sent["receiver"].(map[string]any)
			if sent["description"] != "Suporte técnico, novembro de 2026" || receiver["federalTaxNumber"] != "11222333000181" {
				t.Errorf("the fields of the configuration were not sent: %v", sent)
			}
			if diff := cmp.Diff(map[string]any{"invoiceAmount": 320.5}, sent["total"]); diff != "" {
				t.Errorf("total (-want +got):\n%s", diff)
			}
			for name, want := range test.Codes {
				if sent[name] != want {
					t.Errorf("%s is %v, want %v of the example", name, sent[name], want)
				}
			}
			for name := range sent {
				if strings.HasPrefix(name, "rps") || name == "provider" || name == "sourceIssuedOn" {
					t.Errorf("%s of the example was sent", name)
				}
			}
		})
	}
}
