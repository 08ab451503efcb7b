package invoice

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
)

// A plan has words for each prospect that a look returns: one step with an invoice, none without.
func TestForetell_everyProspect(t *testing.T) {
	t.Parallel()
	type prospect = engine.Prospect[einvoice.Invoice]
	says := map[string]prospect{
		"": {}, "may exist: apply looks for it first": {InDoubt: true},
	}
	for step, want := range map[engine.Step]string{
		engine.SendsOver: "exists as a draft: apply replaces its payload", engine.IssuesDraft: "apply issues it",
		engine.Awaits: "apply waits for it", engine.Takes: "apply adopts it",
	} {
		says[want] = prospect{Found: &einvoice.Invoice{ID: "id-1", Status: einvoice.StatusCreated}, Steps: []engine.Step{step}}
	}
	for want, found := range says {
		m := &issuanceModel{
			Model: types.StringValue(einvoice.ModelService), IntegrationID: types.StringValue("order-1"),
			PayloadJSON: attribute.JSONValue("{}"),
		}
		said := m.foretell(t.Context(), found)
		if (want == "") != (len(said) == 0) || want != "" && !strings.HasSuffix(said[0].Summary(), want) {
			t.Errorf("of %+v the plan says %v, want %q", found, said, want)
		}
	}
}
