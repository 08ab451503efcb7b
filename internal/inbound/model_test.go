package inbound

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
)

// step is one run that declares, on one of several machines with one store.
type step struct {
	Before  []oncetest.Happening
	Outages []oncetest.Outage
	After   time.Duration
}

// world is all that outlives a run.
type world struct {
	t          testing.TB
	store      journal.Memory
	lag        time.Duration // how long the invoice is shown as it was
	declaredAt []time.Time
}

func (w *world) serve(method, _ string, _ []byte) (int, string) {
	if method != "GET" {
		w.declaredAt = append(w.declaredAt, time.Now())
		return 200, ""
	}
	status := "none"
	if len(w.declaredAt) > 0 && !time.Now().Before(w.declaredAt[0].Add(w.lag)) {
		status = einvoice.ManifestConfirmed
	}
	return 200, fmt.Sprintf(`{"id":"7c9e6679","manifestation":{"status":%q}}`, status)
}

func (w *world) run(s step) *problem {
	r := &oncetest.Run{Happenings: s.Before, Outages: s.Outages, Serve: w.serve, Meanwhile: func() { w.run(step{}) }}
	ctx, client, once := r.Begin(w.t, &w.store)
	m := &manifesting{
		client: client, once: once, id: "7c9e6679", status: einvoice.ManifestConfirmed, report: func(string, ...any) {},
		admit: func(context.Context) (func(), error) { return func() {}, nil },
	}
	_, failed := m.perform(ctx)
	r.End()
	return failed
}

// The model test of a declaration: whatever happens between two steps of a run, it is
// made once.
func TestModel_declaresOnce(t *testing.T) {
	t.Parallel()
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		s := step{After: rapid.SampledFrom([]time.Duration{0, 0, time.Second, 10 * time.Second, time.Minute}).Draw(t, "after")}
		s.Before, s.Outages = oncetest.Draw(t)
		return s
	}), 1, 4)
	rapid.Check(t, func(r *rapid.T) {
		lag := rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Second, 5 * time.Second}).Draw(r, "lag")
		history := steps.Draw(r, "history")
		var failed *problem
		var times int
		synctest.Test(t, func(t *testing.T) {
			w := &world{t: t, lag: lag}
			for _, s := range history {
				<-time.After(s.After)
				w.run(s)
			}
			<-time.After(time.Minute)
			failed = w.run(step{})
			times = len(w.declaredAt)
		})
		if failed != nil || times != 1 {
			r.Fatalf("declared %d times, and ended with %v\n%s %+v", times, failed, lag, history)
		}
	})
}
