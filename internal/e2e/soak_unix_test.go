//go:build unix

package e2e_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture/postgres"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

var (
	soakPoints = flag.Int("soak", 4, "interruptions that TestAccSoak makes; all kinds take turns")
	soakSeed   = flag.Uint64("soak-seed", 1, "seed of the interruptions")
)

// interruption is what happens to a run at one of its requests.
type interruption struct {
	signal   syscall.Signal
	provider bool // only the provider processes are hit, not the CLI
	request  int  // counted from the first one of the run
	after    time.Duration

	// A stopped run goes on after so long, or when another runner has applied meanwhile.
	stopped time.Duration
	twin    bool

	// halfState lets the run end by itself, and leaves half of the state that it
	// wrote, as a CLI does that is killed while it writes.
	halfState bool
}

// interruptions are the kinds that take turns. The first ones are those that no other test makes.
var interruptions = []interruption{
	{signal: syscall.SIGSTOP, twin: true},
	{halfState: true},
	{signal: syscall.SIGKILL, provider: true},
	{signal: syscall.SIGSTOP, provider: true, stopped: time.Second},
	{signal: syscall.SIGSTOP, stopped: 3 * time.Second},
	{signal: syscall.SIGKILL},
	{signal: syscall.SIGINT},
	{signal: syscall.SIGTERM},
}

// randomInterruption is the nth one of a test.
func randomInterruption(random *rand.Rand, n int) interruption {
	i := interruptions[n%len(interruptions)]
	i.request = 1 + random.IntN(soakRequests)
	i.after = strikeAfter(random)
	return i
}

// strikeAfter is how long after a request something strikes: half of the time while the answer is on its way.
func strikeAfter(random *rand.Rand) time.Duration {
	if random.IntN(2) == 0 {
		return time.Duration(random.IntN(2000)) * time.Microsecond
	}
	return time.Duration(random.IntN(40)) * time.Millisecond
}

// lags reports whether the service of the nth point does, so that each kind of interruption meets both.
func lags(n int) bool { return (n+n/len(interruptions))%2 == 1 }

// soakRequests is about what an undisturbed run of soakConfig sends.
const soakRequests = 36

// soakBefore is applied undisturbed, so that the interrupted run also corrects and
// issues a draft, changes a product and cancels an invoice.
func soakBefore(s *sandbox.Server) string {
	canceled := invoiceBlock("canceled", "canceled-1", "5", `cancellation_reason = "Ordered twice by mistake"`)
	return testkit.Config(s, soakChanging("Draft", "false", "10.5")+canceled, `request_timeout = "5s"`)
}

func soakChanging(description, issue, price string) string {
	draft := invoiceBlock("draft", "draft-1", "7", "issue = "+issue)
	return strings.Replace(draft, "Consultoria", description, 1) + fmt.Sprintf(`
resource "einvoice_product" "test" {
  code  = "S1"
  name  = "Consulta"
  price = %s
}
`, price)
}

// soakConfig has one of each thing that must never be lost or made twice. The
// letter corrects an invoice that is there already, and order-2 is rejected once.
func soakConfig(s *sandbox.Server, nfe string) string {
	return testkit.Config(s, soakChanging("Consulting", "true", "11")+`
resource "einvoice_customer" "equal" {
  count = 2
  name  = "Consumidor"
}
resource "einvoice_company_settings" "own" {
  company_id      = "`+s.OwnerCompanyID()+`"
  service_invoice = { user_name = "city" }
}
resource "einvoice_webhook_secret_rotation" "test" {}
`+companyBlock("branch", "11.444.777/0001-61", "deletion_protection = false")+
		invoiceBlock("test", "order-${count.index}", "100 + count.index", "count = 3")+
		testkit.OrderBody("")+letterBody(nfe), `request_timeout = "5s"`)
}

// TestAccSoak_nothingIsLostOrDoubled disturbs runs and their database at random points, and applies again until all is
// done. Where PostgreSQL is installed, four of five points keep in a database what must happen once, and each of their
// runs is on a machine of its own; the others, or all, keep it in files of one machine.
func TestAccSoak_nothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Getenv("TF_ACC") == "" {
		t.Skip("takes minutes, and needs a CLI")
	}
	database := newSoakDatabase(t)
	random := rand.New(rand.NewPCG(*soakSeed, 0))
	var lostKeys, hits atomic.Int64
	t.Cleanup(func() { // After the last point.
		t.Logf("%d points of seed %d: %d hit a run, %d lost the answer with a company's key and imported the company; %s",
			*soakPoints, *soakSeed, hits.Load(), lostKeys.Load(), database)
		expect.False(t, hits.Load() < int64(*soakPoints)/2,
			"only %d of %d interruptions hit a run: the test proves little", hits.Load(), *soakPoints)
	})
	for n := range *soakPoints {
		i, disturbed := randomInterruption(random, n), randomDisturbance(random, n)
		rows.Case(t, strconv.Itoa(n), func(t *testing.T) {
			var store *soakStore
			if n%5 != 4 {
				store = database.open(t, disturbed)
			}
			hit, lost := soak(t, i, lags(n), store)
			if hit {
				hits.Add(1)
			}
			if lost {
				lostKeys.Add(1)
			}
		})
	}
}

var (
	importBlockID = regexp.MustCompile(`to = einvoice_company\.NAME\s+id = "([0-9a-f-]{36})"`)
	companyExists = regexp.MustCompile(`Company \S+ \([^)]*\) already exists`)
	letterRow     = regexp.MustCompile(`therowoftable(\w+)withkind'correction'andhash'([0-9a-f]{64})'`)
	letterEntry   = regexp.MustCompile(`/once/correction-[0-9a-f]{64}\.json`)
	severalMatch  = regexp.MustCompile(`The service lists \d+ that match: ([0-9a-f, -]+)\.`)
)

// soak runs one interruption. A lagging service does not merge by integrationId either. With a store each run has a
// cache directory of its own, as on machines that are thrown away; with nil they share one.
func soak(t *testing.T, i interruption, lagging bool, store *soakStore) (hit, lostKey bool) {
	t.Helper()
	options := sandbox.Options{AuthorizeAfter: 200 * time.Millisecond}
	if lagging {
		options.NoMergeByIntegrationID, options.ListLag = true, 3*time.Second
	}
	s := sandbox.Start(t, options)
	nfe := fixture.AuthorizedNFe(s)
	s.ScriptInvoice("order-2", sandbox.Reject("539", "Duplicidade de NF-e"))
	w := testkit.NewWorkspace(t, soakBefore(s), "")
	next := func() {}
	if store != nil {
		w.Environ = append(w.Environ, message.EnvCoordinationURL+"="+store.url)
		next = func() { onNextMachine(w) }
	}
	next()
	w.Attached().MustApply()
	w.Write(soakConfig(s, nfe))
	settings := string(s.SettingsJSON(s.OwnerCompanyID()))

	next()
	lostState := false // A CLI that is hit while it writes its local state may leave nothing of it.
	look := func() { lostState = lostState || !strings.Contains(stateFile(w), "einvoice_product") }
	hit, first := interrupted(t, w, s, i, store, func() { look(); next() })
	if i.halfState {
		hit = true
		state := stateFile(w)
		replaceFile(t, filepath.Join(w.Dir, "terraform.tfstate"), state[:len(state)/2])
	}
	look()
	deleteOthers(w, s, first)
	doubtedLetter, rejected := false, strings.Contains(first, "Duplicidade de NF-e")
	// The answer that held the key is gone for good: the company comes without it.
	isTakenOver := func(output string) bool {
		return strings.Contains(output, "Adopted company")
	}
	lostKey = isTakenOver(first)
	for attempt := 0; attempt < 20; attempt++ {
		next()
		output, ok := w.Run("apply", "-auto-approve", "-input=false")
		lostKey = lostKey || isTakenOver(output)
		if ok {
			break
		}
		known := false
		if strings.Contains(output, "Duplicidade de NF-e") && !rejected {
			known, rejected = true, true
		}
		if strings.Contains(output, "state lock") && attempt < 3 {
			known = true
		}
		// Nothing was sent. The points share a server, which may be away for a while.
		if strings.Contains(output, "Coordination database cannot be used") && attempt < 6 {
			known = true
		}
		if strings.Contains(output, "Unsupported state file format") {
			// The CLI was killed while it wrote its local state. What it knew is gone, and has to be found again.
			known, lostState = true, true
			removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
		}
		// A list that lags does not show the company of a killed run yet. The service refuses a second one.
		if strings.Contains(output, "already has a linked account") && attempt < 6 {
			known = true
		}
		if companyExists.MatchString(output) {
			// The error gives the import block to paste.
			known, lostKey = true, true
			id := importBlockID.FindStringSubmatch(output)
			if id == nil {
				t.Fatalf("%+v: the error gives no id to import:\n%s", i, output)
			}
			w.MustRun("import", "einvoice_company.branch", id[1])
		}
		if strings.Contains(output, "Correction letter may have been sent already") && !doubtedLetter {
			known, doubtedLetter = true, true
			settleLetter(t, w, s, nfe, output, store)
		}
		if !known {
			t.Fatalf("%+v: apply %d failed:\n%s\nafter\n%s", i, attempt+1, output, first)
		}
	}
	w.Attached().MustPlanNothing()
	expect.False(t, i.halfState && !lostKey, "%+v: the key of the company is still there: the state was not lost", i)
	if lostState {
		t.Logf("%+v: the state was lost", i)
	}
	checkOnce(t, i, s, nfe, lostState)
	checkKept(t, i, w, s, settings, lostKey)
	return hit, lostKey
}

// stateFile is what is written of the state.
func stateFile(w *testkit.Workspace) string {
	written, _ := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate")) // There may be none yet.
	return string(written)
}

// deleteOthers does what the error about customers asks for that are there several times, in output: those that no state
// has are deleted.
func deleteOthers(w *testkit.Workspace, s *sandbox.Server, output string) {
	state := stateFile(w)
	for _, listed := range severalMatch.FindAllStringSubmatch(strings.Join(strings.Fields(output), " "), -1) {
		for id := range strings.SplitSeq(listed[1], ", ") {
			if !strings.Contains(state, id) {
				s.Remove(sandbox.KindCustomers, id)
			}
		}
	}
}

// settleLetter does what the error about a letter in doubt, in output, asks for.
func settleLetter(t *testing.T, w *testkit.Workspace, s *sandbox.Server, nfe, output string, store *soakStore) {
	t.Helper()
	output = strings.Join(strings.Fields(output), "")
	file, row := letterEntry.FindString(output), letterRow.FindStringSubmatch(output)
	switch {
	case len(s.Corrections(nfe)) > 0:
		w.Write(strings.Replace(soakConfig(s, nfe), letterBody(nfe), "", 1))
	case store != nil && row != nil:
		store.execute(t, "DELETE FROM "+row[1]+" WHERE kind = 'correction' AND hash = '"+row[2]+"'")
	case file == "":
		t.Fatalf("the error names no file to remove:\n%s", output)
	default:
		removeFile(t, filepath.Join(w.CacheDir, file))
	}
}

// interrupted applies and disturbs the run as told. It reports whether the run was still there to be hit.
func interrupted(
	t *testing.T, w *testkit.Workspace, s *sandbox.Server, i interruption, store *soakStore, beforeTwin func(),
) (bool, string) {
	t.Helper()
	cmd, output := w.Command("apply", "-auto-approve", "-input=false")
	var hit atomic.Bool
	signal := func(signal syscall.Signal) {
		if !i.provider {
			hit.Store(cli.SignalGroup(cmd, signal) == nil)
			return
		}
		for _, pid := range providersIn(cmd.Process.Pid) {
			if syscall.Kill(pid, signal) == nil {
				hit.Store(true)
			}
		}
	}
	twin := ""
	started, struck, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var requests atomic.Int64
	s.OnRequest(func(sandbox.Request) {
		n := int(requests.Add(1))
		store.count(n)
		if n == i.request && !i.halfState {
			<-started
			time.AfterFunc(i.after, func() { signal(i.signal); close(struck) })
		}
	})
	expect.NoError(t, cmd.Start())
	close(started)
	go func() { _ = cmd.Wait(); close(ended) }() // How it ends is up to the interruption.
	select {
	case <-ended:
	case <-struck:
		if i.twin {
			beforeTwin()
			twin, _ = w.Run("apply", "-auto-approve", "-input=false", "-lock=false")
		}
		if i.signal == syscall.SIGSTOP {
			<-time.After(i.stopped)
			signal(syscall.SIGCONT)
		}
		<-ended
	}
	return hit.Load(), output.String() + twin
}

// providersIn lists the provider processes of a process group.
func providersIn(group int) []int {
	var found []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		of, err := syscall.Getpgid(pid)
		if err != nil || of != group {
			continue
		}
		if exe, err := os.Readlink(filepath.Join("/proc", entry.Name(), "exe")); err == nil && strings.HasPrefix(exe, testkit.BuiltProvider.Dir) {
			found = append(found, pid)
		}
	}
	return found
}

// checkOnce checks that all is at the service exactly once. What was to be canceled because its block is gone, and the
// product, were in the state alone: when that is lost, nobody knows of them. Of equal customers a killed run may leave
// some that no state has, and so may two runs that do not wait for each other's lock of the state.
func checkOnce(t *testing.T, i interruption, s *sandbox.Server, nfe string, lostState bool) {
	t.Helper()
	// A service that does not merge keeps what was corrected beside its correction.
	documents := func(invoices []map[string]any) []map[string]any {
		isNone := func(v map[string]any) bool { return v["status"] == "created" || v["status"] == "rejected" }
		return slices.DeleteFunc(invoices, isNone)
	}
	for _, id := range []string{"order-0", "order-1", "order-2", "draft-1", "canceled-1"} {
		if isCanceled := id == "canceled-1"; !isCanceled || !lostState {
			status := map[bool]string{false: "authorized", true: "canceled"}[isCanceled]
			made := documents(s.InvoicesByIntegrationID(id))
			expect.True(t, hasBecome(made, object{"status": status}), "%+v: %v under %s, want one, %s", i, made, id, status)
		}
	}
	branches, equal := 0, 0
	for _, company := range s.Objects(sandbox.KindCompanies) {
		if company["federalTaxNumber"] == fixture.OtherNumber {
			branches++
		}
	}
	for _, customer := range s.Objects(sandbox.KindCustomers) { // The order makes one more.
		if customer["name"] == "Consumidor" {
			equal++
		}
	}
	expect.Is(t, len(documents(s.Invoices(einvoice.ModelService))), 6, "%+v: service invoices", i) // One is that of the order.
	expect.Is(t, len(s.Objects(sandbox.KindOrders)), 1, "%+v: orders", i)
	expect.Is(t, len(s.Corrections(nfe)), 1, "%+v: letters", i)
	expect.Is(t, fixture.Rotations(s), 1, "%+v: rotations", i)
	expect.Is(t, branches, 1, "%+v: branches", i)
	expect.True(t, len(s.Objects(sandbox.KindProducts)) == 1 || lostState, "%+v: there is not one product", i)
	expect.True(t, equal >= 2 && equal <= 4, "%+v: %d equal customers, want 2 to 4", i, equal)
}

// checkKept checks what state and service are to hold still.
func checkKept(t *testing.T, i interruption, w *testkit.Workspace, s *sandbox.Server, settings string, lostKey bool) {
	t.Helper()
	key := w.StateOf("einvoice_company.branch", "api_key")
	expect.True(t, lostKey || key == s.KeyOf(fixture.BranchID(s)), "%+v: the key in state is not the company's", i)
	secret := w.StateOf("einvoice_webhook_secret_rotation.test", "secret")
	expect.True(t, secret == s.WebhookSecret(), "%+v: the webhook secret in state is not the one in force", i)
	now := string(s.SettingsJSON(s.OwnerCompanyID()))
	isWritten := strings.Contains(now, `"userName":"city"`) && len(now) >= len(settings)
	expect.True(t, isWritten, "%+v: the settings are not what they were but for userName:\n%s\n%s", i, now, settings)
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
