//go:build unix

package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture/postgres"
)

// soakDatabase is a server that all points share, and a pooler before it. Without
// PostgreSQL it has none.
type soakDatabase struct {
	server *fixture.Database
	pooler *postgres.Pooler

	mu    sync.Mutex // held while the server is restarted or paused
	count map[string]int
}

// newSoakDatabase starts what is installed.
func newSoakDatabase(t *testing.T) *soakDatabase {
	t.Helper()
	db := &soakDatabase{count: map[string]int{}}
	if !postgres.Installed() {
		t.Log(postgres.ErrMissing)
		return db
	}
	db.server = fixture.Postgres(t)
	pooler, err := db.server.Server.Pool(3)
	if errors.Is(err, postgres.ErrNoPooler) {
		t.Log(err)
		return db
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pooler.Stop)
	db.pooler = pooler
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

var disturbances = []string{"none", "lost answers", "cut connections", "restart", "pause"}

func randomDisturbance(random *rand.Rand) disturbance {
	return disturbance{
		kind: disturbances[random.IntN(len(disturbances))], request: 1 + random.IntN(soakRequests),
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

// open makes a database for a point, nil where there is no server. It is reached
// through the pooler where there is one and pooled is set.
func (db *soakDatabase) open(t *testing.T, d disturbance, pooled bool) *soakStore {
	t.Helper()
	if db.server == nil {
		return nil
	}
	store := &soakStore{db: db, disturb: d, t: t}
	db.mu.Lock()
	store.straight = db.server.Fresh(t)
	if pooled = pooled && db.pooler != nil; pooled {
		db.count["pooled"]++
	}
	db.mu.Unlock()
	store.url = store.straight
	if pooled {
		store.url = db.pooler.Through(store.url)
	}
	address, err := url.Parse(store.url)
	if err != nil {
		t.Fatal(err)
	}
	store.wire = fixture.NewWire(t, address.Host)
	store.url = store.wire.Through(store.url)
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
