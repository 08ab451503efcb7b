package invoice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestIssuance_refreshWarnsOfASecondValidInvoice(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{NoMergeByIntegrationID: true})
	o := testkit.Serve(t, s, nil).Object(kind)
	first, _ := o.Create(saleArguments("order-1", nil))
	second := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "status": "authorized", "amount": 100})
	s.ResetRequests()
	said := testkit.TextsOf(o.Refresh())
	for _, want := range []string{"A second valid invoice beside NFS-e", fmt.Sprint(first["id"]), second} {
		if !strings.Contains(said, want) {
			t.Errorf("the refresh lacks %q: %s", want, said)
		}
	}
	if n := len(s.Requests()); n > 2 {
		t.Errorf("the refresh made %d requests, want at most 2", n)
	}
}
