package engine

import (
	"context"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The settings said one thing, and the service has issued in another environment: that is an error that names the
// invoice.
func TestIssuing_refusesAnAnswerOfAnotherEnvironment(t *testing.T) {
	t.Parallel()
	for answered, kind := range map[string]Kind{"development": OtherEnvironment, "simulation": ""} {
		t.Run(answered, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{})
			b.service.SetSettings(b.service.OwnerCompanyID(), map[string]any{"serviceInvoice": map[string]any{"environmentType": answered}})
			b.Environments = Environments{
				Allows: func(environment string) bool { return environment == "simulation" },
				Of:     func(context.Context, string) (string, error) { return "simulation", nil },
			}
			v, err := b.Create(t.Context())
			problems := problemsOf(err)
			if kindOf(err) != kind || v == nil || kind != "" && (problems[0].Name != answered || problems[0].Invoice == nil) {
				t.Errorf("Create = %v, %v", v, err)
			}
		})
	}
}
