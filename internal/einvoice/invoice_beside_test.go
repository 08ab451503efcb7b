package einvoice

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// A list that is read shows the second invoice for nothing. Without one, the first invoice
// of a run that was issued recently costs one request.
func TestBeside_namesTheSecondValidInvoice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status   string // of the second one
		refresh  int    // invoices, so that the list is read where they are many
		old      bool
		found    int
		requests int
	}{
		"a valid one, in the list":       {status: StatusAuthorized, refresh: 20, found: 1},
		"one in progress, in the list":   {status: StatusEnqueued, refresh: 20, found: 1},
		"a canceled one, in the list":    {status: StatusCanceled, refresh: 20},
		"a draft, in the list":           {status: StatusCreated, refresh: 20},
		"a valid one, and no list":       {status: StatusAuthorized, refresh: 1, found: 1, requests: 1},
		"a valid one of before, no list": {status: StatusAuthorized, refresh: 1, old: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, list := issued(t, sandbox.Options{}, 30)
			s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "sale-0-0", "status": tt.status})
			c := mustClient(t, Config{BaseURL: s.BaseURL(), APIKey: s.OwnerKey()})
			refreshed(t, s, c, list[1:1+tt.refresh], 1)
			s.ResetRequests()
			v := list[0]
			v.IntegrationID, v.IssuedOn = "sale-0-0", Text(time.Now().Format(time.RFC3339))
			if tt.old {
				v.IssuedOn = Text(time.Now().AddDate(0, 0, -2).Format(time.RFC3339))
			}
			for n := range 2 {
				beside := c.Beside(t.Context(), ModelService, v)
				if found := len(beside); found != tt.found && (n == 0 || tt.requests == 0) {
					t.Errorf("%d lie beside it, want %d", found, tt.found)
				}
			}
			if n := len(s.Requests()); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
}
