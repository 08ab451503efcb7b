package rotation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
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

// rotationAt prepares a rotation that never waits.
func rotationAt(t *testing.T, s *sandbox.Server, dir, creation string) *rotation {
	t.Helper()
	var waited time.Duration
	clock := poll.Clock{
		Now:   func() time.Time { return time.Now().Add(waited) },
		Pause: func(ctx context.Context, d time.Duration) error { waited += d; return ctx.Err() },
	}
	journal := &once.Journal{Store: journal.OpenFiles(dir), Clock: clock, Patience: 20 * time.Second, Run: "first run"}
	return &rotation{client: fixture.OwnerClient(t, s), once: journal, creation: creation, wantSecret: true}
}

func mustRotate(t *testing.T, r *rotation) *outcome {
	t.Helper()
	done, said := r.perform(t.Context())
	if done == nil {
		t.Fatalf("the rotation failed: %v", said)
	}
	return done
}

// mustFail wants an error whose texts say why.
func mustFail(t *testing.T, r *rotation, want ...string) {
	t.Helper()
	done, said := r.perform(t.Context())
	if done != nil || !said.HasError() {
		t.Fatalf("got %+v and %v, want %q", done, said, want)
	}
	fixture.WantTexts(t, said, want...)
}

const (
	masked = "Cannot tell whether a rotation has happened"
	unseen = "Cannot read the rotated webhook secret"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name           string
		Phase          journal.Phase
		For, By        string
		Before, Secret string // hashes, "" for a mask
		Held, Young    bool
		Sent           string // by this attempt
		Want           step
	}](t, "decide.json") {
		known := journal.Record{Phase: test.Phase, Result: test.By, Run: test.By, Held: test.Held}
		if test.Phase != journal.Idle {
			known = known.Noted(rotationNote{Before: test.Before, Creation: test.For})
		}
		r := &rotation{once: &once.Journal{Run: "this run"}, creation: "these triggers"}
		if test.Sent != "" {
			r.sent.id = "this attempt"
		}
		if test.Sent == "lost" {
			r.sent.lost = "lost"
		}
		expect.Is(t, r.decide(known, test.Secret, test.Young), test.Want, "%s", test.Name)
	}
}

// unreadableAfterwards lets the secret be read before the rotation, and not after it.
func unreadableAfterwards(s *sandbox.Server) {
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultStatus, Status: 403, Skip: 1})
}

func TestRotation_ofAnActionIsTakenOverOnlyAfterALostAnswer(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	in := func(run string) *rotation {
		r := rotationAt(t, s, dir, "a")
		r.once.Run, r.stateless = run, true
		return r
	}
	mustRotate(t, in("first run"))
	mustRotate(t, in("second run"))
	fixture.WantRotations(t, s, 2)
	fixture.DropRotation(s, sandbox.FaultDropAfter)
	unreadableAfterwards(s)
	mustFail(t, in("third run"), unseen)
	mustRotate(t, in("fourth run"))
	fixture.WantRotations(t, s, 3)
	mustRotate(t, in("fifth run"))
	fixture.WantRotations(t, s, 4)
}

func TestRotation_readsTheSecretThatTheAnswerDoesNotTell(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{EmptyRotateAnswer: true})
	r := rotationAt(t, s, t.TempDir(), "a")
	before, err := r.client.WebhookSecret(t.Context())
	expect.NoError(t, err)
	done := mustRotate(t, r)
	if done.secret == "" || done.secret == before {
		t.Error("the secret in force was not read")
	}
	r.wantSecret = false
	s.ResetRequests()
	if done := mustRotate(t, r); done.secret != "" {
		t.Error("the secret was read although nobody wants it")
	}
	fixture.WantRequests(t, s, "GET", "/v1/webhooks/secret", 1)
}

func TestRotation_forgetsWhatTheServiceRefused(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	dir := t.TempDir()
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultStatus, Status: 403, Message: "plan"})
	mustFail(t, rotationAt(t, s, dir, "a"), "Cannot rotate webhook secret", "HTTP 403")
	s.RotateWebhookSecret(0) // By somebody else: nothing to adopt.
	mustRotate(t, rotationAt(t, s, dir, "a"))
	fixture.WantRotations(t, s, 2)
}

func TestRotation_refusesAJournalThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	r := rotationAt(t, s, t.TempDir(), "a")
	where := r.once.Store.Where(accountKey(r.client))
	expect.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(where), 0o700), os.WriteFile(where, []byte("no record of ours"), 0o600)))
	mustFail(t, r, masked, where, "began at "+time.Now().UTC().Format("2006-01-02T"))
	fixture.WantRotations(t, s, 0)
}

// A mask looks the same before and after a rotation.
func TestRotation_takesNoMaskForTheSecret(t *testing.T) {
	t.Parallel()
	const mask = `{"secret":"whsec_R0****"}`
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: mask, Times: -1})
	dir := t.TempDir()
	if done := mustRotate(t, rotationAt(t, s, dir, "a")); done.secret != s.WebhookSecret() {
		t.Errorf("the secret is %q, want the one that the answer shows", done.secret)
	}
	s.Inject(sandbox.Fault{Method: "POST", Path: fixture.RotatePath, Kind: sandbox.FaultBody, Body: mask})
	if done := mustRotate(t, rotationAt(t, s, dir, "b")); done.secret != "" {
		t.Errorf("the secret is %q, want none", done.secret)
	}
	fixture.WantRotations(t, s, 2)

	fixture.DropRotation(s, sandbox.FaultDropAfter)
	c := rotationAt(t, s, dir, "c")
	mustFail(t, c, masked, "response to the rotation was lost", "shows it masked", c.once.Store.Where(accountKey(c.client)))
	for _, creation := range []string{"c", "c", "d"} { // Nothing sends it again, nor another one in its place.
		later := rotationAt(t, s, dir, creation)
		later.once.Run = "second run"
		mustFail(t, later, masked)
	}
	fixture.WantRotations(t, s, 3)
}

// The clock says noon of the 20th of November 2026, UTC.
func TestRotationModel_fillFrom(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name                  string
		Hours                 *int64
		Store                 bool
		Answer                einvoice.Rotation
		RotatedAt, ValidUntil string
	}](t, "rotation_model_fill_from.json") {
		m := rotationModel{WindowHours: types.Int64PointerValue(test.Hours), StoreSecret: types.BoolValue(test.Store)}
		m.fillFrom(&outcome{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), secret: "s", answer: test.Answer})
		want := []types.String{types.StringValue(test.RotatedAt), types.StringNull(), types.StringNull()}
		if test.ValidUntil != "" {
			want[1] = types.StringValue(test.ValidUntil)
		}
		if test.Store {
			want[2] = types.StringValue("s")
		}
		expect.Same(t, want, []types.String{m.RotatedAt, m.PreviousSecretValidUntil, m.Secret}, "%s", test.Name)
	}
}

func TestRotationModel_creation(t *testing.T) {
	t.Parallel()
	of := func(b string, hours types.Int64) rotationModel {
		triggers := map[string]attr.Value{"a": types.StringValue("1"), "b": types.StringValue(b)}
		return rotationModel{Triggers: types.MapValueMust(types.StringType, triggers), WindowHours: hours}
	}
	base, unstored := of("2", types.Int64Value(24)), of("2", types.Int64Value(24))
	unstored.StoreSecret = types.BoolValue(false)
	if base.creation() != unstored.creation() {
		t.Error("store_secret makes it another creation")
	}
	for name, other := range map[string]rotationModel{
		"another value":  of("3", types.Int64Value(24)),
		"another window": of("2", types.Int64Value(0)),
		"no window":      of("2", types.Int64Null()),
		"no triggers":    {Triggers: types.MapNull(types.StringType), WindowHours: base.WindowHours},
	} {
		if base.creation() == other.creation() {
			t.Errorf("%s is the same creation", name)
		}
	}
}

// account is one account with two rotations in a world.
type account struct {
	*oncetest.World

	lag  time.Duration // how long the secret is shown as it was
	bare bool          // the answer does not tell the secret

	rotatedAt []time.Time // each rotation at the service
	of        [2]wanted   // by the hours of its window
	uncertain bool        // a run did not record what it did: one that is wanted may be missing
}

// wanted is one rotation in a configuration.
type wanted struct {
	state     string   // the id that a state holds; "" for none
	ids       []string // all that a state ever held
	rotations int      // at the service
	least     int
	most      int
	running   int // how many runs rotate it now
}

func (w *account) Serve(_ *oncetest.Run, r *http.Request, body []byte) (int, string) {
	if r.Method != http.MethodGet {
		w.of[strings.Count(string(body), `{"windowHours":1}`)].rotations++
		w.rotatedAt = append(w.rotatedAt, time.Now())
		if w.bare {
			return 200, `{}`
		}
		return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, len(w.rotatedAt))
	}
	shown := 0
	for _, at := range w.rotatedAt {
		if !time.Now().Before(at.Add(w.lag)) {
			shown++
		}
	}
	return 200, fmt.Sprintf(`{"secret":"whsec_%d"}`, shown)
}

// forgetful is the store of the account. When the other rotation is sent, one that no state has is forgotten, and one
// that a run is about to take over.
type forgetful struct {
	journal.Store

	account *account
}

func (f forgetful) Swap(ctx context.Context, key journal.Key, from journal.Version, to journal.Record) (journal.Version, error) {
	f.account.Locked(func() {
		for hours := range f.account.of {
			of, isOther := &f.account.of[hours], journal.NoteOf[rotationNote](to).Creation != fmt.Sprint(hours)
			if to.Phase == journal.Sending && isOther && (of.state == "" || of.running > 0) {
				of.most = max(of.most, of.rotations+1)
			}
		}
	})
	return f.Store.Swap(ctx, key, from, to)
}

// Run rotates, or refreshes what a state holds, which is lost then. Beside another run it
// is a machine that has the same state or rotates something else.
func (w *account) Run(r *oncetest.Run, act string) {
	hours := int64(strings.Index("01", act))
	if r.Beside {
		hours = int64(r.Number) % 2
	}
	of := &w.of[hours]
	if r.Beside && of.state != "" {
		return
	}
	defer func() { w.uncertain = w.uncertain || !r.Recorded() }()
	r.Key = 0 // Another key has another record.
	client, journal := r.Begin(forgetful{&w.Store, w})
	rotates := &rotation{client: client, once: journal, creation: fmt.Sprint(hours), windowHours: &hours, wantSecret: true}
	if of.state != "" {
		rotates.confirm(r.Context, of.state)
		of.state = ""
		of.least, of.most = of.least+1, of.most+1
		w.uncertain = !r.Saves() || w.uncertain
		return
	}
	of.running++
	done, _ := rotates.perform(r.Context)
	of.running--
	if r.Saves() && done != nil {
		of.state = done.id
		if !slices.Contains(of.ids, done.id) {
			of.ids = append(of.ids, done.id)
		}
	}
}

func (w *account) Wrong() error {
	for _, of := range w.of {
		if of.rotations > of.most || len(of.ids) > of.rotations {
			return fmt.Errorf("%+v", w.of)
		}
	}
	return nil
}

func (w *account) Settle() error {
	for hours := range w.of {
		of := &w.of[hours]
		if of.state == "" {
			w.World.Run(oncetest.Fate{}, fmt.Sprint(hours))
		}
		if of.state == "" || !w.uncertain && of.rotations < of.least {
			return fmt.Errorf("at the end: %+v", w.of)
		}
	}
	return nil
}

func opens(lag time.Duration, bare bool) func(*oncetest.World) oncetest.Model {
	return func(w *oncetest.World) oncetest.Model {
		return &account{World: w, lag: lag, bare: bare, of: [2]wanted{{least: 1, most: 1}, {least: 1, most: 1}}}
	}
}

// There is one rotation for each that is wanted.
func TestModel_rotatesOnce(t *testing.T) {
	t.Parallel()
	oncetest.Play(t, []string{"0", "1"}, func(t *rapid.T) func(*oncetest.World) oncetest.Model {
		return opens(oncetest.Seconds(0, 0, 3, 5).Draw(t, "lag"), rapid.Bool().Draw(t, "bare answers"))
	})
}

// A history that TestModel found a defect with: another run had rotated since the record was loaded.
func TestModel_takesOverNothingThatItCannotRecord(t *testing.T) {
	t.Parallel()
	history := []oncetest.Step{
		{Act: "1", After: time.Minute, Fate: oncetest.Fate{Outages: []oncetest.Outage{oncetest.LostBefore}}},
		{Act: "1", Fate: oncetest.Fate{
			Before:  []oncetest.Happening{1: oncetest.Another, 2: oncetest.Unstored},
			Outages: []oncetest.Outage{oncetest.Refused},
		}},
	}
	if wrong := oncetest.Replay(t, opens(0, true), history); wrong != nil {
		t.Error(wrong)
	}
}
