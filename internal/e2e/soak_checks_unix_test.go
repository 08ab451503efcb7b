//go:build unix

package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture/postgres"
)

// doubled tells what is at the service not exactly once. What was to be canceled because its block is gone was in the
// state alone: when that is lost, nobody knows of it.
func doubled(s *sandbox.Server, nfe string, lostState bool) (wrong []string) {
	want := map[string]string{"order-0": "authorized", "order-1": "authorized", "order-2": "authorized", "draft-1": "authorized", "canceled-1": "canceled"}
	if lostState {
		delete(want, "canceled-1")
	}
	for id, status := range want {
		// A service that does not merge keeps what was corrected beside its correction.
		invoices := documentsAmong(s.InvoicesByIntegrationID(id))
		if len(invoices) != 1 || invoices[0]["status"] != status {
			wrong = append(wrong, fmt.Sprintf("%d invoices under %s, want 1, %s: %v", len(invoices), id, status, invoices))
		}
	}
	branches := 0
	for _, company := range s.Objects("companies") {
		if company["federalTaxNumber"] == fixture.OtherNumber {
			branches++
		}
	}
	for what, is := range map[string]struct{ n, want int }{
		"service invoices": {len(documentsAmong(s.Invoices(einvoice.ModelService))), 6}, // One is that of the order.
		"orders":           {len(s.Objects("orders")), 1},
		"letters":          {len(s.Corrections(nfe)), 1},
		"rotations":        {fixture.Rotations(s), 1},
		"branches":         {branches, 1},
	} {
		if is.n != is.want {
			wrong = append(wrong, fmt.Sprintf("%d %s, want %d", is.n, what, is.want))
		}
	}
	return wrong
}

// doubledObjects tells which objects of the catalogue are there more often than they are configured. The product was in
// a state once: when that is lost, nobody can tell that it is not another one. Of equal customers a killed run may
// leave some that no state has, and so may two runs that do not wait for each other's lock of the state.
func doubledObjects(s *sandbox.Server, lostState bool) (wrong []string) {
	if n := len(s.Objects("products")); n != 1 && !lostState {
		wrong = append(wrong, fmt.Sprintf("%d products, want 1", n))
	}
	equal := 0
	for _, customer := range s.Objects("customers") { // The order makes one more.
		if customer["name"] == "Consumidor" {
			equal++
		}
	}
	if equal < 2 || equal > 4 {
		wrong = append(wrong, fmt.Sprintf("%d equal customers, want 2 to 4", equal))
	}
	return wrong
}

// documentsAmong leaves out drafts and what was rejected.
func documentsAmong(invoices []map[string]any) []map[string]any {
	return slices.DeleteFunc(invoices, func(v map[string]any) bool { return v["status"] == "created" || v["status"] == "rejected" })
}

// lost tells what state or service do not hold although they did.
func lost(w *testkit.Workspace, s *sandbox.Server, settings string, lostKey bool) (wrong []string) {
	if key := w.StateOf("einvoice_company.branch", "api_key"); !lostKey && key != s.KeyOf(fixture.BranchID(s)) {
		wrong = append(wrong, "the key in state is not the company's")
	}
	if secret := w.StateOf("einvoice_webhook_secret_rotation.test", "secret"); secret != s.WebhookSecret() {
		wrong = append(wrong, "the webhook secret in state is not the one in force")
	}
	if now := string(s.SettingsJSON(s.OwnerCompanyID())); strings.Replace(now, `"userName":"city"`, `"userName":null`, 1) == now || len(now) < len(settings) {
		wrong = append(wrong, fmt.Sprintf("the settings are not what they were but for userName:\n%s\n%s", now, settings))
	}
	return wrong
}

// soakDatabase is a server that all points share. Without PostgreSQL there is none.
type soakDatabase struct {
	server *fixture.Database

	mu    sync.Mutex // held while the server is restarted or paused
	count map[string]int
}

// newSoakDatabase starts what is installed.
func newSoakDatabase(t *testing.T) *soakDatabase {
	t.Helper()
	db := &soakDatabase{count: map[string]int{}}
	if postgres.Installed() {
		db.server = fixture.Postgres(t)
	} else {
		t.Log(postgres.ErrMissing)
	}
	return db
}

// String tells what was done to the database.
func (db *soakDatabase) String() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return fmt.Sprintf("the database: %v", db.count)
}

// disturbance is what happens to the database of a run after one of its requests.
type disturbance struct {
	kind    string
	request int
	after   time.Duration
	long    time.Duration // of a pause
}

var disturbances = []string{"pause", "lost answers", "restart", "cut connections", "none"}

// randomDisturbance is the nth one of a test: the kinds take turns, so that each meets each kind of interruption.
func randomDisturbance(random *rand.Rand, n int) disturbance {
	return disturbance{
		kind: disturbances[n%len(disturbances)], request: 1 + random.IntN(soakRequests),
		after: strikeAfter(random), long: time.Second + time.Duration(random.IntN(4000))*time.Millisecond,
	}
}

// soakStore is the database of one point. A nil one stands for files.
type soakStore struct {
	db       *soakDatabase
	disturb  disturbance
	wire     *fixture.Wire
	url      string // by way of the wire
	straight string // that of the database itself
	t        *testing.T
	running  sync.WaitGroup
}

// open makes a database for a point, nil where there is no server.
func (db *soakDatabase) open(t *testing.T, d disturbance) *soakStore {
	t.Helper()
	if db.server == nil {
		return nil
	}
	db.mu.Lock()
	straight := db.server.Fresh(t)
	db.mu.Unlock()
	address, err := url.Parse(straight)
	expect.NoError(t, err)
	wire := fixture.NewWire(t, address.Host)
	store := &soakStore{db: db, disturb: d, t: t, wire: wire, straight: straight, url: wire.Through(straight)}
	t.Cleanup(store.running.Wait)
	return store
}

// execute runs statements while the server is there.
func (s *soakStore) execute(t *testing.T, statements string) {
	t.Helper()
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	fixture.Execute(t, s.straight, statements)
}

// count is told of each request that the service gets, and strikes after one.
func (s *soakStore) count(request int) {
	if s != nil && request == s.disturb.request {
		s.running.Add(1)
		time.AfterFunc(s.disturb.after, func() { defer s.running.Done(); s.strike() })
	}
}

func (s *soakStore) strike() {
	s.db.mu.Lock()
	defer s.db.mu.Unlock()
	s.db.count[s.disturb.kind]++
	var err error
	switch s.disturb.kind {
	case "lost answers":
		s.wire.CutAnswers(3)
	case "cut connections":
		s.wire.Heal() // It ends all connections.
	case "restart":
		err = s.db.server.Restart()
	case "pause":
		err = s.db.server.Pause()
		<-time.After(s.disturb.long)
		err = errors.Join(err, s.db.server.Resume())
	}
	if err != nil {
		s.t.Error(err)
	}
}
