package letter

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once/oncetest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// desk is where letters about one NF-e are sent from: a machine, and the service.
type desk struct {
	*sandbox.Server

	t       *testing.T
	dir, id string // of the journal and of the NF-e
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	return &desk{s, t, t.TempDir(), fixture.AuthorizedNFe(s)}
}

// letter is one that is to be sent, by a run that never waits.
func (d *desk) letter(changes ...func(*correction)) *correction {
	d.t.Helper()
	c := &correction{
		client: fixture.OwnerClient(d.t, d.Server), once: &once.Journal{Store: journal.OpenFiles(d.dir), Clock: poll.RealTime},
		invoiceID: d.id, letter: fixture.TestLetter,
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func another(c *correction) { c.letter += " Peso bruto de 1,5 kg." }

func of(id string) func(*correction) { return func(c *correction) { c.invoiceID = id } }

func in(run string) func(*correction) { return func(c *correction) { c.once.Run = run } }

// destroy takes the letter out of a state in which it is this event.
func (d *desk) destroy(run, event string) {
	d.t.Helper()
	d.letter(in(run)).release(d.t.Context(), journal.Record{Phase: journal.Settled, Result: event})
}

// meets lets the next letter meet a fault.
func (d *desk) meets(fault sandbox.Fault) {
	fault.Method, fault.Path = "POST", fixture.CorrectionsPath
	d.Inject(fault)
}

func mustCorrect(t *testing.T, c *correction) *sentLetter {
	t.Helper()
	done, said := c.perform(t.Context())
	if said.HasError() {
		t.Fatalf("the letter was not sent: %v", said)
	}
	return done
}

// mustNotCorrect wants nothing to be sent, and texts that say why.
func mustNotCorrect(t *testing.T, c *correction, want ...string) {
	t.Helper()
	done, failed := c.perform(t.Context())
	if done != nil || !failed.HasError() {
		t.Fatalf("got %+v and %v, want %q", done, failed, want)
	}
	fixture.WantTexts(t, failed, want...)
}

const (
	unanswered = "Correction letter may have been sent already"
	answerLost = "Response to a correction letter lost"
	refused    = "Cannot send correction letter"
	unrecorded = "Journal cannot be used"
)

func TestCorrection_sendsOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, said := d.letter().perform(t.Context())
	expect.Is(t, len(said), 0, "%v", said)
	sent := d.Corrections(d.id)[0]
	expect.Same(t, []any{first.eventID, fixture.TestLetter}, []any{sent["eventId"], sent["letter"]}, "what was sent")
	if age := time.Since(first.sentAt); age < 0 || age > time.Minute {
		t.Errorf("sent at %s", first.sentAt)
	}
	want := *first
	want.takenOver = true // The run may have ended before its state was written.
	if diff := cmp.Diff(&want, mustCorrect(t, d.letter()), cmp.AllowUnexported(sentLetter{})); diff != "" {
		t.Error(diff)
	}
	fixture.WantLetters(t, d.Server, d.id, 1, 1)
}

// A letter that is created again is sent again only where another one has followed.
func TestCorrection_adoptsTheLetterThatStillCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(d *desk, event string)
		events int
	}{
		"out of the state, not destroyed": {func(*desk, string) {}, 1},
		"destroyed by the run that creates it": {func(d *desk, event string) {
			mustCorrect(d.t, d.letter(another))
			d.destroy("run-2", event)
		}, 2},
		"destroyed earlier": {func(d *desk, event string) { d.destroy("run-1", event) }, 1},
		"destroyed earlier, another letter refused": {func(d *desk, event string) {
			d.destroy("run-1", event)
			d.meets(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, Message: "no"})
			mustNotCorrect(d.t, d.letter(another), refused)
		}, 1},
		"destroyed earlier, another letter sent": {func(d *desk, event string) {
			d.destroy("run-1", event)
			mustCorrect(d.t, d.letter(another))
		}, 3},
		"of another state": {func(d *desk, _ string) {
			mustCorrect(d.t, d.letter(another))
			d.destroy("run-1", "another event")
		}, 2},
	} {
		rows.Case(t, name, func(t *testing.T) {
			d := newDesk(t)
			first := mustCorrect(t, d.letter())
			test.before(d, first.id)
			for range 2 {
				c := d.letter(in("run-2"))
				again := mustCorrect(t, c)
				if test.events < 3 && (!again.takenOver || again.id != first.id || c.issuedBy == "") {
					t.Errorf("got %+v, want the first letter, %s, and its company", again, first.id)
				}
			}
			if events := len(d.Corrections(d.id)); events != test.events {
				t.Errorf("%d events, want %d", events, test.events)
			}
		})
	}
}

// A runner that keeps nothing knows a letter from its state alone.
func TestCorrection_isReplacedWithoutARecord(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.destroy("run-1", "e1")
	if adopted := mustCorrect(t, d.letter(in("run-1"))); !adopted.takenOver || adopted.id != "e1" {
		t.Errorf("got %+v", adopted)
	}
	fixture.WantLetters(t, d.Server, d.id, 0, 0)
}

func TestCorrection_makesUpNoEvent(t *testing.T) {
	t.Parallel()
	for body, event := range map[string]string{
		`{"letter":"x","eventId":null}`: "", `""`: "", `{"letter":"x","eventId":"e1"}`: "e1", `{"letter":"x","eventId":7}`: "7",
	} {
		d := newDesk(t)
		d.meets(sandbox.Fault{Kind: sandbox.FaultBody, Body: body})
		done := mustCorrect(t, d.letter())
		if done.eventID != event || event != "" && done.id != event || event == "" && len(done.id) != 36 {
			t.Errorf("%s: the event is %q, and the id %q", body, done.eventID, done.id)
		}
		taken := mustCorrect(t, d.letter()) // By a run that finds no state.
		if !taken.takenOver || taken.eventID != done.eventID || taken.id != done.id {
			t.Errorf("%s: got %+v, want %+v", body, taken, done)
		}
	}
}

// What may have been sent stays in doubt, whatever passes before somebody asks again.
// What a person does about that is in the fault matrix.
func TestCorrection_theDoubtLasts(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]func(d *desk, c *correction, entry string){
		"no time": func(*desk, *correction, string) {},
		"forty days": func(d *desk, _ *correction, entry string) {
			long := time.Now().Add(-40 * 24 * time.Hour)
			expect.NoError(d.t, os.Chtimes(entry, long, long))
		},
		"another key": func(d *desk, c *correction, _ string) {
			c.client = fixture.ClientOf(d.t, d.BaseURL(), d.RegenerateKey(d.OwnerCompanyID()))
		},
		"another spelling of base_url": func(d *desk, c *correction, _ string) {
			c.client = fixture.ClientOf(d.t, d.BaseURL()+"/", d.OwnerKey())
		},
		"another spelling of the invoice's id": func(_ *desk, c *correction, _ string) {
			c.invoiceID = strings.ToUpper(c.invoiceID)
		},
	} {
		rows.Case(t, name, func(t *testing.T) {
			d := newDesk(t)
			d.meets(sandbox.Fault{Kind: sandbox.FaultDropAfter})
			again := d.letter()
			entry := again.once.Store.Where(again.key())
			mustNotCorrect(t, d.letter(), answerLost, entry)
			pass(d, again, entry)
			d.ResetRequests()
			mustNotCorrect(t, again, unanswered, entry, "began at "+time.Now().UTC().Format("2006-01-02T"))
			expect.Is(t, len(d.Requests()), 0, "requests while the letter is in doubt")
			// Another letter, or another invoice, is not in doubt.
			mustCorrect(t, d.letter(another))
			mustCorrect(t, d.letter(of(fixture.AuthorizedNFe(d.Server))))
		})
	}
}

func TestCorrection_aRefusalLeavesNoDoubt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"a refusal":      {Kind: sandbox.FaultStatus, Status: 400, Message: "the authority does not take it"},
		"success: false": {Kind: sandbox.FaultBody, Status: 200, Body: `{"success":false,"message":"the authority does not take it"}`},
	} {
		rows.Case(t, name, func(t *testing.T) {
			d := newDesk(t)
			d.meets(fault)
			mustNotCorrect(t, d.letter(), refused, "the authority does not take it")
			first := mustCorrect(t, d.letter())
			if first.takenOver {
				t.Errorf("got %+v", first)
			}
			// What was sent before a refusal is not forgotten over it.
			d.destroy("run-1", first.id)
			mustCorrect(t, d.letter(another))
			d.meets(fault)
			mustNotCorrect(t, d.letter(), refused)
			if second := mustCorrect(t, d.letter(in("run-2"))); second.takenOver {
				t.Errorf("got %+v, want another letter", second)
			}
		})
	}
}

func TestCorrection_sendsNothingThatItCouldNotRemember(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	usable, file := d.dir, filepath.Join(t.TempDir(), "file")
	expect.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, d.dir = range []string{"", file} {
		for range 2 { // Nothing was sent, so that nothing is in doubt.
			mustNotCorrect(t, d.letter(), unrecorded)
		}
	}
	d.dir = usable
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if done, failed := d.letter().perform(canceled); failed == nil {
		t.Errorf("an interrupted run must fail, and ends with %+v", done)
	}
	fixture.WantLetters(t, d.Server, d.id, 0, 0)
}

func TestStatus_tellsWhetherALetterHasToWait(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		said := (&correction{}).notAuthorized(t.Context(), &einvoice.Invoice{Status: einvoice.Enum(status)})
		text := said[0].Detail()
		expect.Is(t, strings.Contains(text, "after the authorization"), want.Says("awaited"), "awaited: %s", text)
		expect.Is(t, strings.Contains(text, "payload of the invoice"), want.Says("rejected"), "rejected: %s", text)
	})
}

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
