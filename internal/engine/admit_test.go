package engine

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
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

// No settings are written between the look at the environment and the answer to what was sent: a write may change the
// environments of models that it does not send.
func TestIssuing_keepsSettingsFromBeingWrittenWhileItSends(t *testing.T) {
	t.Parallel()
	for name, issue := range map[string]func(b *bench){
		"an invoice": succeeding,
		"a draft":    inTurn(drafted, func(b *bench) { b.Issue = true }, succeeding),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, sandbox.Options{})
			var held, checked, unheld atomic.Int64
			b.Environments = Environments{
				Allows: func(string) bool { checked.Add(1); return true },
				Of:     func(context.Context, string) (string, error) { unheld.Add(1 - held.Load()); return "simulation", nil },
				Hold:   func() func() { held.Add(1); return func() { held.Add(-1) } },
			}
			b.service.OnRequest(func(r sandbox.Request) {
				if r.Method == "POST" && !strings.HasSuffix(r.Path, "/check-status") {
					unheld.Add(1 - held.Load())
				}
			})
			if issue(b); checked.Load() == 0 || unheld.Load() != 0 || held.Load() != 0 {
				t.Errorf("checked %d times, %d times without holding, held %d times at the end",
					checked.Load(), unheld.Load(), held.Load())
			}
		})
	}
}

// A person who imports what a run has left in doubt settles its record, but not while the run may be alive.
func TestIssuing_takesAnImportedInvoiceForTheLostOne(t *testing.T) {
	t.Parallel()
	b := newBench(t, sandbox.Options{})
	b.write(journal.Record{Phase: journal.Sending}.Noted(saleNote{Digest: "hash"}))
	b.Take(t.Context(), "i-1")
	if got := b.known(); got.Phase != journal.Sending {
		t.Errorf("a young record is %+v", got)
	}
	must(t, b.Clock.Pause(t.Context(), b.Patience))
	b.Take(t.Context(), "i-1")
	if got := b.known(); got.Phase != journal.Settled || got.Result != "i-1" || journal.NoteOf[saleNote](got).Digest != "" {
		t.Errorf("an old record is %+v", got)
	}
}
