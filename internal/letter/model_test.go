package letter

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The model test of a letter: whatever passes between the runs, the same letter is
// sent again only after a state was seen that holds the one before, or after an
// answer that says that there is none.
func TestModel_noLetterIsSentTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := sandbox.New(sandbox.Options{})
		if err := s.Listen("127.0.0.1:0"); err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		dir := t.TempDir()
		c := correctingAt(t, s, dir, fixture.AuthorizedNFe(s))
		var last *corrected
		open := false // one was sent, or may have been, and no state is known to hold it
		for range rapid.IntRange(1, 8).Draw(r, "acts") {
			times := rapid.IntRange(1, 3).Draw(r, "in a row")
			act := rapid.SampledFrom([]string{"send", "send", "lose the answer", "lose the request", "be refused", "see the state", "forty days", "another key"}).Draw(r, "act")
			fault := sandbox.Fault{Method: "POST", Path: fixture.CorrectionsPath}
			switch act {
			case "see the state":
				if last != nil {
					c.confirm(t.Context(), last.eventID)
					open, last = false, nil
				}
				continue
			case "forty days":
				age(t, dir)
				continue
			case "another key":
				c.client = fixture.ClientOf(t, s.BaseURL(), s.RegenerateKey(s.OwnerCompanyID()))
				continue
			case "lose the answer":
				fault.Kind = sandbox.FaultDropAfter
			case "lose the request":
				fault.Kind = sandbox.FaultDropBefore
			case "be refused":
				fault.Kind, fault.Status = sandbox.FaultStatus, 400
			}
			if fault.Kind != "" && !open {
				fault.Times = times
				s.Inject(fault)
			}
			before := s.Count("POST", fixture.CorrectionsPath)
			done, problem := c.perform(t.Context())
			sent := s.Count("POST", fixture.CorrectionsPath) - before
			s.ClearFaults()
			if sent > 1 {
				r.Fatalf("%s sent the letter %d times", act, sent)
			}
			if open && sent > 0 {
				r.Fatalf("%s sent the letter again although the one before is open", act)
			}
			switch {
			case problem == nil:
				open, last = true, done
			case sent > 0 && act != "be refused":
				open = true
			}
		}
	})
}

// age makes what the journal holds forty days old, and lets it be pruned.
func age(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "journal", "*"))
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-40 * 24 * time.Hour)
	for _, file := range files {
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
}
