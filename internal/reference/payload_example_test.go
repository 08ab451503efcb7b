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
)

// One city for each way in which the example finds its codes.
func TestAccPayloadExample_issuesWithTheCodesOfTheCity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, city, regime string
		environment        string
		codes              map[string]any // what comes from the example
	}{
		{
			"a city that is municipal for this regime", "4106902", "regimeNormal", "municipal",
			map[string]any{"federalServiceCode": "01.07", "taxationType": "taxationInMunicipality"},
		},
		{
			"a city that is national for this regime", "4106902", "simplesNacional", "national",
			map[string]any{"nationalTaxationCode": "010701", "nbsCode": "115022000"},
		},
		{"a city without an example", "3509502", "regimeNormal", "municipal", map[string]any{"federalServiceCode": "1.07"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.ExampleWorkspace(t, s, filepath.Join(testkit.ExamplesDir, "payload-example"))
			w.Environ = append(w.Environ, "TF_VAR_city_code="+test.city, "TF_VAR_tax_regime="+test.regime)
			w.MustApply()
			var shown struct{ Environment, Status string }
			if err := json.Unmarshal([]byte(w.MustRun("output", "-json", "invoice")), &shown); err != nil {
				t.Fatal(err)
			}
			if shown.Environment != test.environment || shown.Status != "authorized" {
				t.Errorf("the output is %+v, want %s and authorized", shown, test.environment)
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
			for name, want := range test.codes {
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
