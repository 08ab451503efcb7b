package engine

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The settings said one thing, and the service has issued in another environment: that is
// an error that names the invoice.
func TestIssuing_refusesAnAnswerOfAnotherEnvironment(t *testing.T) {
	t.Parallel()
	for answered, refused := range map[string]bool{"development": true, "simulation": false} {
		t.Run(answered, func(t *testing.T) {
			t.Parallel()
			s, clock := fixture.OnManualClock(t, sandbox.Options{})
			s.SetSettings(s.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": answered}})
			i := &Issuing{
				Service: Service{
					Client: fixture.OwnerClient(t, s), Store: &journal.Memory{}, Clock: clock, Patience: 20 * time.Second,
					Environments: Environments{
						Allows: func(environment string) bool { return environment == "simulation" },
						Of:     func(context.Context, string) (string, error) { return "simulation", nil },
					},
				},
				Want: Want{Issue: true}, Model: einvoice.ModelService, IntegrationID: "sale-1",
				Payload: json.RawMessage(`{"description":"Consulting","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`),
			}
			v, err := i.Create(t.Context())
			var p *Problem
			if isRefused := errors.As(err, &p) && p.Kind == OtherEnvironment && p.Name == answered && p.Invoice != nil; isRefused != refused || v == nil {
				t.Errorf("Create = %v, %v", v, err)
			}
		})
	}
}
