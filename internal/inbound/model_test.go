package inbound

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// declaring is one declaration in a world.
type declaring struct {
	*oncetest.World

	lag        time.Duration // how long the invoice is shown as it was
	declaredAt []time.Time
	failed     diag.Diagnostics // of the last run
	isMisled   bool             // a run has sent it, and speaks of a read alone
}

func (w *declaring) Serve(_ *oncetest.Run, r *http.Request, _ []byte) (int, string) {
	if r.Method != http.MethodGet {
		w.declaredAt = append(w.declaredAt, time.Now())
		return 200, ""
	}
	status := "none"
	if len(w.declaredAt) > 0 && !time.Now().Before(w.declaredAt[0].Add(w.lag)) {
		status = einvoice.ManifestConfirmed
	}
	return 200, fmt.Sprintf(`{"id":"7c9e6679","manifestation":{"status":%q}}`, status)
}

func (w *declaring) Run(r *oncetest.Run, _ string) {
	client, once := r.Begin(&w.Store)
	d := &declaration{
		client: client, once: once, id: "7c9e6679", status: einvoice.ManifestConfirmed, say: func(text.Text) {},
		admit: func(context.Context) error { return nil },
	}
	w.failed = d.perform(r.Context)
	w.isMisled = w.isMisled || d.lost != nil && w.failed.HasError() && strings.HasPrefix(w.failed[0].Summary(), "Cannot read")
}

func (w *declaring) Wrong() error {
	if len(w.declaredAt) > 1 {
		return fmt.Errorf("declared %d times", len(w.declaredAt))
	}
	if w.isMisled {
		return fmt.Errorf("the run that has sent it says: %v", w.failed)
	}
	return nil
}

func (w *declaring) Settle() error {
	if w.World.Run(oncetest.Fate{}, "apply"); w.failed.HasError() || len(w.declaredAt) == 0 {
		return fmt.Errorf("declared %d times at the end: %v", len(w.declaredAt), w.failed)
	}
	return nil
}

func TestModel_declaresOnce(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"apply"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		lag := oncetest.Seconds(0, 0, 3, 5).Draw(t, "lag")
		return func(w *oncetest.World) oncetest.Model { return &declaring{World: w, lag: lag} }
	})
}
