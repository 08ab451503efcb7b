package letter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// correctionAt prepares a letter for an invoice.
func correctionAt(t *testing.T, s *sandbox.Server, dir, invoiceID string) *correction {
	t.Helper()
	return &correction{client: fixture.OwnerClient(t, s), once: onceIn(dir), invoiceID: invoiceID, letter: fixture.TestLetter}
}

// onceIn never waits.
func onceIn(dir string) *once.Journal {
	return &once.Journal{Store: journal.OpenFiles(dir), Clock: poll.RealTime}
}

func mustCorrect(t *testing.T, c *correction) *sentLetter {
	t.Helper()
	done, failed := c.perform(t.Context())
	if failed != nil {
		t.Fatalf("the letter was not sent: %v", failed)
	}
	return done
}

func mustNotCorrect(t *testing.T, c *correction, want problemKind) *problem {
	t.Helper()
	done, failed := c.perform(t.Context())
	if failed == nil || failed.kind != want || failed.invoiceID != c.invoiceID {
		t.Fatalf("got %+v and the problem %v, want %q", done, failed, want)
	}
	return failed
}

func TestCorrection_sendsOnce(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
	first := mustCorrect(t, correctionAt(t, s, dir, id))
	if warnings := first.warnings(message.Applying, "7c9e6679"); len(warnings) != 0 {
		t.Errorf("got %v", warnings)
	}
	sent := s.Corrections(id)[0]
	if diff := cmp.Diff(map[string]any{"eventId": first.eventID, "letter": fixture.TestLetter}, map[string]any{"eventId": sent["eventId"], "letter": sent["letter"]}); diff != "" {
		t.Error(diff)
	}
	if age := time.Since(first.sentAt); age < 0 || age > time.Minute {
		t.Errorf("sent at %s", first.sentAt)
	}
	// The run may have ended before its state was written.
	again := mustCorrect(t, correctionAt(t, s, dir, id))
	want := *first
	want.takenOver = true
	if diff := cmp.Diff(&want, again, cmp.AllowUnexported(sentLetter{})); diff != "" {
		t.Error(diff)
	}
	fixture.WantLetters(t, s, id, 1, 1)
}

// removeFromState is a destroy of a letter by a run.
func removeFromState(t *testing.T, c *correction, run, id string) {
	t.Helper()
	c.once.Run = run
	c.release(t.Context(), journal.Record{Phase: journal.Settled, Result: id})
}

// A letter that is created again is sent again only where another one has followed.
func TestCorrection_adoptsTheLetterThatStillCounts(t *testing.T) {
	t.Parallel()
	another := func(t *testing.T, s *sandbox.Server, dir, id string) *correction {
		t.Helper()
		c := correctionAt(t, s, dir, id)
		c.letter += " Peso bruto de 1,5 kg."
		return c
	}
	for name, test := range map[string]struct {
		before func(t *testing.T, s *sandbox.Server, dir, id, event string)
		events int
	}{
		"out of the state, not destroyed": {func(*testing.T, *sandbox.Server, string, string, string) {}, 1},
		"destroyed by the run that creates it": {func(t *testing.T, s *sandbox.Server, dir, id, event string) {
			t.Helper()
			mustCorrect(t, another(t, s, dir, id))
			removeFromState(t, correctionAt(t, s, dir, id), "run-2", event)
		}, 2},
		"destroyed earlier": {func(t *testing.T, s *sandbox.Server, dir, id, event string) {
			t.Helper()
			removeFromState(t, correctionAt(t, s, dir, id), "run-1", event)
		}, 1},
		"destroyed earlier, another letter refused": {func(t *testing.T, s *sandbox.Server, dir, id, event string) {
			t.Helper()
			removeFromState(t, correctionAt(t, s, dir, id), "run-1", event)
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.CorrectionsPath, Status: 400, Message: "no"})
			mustNotCorrect(t, another(t, s, dir, id), refused)
		}, 1},
		"destroyed earlier, another letter sent": {func(t *testing.T, s *sandbox.Server, dir, id, event string) {
			t.Helper()
			removeFromState(t, correctionAt(t, s, dir, id), "run-1", event)
			mustCorrect(t, another(t, s, dir, id))
		}, 3},
		"of another state": {func(t *testing.T, s *sandbox.Server, dir, id, _ string) {
			t.Helper()
			mustCorrect(t, another(t, s, dir, id))
			removeFromState(t, correctionAt(t, s, dir, id), "run-1", "another event")
		}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
			first := mustCorrect(t, correctionAt(t, s, dir, id))
			test.before(t, s, dir, id, first.id)
			for range 2 {
				c := correctionAt(t, s, dir, id)
				c.once.Run = "run-2"
				again := mustCorrect(t, c)
				switch {
				case again.repeated && (again.beforeEvent != first.eventID || test.events < 3):
					t.Errorf("got %+v, want it to name %s", again, first.eventID)
				case test.events < 3 && (!again.takenOver || again.id != first.id || c.holder == ""):
					t.Errorf("got %+v, want the first letter, %s, and its company", again, first.id)
				}
			}
			if events := len(s.Corrections(id)); events != test.events {
				t.Errorf("%d events, want %d", events, test.events)
			}
		})
	}
}

// A runner that keeps nothing knows a letter from its state alone.
func TestCorrection_isReplacedWithoutARecord(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
	removeFromState(t, correctionAt(t, s, dir, id), "run-1", "e1")
	c := correctionAt(t, s, dir, id)
	c.once.Run = "run-1"
	if adopted := mustCorrect(t, c); !adopted.takenOver || adopted.id != "e1" {
		t.Errorf("got %+v", adopted)
	}
	fixture.WantLetters(t, s, id, 0, 0)
}

func TestCorrection_makesUpNoEvent(t *testing.T) {
	t.Parallel()
	for body, event := range map[string]string{
		`{"letter":"x","eventId":null}`: "", `""`: "", `{"letter":"x","eventId":"e1"}`: "e1", `{"letter":"x","eventId":7}`: "7",
	} {
		s := sandbox.Start(t, sandbox.Options{})
		dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
		s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "POST", Path: fixture.CorrectionsPath, Body: body})
		done := mustCorrect(t, correctionAt(t, s, dir, id))
		if done.eventID != event || event != "" && done.id != event || event == "" && len(done.id) != 36 {
			t.Errorf("%s: the event is %q, and the id %q", body, done.eventID, done.id)
		}
		taken := mustCorrect(t, correctionAt(t, s, dir, id)) // By a run that finds no state.
		if !taken.takenOver || taken.eventID != done.eventID || taken.id != done.id {
			t.Errorf("%s: got %+v, want %+v", body, taken, done)
		}
	}
}

func TestCorrection_neverRepeatsALetterWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	// In other ways an answer is lost in the fault matrix.
	for _, test := range []struct {
		name   string
		fault  sandbox.FaultKind
		events int
	}{
		{"dropped after it was processed", sandbox.FaultDropAfter, 1},
		{"dropped before it was processed", sandbox.FaultDropBefore, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
			s.Inject(sandbox.Fault{Kind: test.fault, Method: "POST", Path: fixture.CorrectionsPath})
			lost := mustNotCorrect(t, correctionAt(t, s, dir, id), answerLost)
			fixture.WantLetters(t, s, id, test.events, 1)

			// Every further creation is refused, without any request, until the file is gone.
			files, err := filepath.Glob(filepath.Join(dir, "once", "correction-*"))
			if err != nil || len(files) != 1 {
				t.Fatal(err, files)
			}
			entry := files[0]
			if lost.entry != entry || !errors.Is(lost.cause, einvoice.ErrAmbiguous) {
				t.Fatalf("got %+v, want it to name %q and the cause", lost, entry)
			}
			s.ResetRequests()
			for range 2 {
				if again := mustNotCorrect(t, correctionAt(t, s, dir, id), unanswered); again.entry != entry || again.begun.IsZero() {
					t.Errorf("got %+v, want it to name %q and the time", again, entry)
				}
			}
			if n := len(s.Requests()); n != 0 {
				t.Errorf("%d requests while the letter is in doubt, want none", n)
			}

			// Another letter, or another invoice, is not in doubt.
			other := correctionAt(t, s, dir, id)
			other.letter += " Peso bruto de 1,5 kg."
			mustCorrect(t, other)
			mustCorrect(t, correctionAt(t, s, dir, fixture.AuthorizedNFe(s)))

			if err := os.Remove(entry); err != nil {
				t.Fatal(err)
			}
			mustCorrect(t, correctionAt(t, s, dir, id))
			if n := len(s.Corrections(id)); n != test.events+2 {
				t.Errorf("%d events, want %d", n, test.events+2)
			}
		})
	}
}

// What may have been sent stays in doubt, whatever passes before somebody asks again.
func TestCorrection_theDoubtLasts(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]func(t *testing.T, s *sandbox.Server, dir string, c *correction){
		"forty days": func(t *testing.T, _ *sandbox.Server, dir string, _ *correction) {
			t.Helper()
			files, err := filepath.Glob(filepath.Join(dir, "once", "correction-*"))
			long := time.Now().Add(-40 * 24 * time.Hour)
			if err != nil || len(files) != 1 || os.Chtimes(files[0], long, long) != nil {
				t.Fatal(err, files)
			}
		},
		"another key": func(t *testing.T, s *sandbox.Server, _ string, c *correction) {
			t.Helper()
			c.client = fixture.ClientOf(t, s.BaseURL(), s.RegenerateKey(s.OwnerCompanyID()))
		},
		"another spelling of base_url": func(t *testing.T, s *sandbox.Server, _ string, c *correction) {
			t.Helper()
			c.client = fixture.ClientOf(t, s.BaseURL()+"/", s.OwnerKey())
		},
		"another spelling of the invoice's id": func(_ *testing.T, _ *sandbox.Server, _ string, c *correction) {
			c.invoiceID = strings.ToUpper(c.invoiceID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
			s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: fixture.CorrectionsPath})
			mustNotCorrect(t, correctionAt(t, s, dir, id), answerLost)
			again := correctionAt(t, s, dir, id)
			pass(t, s, dir, again)
			mustNotCorrect(t, again, unanswered)
			fixture.WantLetters(t, s, id, 1, 1)
		})
	}
}

func TestCorrection_refusesWhatAnOlderVersionDidNotFinish(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		entry string
		begun time.Time
		sent  int
	}{
		"never answered":     {entry: `{"begun":"2026-11-20T12:00:00Z","note":"x"}`, begun: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)},
		"held by no state":   {entry: `{"id":"e1","note":"2026-11-20T12:00:00Z"}`},
		"damaged":            {entry: `{`},
		"held by some state": {entry: `{"id":"e1"}`, sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
			c := correctionAt(t, s, dir, id)
			former := filepath.Join(dir, "journal", strings.TrimSuffix(filepath.Base(c.once.Store.Where(c.key())), ".json"))
			if err := errors.Join(os.Mkdir(filepath.Dir(former), 0o700), os.WriteFile(former, []byte(test.entry), 0o600)); err != nil {
				t.Fatal(err)
			}
			if test.sent > 0 {
				mustCorrect(t, c)
			} else if problem := mustNotCorrect(t, c, unanswered); problem.entry != former || !problem.begun.Equal(test.begun) {
				t.Errorf("got %+v, want it to name %s and %s", problem, former, test.begun)
			}
			fixture.WantLetters(t, s, id, test.sent, test.sent)
		})
	}
}

func TestCorrection_aRefusalLeavesNoDoubt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"a refusal":      {Kind: sandbox.FaultStatus, Status: 400, Message: "the authority does not take it"},
		"success: false": {Kind: sandbox.FaultBody, Status: 200, Body: `{"success":false,"message":"the authority does not take it"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			dir, id := t.TempDir(), fixture.AuthorizedNFe(s)
			fault.Method, fault.Path = "POST", fixture.CorrectionsPath
			s.Inject(fault)
			refusal := mustNotCorrect(t, correctionAt(t, s, dir, id), refused).diagnostics(t.Context(), message.Applying, nil)
			fixture.WantTexts(t, refusal, "Cannot send correction letter", "the authority does not take it")
			first := mustCorrect(t, correctionAt(t, s, dir, id))
			if first.takenOver || first.repeated {
				t.Errorf("got %+v", first)
			}
			// What was sent before a refusal is not forgotten over it.
			removeFromState(t, correctionAt(t, s, dir, id), "run-1", first.id)
			other := correctionAt(t, s, dir, id)
			other.letter += " Peso bruto de 1,5 kg."
			mustCorrect(t, other)
			s.Inject(fault)
			mustNotCorrect(t, correctionAt(t, s, dir, id), refused)
			again := correctionAt(t, s, dir, id)
			again.once.Run = "run-2"
			if second := mustCorrect(t, again); second.beforeEvent != first.eventID {
				t.Errorf("got %+v, want it to name %s", second, first.eventID)
			}
		})
	}
}

func TestCorrection_sendsOnlyForAnAuthorizedNFe(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for _, status := range []string{"created", "enqueued", "received", "inContingent", "rejected", "canceled", "denied", "removed", "disabled", "someNewStatus"} {
		id := s.Seed(sandbox.KindProductInvoices, map[string]any{"status": status, "integrationId": "sale-" + status, "number": 7})
		if problem := mustNotCorrect(t, correctionAt(t, s, t.TempDir(), id), notAuthorized); string(problem.invoice.Status) != status {
			t.Errorf("%s: got %+v", status, problem)
		}
	}
	other := s.Seed(sandbox.KindServiceInvoices, map[string]any{"status": "authorized"})
	for _, id := range []string{other, "7c9e6679-7425-40de-944b-e07fc1f90ae7"} {
		mustNotCorrect(t, correctionAt(t, s, t.TempDir(), id), notAnNFe)
	}
	odd := fixture.AuthorizedNFe(s)
	s.Inject(sandbox.Fault{Kind: sandbox.FaultBody, Method: "GET", Path: "/v1/product-invoices/{id}", Body: `{"id":"` + odd + `","status":"authorized","model":"consumerInvoice"}`})
	mustNotCorrect(t, correctionAt(t, s, t.TempDir(), odd), notAnNFe)
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/product-invoices/{id}", Status: 403, Message: "no access"})
	if problem := mustNotCorrect(t, correctionAt(t, s, t.TempDir(), odd), invoiceUnreadable); !errors.Is(problem.cause, einvoice.ErrForbidden) {
		t.Errorf("got %v", problem)
	}
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes, want none", n)
	}
}

func TestCorrection_sendsNothingThatItCouldNotRemember(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := fixture.AuthorizedNFe(s)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file} {
		for range 2 { // Nothing was sent, so that nothing is in doubt.
			mustNotCorrect(t, correctionAt(t, s, dir, id), unwritable)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if done, failed := correctionAt(t, s, t.TempDir(), id).perform(canceled); failed == nil {
		t.Errorf("an interrupted run must fail, and ends with %+v", done)
	}
	fixture.WantLetters(t, s, id, 0, 0)
}
