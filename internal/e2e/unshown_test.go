package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestUnshown_aCreationThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{Without: []string{"POST /v1/products"}})
	_, said := acctest.Serve(t, s, nil).Object("einvoice_product").Create(map[string]any{"name": "Pão", "code": "P-1", "price": 1.5})
	if failed := acctest.ErrorsIn(said); !strings.Contains(failed, "`create_product`") {
		t.Errorf("it says %q", failed)
	}
}

// A service that shows neither single objects nor their list leaves the state as it was
// applied, with one warning a run. An import of such an object is an error.
func TestUnshown_objectsStayInState(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		arguments map[string]any
		without   []string
	}{
		"einvoice_webhook": {map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/in"}, []string{"GET /v1/webhooks", "GET /v1/webhooks/{id}"}},
		"einvoice_product": {map[string]any{"name": "Pão", "code": "P-1", "price": 1.5}, []string{"GET /v1/products", "GET /v1/products/{id}"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{Without: test.without})
			p := acctest.Serve(t, s, nil)
			first, second := p.Object(kind), p.Object(kind)
			for _, object := range []*acctest.Object{first, second} {
				if _, said := object.Create(test.arguments); acctest.ErrorsIn(said) != "" {
					t.Fatal(acctest.ErrorsIn(said))
				}
				test.arguments["code"], test.arguments["name"] = "P-2", "Bolo"
				if kind == "einvoice_webhook" {
					test.arguments = map[string]any{"event": "invoice.rejected", "url": "https://hooks.example/in"}
				}
			}
			warnings := 0
			for _, object := range []*acctest.Object{first, second} {
				said := object.Refresh()
				if failed := acctest.ErrorsIn(said); failed != "" || object.State() == nil {
					t.Errorf("a refresh says %q", failed)
				}
				warnings += len(said)
			}
			if warnings != 1 {
				t.Errorf("%d warnings, want 1", warnings)
			}
			if failed := acctest.ErrorsIn(p.Object(kind).Import("11111111-2222-3333-4444-555555555555")); failed == "" {
				t.Error("an import of what is not shown succeeds")
			}
		})
	}
}
