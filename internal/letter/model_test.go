package letter

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// sending is one letter in a world.
type sending struct {
	*oncetest.World

	state   string           // the event that a state holds; "" for none
	events  int              // at the service
	allowed int              // how many there may be
	failed  diag.Diagnostics // of the last run
}

func (w *sending) Serve(_ *oncetest.Run, r *http.Request, _ []byte) (int, string) {
	if r.Method == http.MethodGet {
		return 200, `{"id":"7c9e6679","status":"authorized","model":"productInvoice"}`
	}
	w.events++
	return 200, fmt.Sprintf(`{"eventId":"event-%d"}`, w.events)
}

func (w *sending) Run(r *oncetest.Run, act string) {
	client, once := r.Begin(&w.Store)
	c := &correction{client: client, once: once, invoiceID: "7c9e6679", letter: fixture.TestLetter}
	if act == "look" || r.Beside && r.Number%2 == 0 {
		w.look(c)
	}
	switch act {
	case "look":
	case "forget":
		w.state = ""
	case "destroy":
		if w.state != "" {
			c.release(r.Context, journal.Record{Phase: journal.Settled, Result: w.state})
			w.state = ""
		}
	default:
		done, failed := c.perform(r.Context)
		if r.Saves() && done != nil {
			w.state = done.id
		}
		w.failed = failed.Errors()
	}
}

// look is what a person does who is told that the letter is in doubt: the record is
// removed where no letter came of it.
func (w *sending) look(c *correction) {
	<-time.After(time.Minute)
	record, version, err := w.Store.Load(context.Background(), c.key())
	if err == nil && record.Phase == journal.Sending && w.events < w.allowed {
		_, err = w.Store.Swap(context.Background(), c.key(), version, journal.Record{})
	}
	if err != nil {
		w.T.Error(err)
	}
}

func (w *sending) Wrong() error {
	if w.events > w.allowed {
		return fmt.Errorf("%d events, and %d may be", w.events, w.allowed)
	}
	return nil
}

func (w *sending) Settle() error {
	w.World.Run(oncetest.Fate{}, "look")
	w.World.Run(oncetest.Fate{}, "apply")
	switch {
	case len(w.failed) == 0 && w.events == 0,
		len(w.failed) != 0 && (!strings.HasPrefix(w.failed[0].Summary(), unanswered) || w.events < w.allowed):
		return fmt.Errorf("%d events of %d at the end: %v", w.events, w.allowed, w.failed)
	}
	return nil
}

// The same letter is sent again only after a person has seen that there is none.
func TestModel_noLetterIsSentTwice(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"apply", "apply", "apply", "forget", "destroy", "look"}, func(*rapid.T) func(*oncetest.World) oncetest.Model {
		return func(w *oncetest.World) oncetest.Model { return &sending{World: w, allowed: 1} }
	})
}
