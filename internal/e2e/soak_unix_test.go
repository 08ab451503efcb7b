//go:build unix

package e2e_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

var (
	soakPoints = flag.Int("soak", 4, "interruptions that TestAccSoak makes; all kinds take turns")
	soakSeed   = flag.Uint64("soak-seed", 1, "seed of the interruptions")
)

// interruption is one way of ending a run, at one of its requests.
type interruption struct {
	signal   syscall.Signal
	provider bool // only the provider processes are hit, not the CLI
	request  int  // counted from the first one of the run
	after    time.Duration

	// halfState lets the run end by itself, and leaves half of the state that it
	// wrote, as a CLI does that is killed while it writes.
	halfState bool
}

func (i interruption) String() string {
	if i.halfState {
		return "half of the state"
	}
	target := "the CLI and its providers"
	if i.provider {
		target = "the providers"
	}
	return fmt.Sprintf("%s to %s %s after request %d", i.signal, target, i.after, i.request)
}

// randomInterruption is the nth one of a test.
func randomInterruption(random *rand.Rand, n int) interruption {
	kinds := []interruption{
		{signal: syscall.SIGINT}, {signal: syscall.SIGTERM}, {signal: syscall.SIGKILL}, {signal: syscall.SIGKILL, provider: true},
	}
	i := kinds[n%len(kinds)]
	i.request = 1 + random.IntN(soakRequests)
	// Half of them strike while the answer is on its way.
	i.after = time.Duration(random.IntN(2000)) * time.Microsecond
	if random.IntN(2) == 0 {
		i.after = time.Duration(random.IntN(40)) * time.Millisecond
	}
	return i
}

// lags tells whether the service of the nth point does, so that each kind of
// interruption meets both in eight points.
func lags(n int) bool { return (n+n/4)%2 == 1 }

// soakRequests is about what an undisturbed run of soakConfig sends.
const soakRequests = 36

// soakBefore is applied undisturbed, so that the interrupted run also corrects and
// issues a draft, changes a product and cancels an invoice.
func soakBefore(s *sandbox.Server) string {
	return acctest.Config(s, soakChanging("Draft", "false", "10.5")+`
resource "einvoice_invoice_issuance" "canceled" {
  model               = "serviceInvoice"
  integration_id      = "canceled-1"
  payload_json        = jsonencode({ description = "Ordered twice", federalServiceCode = "17.01", total = { invoiceAmount = 5 } })
  cancellation_reason = "Ordered twice by mistake"
}
`, `request_timeout = "5s"`)
}

func soakChanging(description, issue, price string) string {
	return fmt.Sprintf(`
resource "einvoice_invoice_issuance" "draft" {
  model          = "serviceInvoice"
  integration_id = "draft-1"
  payload_json   = jsonencode({ description = %q, federalServiceCode = "17.01", total = { invoiceAmount = 7 } })
  issue          = %s
}
resource "einvoice_product" "test" {
  code  = "S1"
  name  = "Consulta"
  price = %s
}
`, description, issue, price)
}

// soakConfig has one of each thing that must never be lost or made twice. The
// letter corrects an invoice that is there already, and order-2 is rejected once.
func soakConfig(s *sandbox.Server, nfe string) string {
	return acctest.Config(s, soakChanging("Consulting", "true", "11")+`
resource "einvoice_customer" "equal" {
  count = 2
  name  = "Consumidor"
}
resource "einvoice_company" "branch" {
  name                = "Branch"
  legal_name          = "Branch Ltda"
  federal_tax_number  = "11.444.777/0001-61"
  deletion_protection = false
  address             = { street = "Rua A", number = "1", district = "Centro", postal_code = "01310100", city = { code = "3550308" } }
}
resource "einvoice_company_settings" "own" {
  company_id      = "`+s.OwnerCompanyID()+`"
  service_invoice = { user_name = "city" }
}
resource "einvoice_invoice_issuance" "test" {
  count          = 3
  model          = "serviceInvoice"
  integration_id = "order-${count.index}"
  payload_json   = jsonencode({ description = "Consulting", federalServiceCode = "17.01", total = { invoiceAmount = 100 + count.index } })
}
resource "einvoice_webhook_secret_rotation" "test" {}
`+acctest.OrderBody("")+letterBody(nfe), `request_timeout = "5s"`)
}

// TestAccSoak_nothingIsLostOrDoubledByAnyInterruption ends runs at random
// points, and applies again until all is done.
func TestAccSoak_nothingIsLostOrDoubledByAnyInterruption(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Getenv("TF_ACC") == "" {
		t.Skip("takes minutes, and needs a CLI")
	}
	random := rand.New(rand.NewPCG(*soakSeed, 0))
	interruptions := make([]interruption, *soakPoints)
	for n := range interruptions {
		interruptions[n] = randomInterruption(random, n)
	}
	var lostKeys, hits atomic.Int64
	t.Cleanup(func() { // After the last point.
		t.Logf("%d points of seed %d: %d hit a run, %d companies lost the answer with their key and were imported", *soakPoints, *soakSeed, hits.Load(), lostKeys.Load())
		if hits.Load() < int64(*soakPoints)/2 {
			t.Errorf("only %d of %d interruptions hit a run: the test proves little", hits.Load(), *soakPoints)
		}
	})
	for n, i := range interruptions {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			hit, lost := soak(t, i, lags(n), "")
			if hit {
				hits.Add(1)
			}
			if lost {
				lostKeys.Add(1)
			}
		})
	}
}

// TestAccSoak_machinesThatAreThrownAway ends runs at random points, each on a machine
// of its own: what must happen once is in a database.
func TestAccSoak_machinesThatAreThrownAway(t *testing.T) {
	t.Parallel()
	if testing.Short() || os.Getenv("TF_ACC") == "" {
		t.Skip("takes minutes, and needs a CLI")
	}
	server := fixture.Postgres(t)
	random := rand.New(rand.NewPCG(*soakSeed, 1))
	var hits atomic.Int64
	points := (*soakPoints + 2) / 3
	t.Cleanup(func() { // After the last point.
		if hits.Load() < int64(points)/2 {
			t.Errorf("only %d of %d interruptions hit a run: the test proves little", hits.Load(), points)
		}
	})
	for n := range points {
		i := randomInterruption(random, n+2) // A machine that is thrown away sends no SIGINT.
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			if hit, _ := soak(t, i, lags(n), server.Fresh(t)); hit {
				hits.Add(1)
			}
		})
	}
}

// TestAccHalfAState_isFoundAgain ends no run: what the CLI had written down is
// gone, all of it.
func TestAccHalfAState_isFoundAgain(t *testing.T) {
	t.Parallel()
	for name, lagging := range map[string]bool{"on a service that merges": false, "on one that does not, and lags": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, lostKey := soak(t, interruption{request: -1, halfState: true}, lagging, ""); !lostKey {
				t.Error("the key of the company is still there: the state was not lost")
			}
		})
	}
}

var (
	importBlockID = regexp.MustCompile(`to = einvoice_company\.NAME\s+id = "([0-9a-f-]{36})"`)
	letterRow     = regexp.MustCompile(`therowoftable(\w+)withkind'correction'andhash'([0-9a-f]{64})'`)
	letterEntry   = regexp.MustCompile(`/once/correction-[0-9a-f]{64}\.json`)
)

// soak runs one interruption. A lagging service does not merge by integrationId
// either. With the URL of a database each run has a cache directory of its own, as on
// machines that are thrown away; with "" they share one.
func soak(t *testing.T, i interruption, lagging bool, database string) (hit, lostKey bool) {
	t.Helper()
	options := sandbox.Options{AuthorizeAfter: 200 * time.Millisecond}
	if lagging {
		options.NoMergeByIntegrationID, options.ListLag = true, 3*time.Second
	}
	s := sandbox.Start(t, options)
	nfe := fixture.AuthorizedNFe(s)
	s.ScriptInvoice("order-2", sandbox.Reject("539", "Duplicidade de NF-e"))
	w := acctest.NewWorkspace(t, soakBefore(s), "")
	onNextMachine := func() {}
	if database != "" {
		onNextMachine = func() {
			w.Environ = append(w.Environ, message.EnvCoordinationURL+"="+database, message.EnvCacheDir+"="+t.TempDir())
		}
	}
	onNextMachine()
	w.MustApply()
	w.Write(soakConfig(s, nfe))
	settings := string(s.SettingsJSON(s.OwnerCompanyID()))

	onNextMachine()
	hit, first := interrupted(t, w, s, i)
	if i.halfState {
		cutFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
	}
	// A CLI that is killed while it writes its local state may leave nothing of it.
	written, _ := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	lostState := !strings.Contains(string(written), "einvoice_product")
	doubtedLetter, rejected := false, strings.Contains(first, "Duplicidade de NF-e")
	for attempt := 0; ; attempt++ {
		onNextMachine()
		output, ok := w.Run("apply", "-auto-approve", "-input=false")
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
		if strings.Contains(output, "Unsupported state file format") {
			// The CLI was killed while it wrote its local state. What it knew is gone, and
			// has to be found again.
			known, lostState = true, true
			removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
		}
		if strings.Contains(output, "Company already exists") && !lostKey {
			// The answer that held the key is gone for good. The error gives the
			// import block to paste.
			known, lostKey = true, true
			id := importBlockID.FindStringSubmatch(output)
			if id == nil {
				t.Fatalf("%s: the error gives no id to import:\n%s", i, output)
			}
			w.MustRun("import", "einvoice_company.branch", id[1])
		}
		if strings.Contains(output, "Correction letter may have been sent already") && !doubtedLetter {
			known, doubtedLetter = true, true
			settleLetter(t, w, s, nfe, output, database)
		}
		if !known {
			t.Fatalf("%s: apply %d failed:\n%s\nafter\n%s", i, attempt+1, output, first)
		}
	}
	if plan, ok := w.Run("plan", "-detailed-exitcode"); !ok {
		t.Errorf("%s: the last plan is not empty:\n%s", i, plan)
	}
	wrong := append(doubled(s, nfe, lostState), lost(w, s, settings, lostKey)...)
	if lostState {
		t.Logf("%s: the state was lost, of which %d bytes are left", i, len(written))
	}
	wrong = append(wrong, doubledObjects(s, lostState)...)
	for _, text := range wrong {
		t.Errorf("%s: %s", i, text)
	}
	return hit, lostKey
}

// settleLetter does what the error about a letter in doubt, in output, asks for.
func settleLetter(t *testing.T, w *acctest.Workspace, s *sandbox.Server, nfe, output, database string) {
	t.Helper()
	output = strings.Join(strings.Fields(output), "")
	file, row := letterEntry.FindString(output), letterRow.FindStringSubmatch(output)
	switch {
	case len(s.Corrections(nfe)) > 0:
		w.Write(strings.Replace(soakConfig(s, nfe), letterBody(nfe), "", 1))
	case database != "" && row != nil:
		fixture.Execute(t, database, "DELETE FROM "+row[1]+" WHERE kind = 'correction' AND hash = '"+row[2]+"'")
	case file == "":
		t.Fatalf("the error names no file to remove:\n%s", output)
	default:
		if err := os.Remove(filepath.Join(w.CacheDir, file)); err != nil {
			t.Fatal(err)
		}
	}
}

// doubled tells what is at the service not exactly once. What was to be canceled
// because its block is gone was in the state alone: when that is lost, nobody knows of
// it.
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
	if n := len(documentsAmong(s.Invoices(einvoice.ModelService))); n != 6 {
		wrong = append(wrong, fmt.Sprintf("%d service invoices, want 5 and that of the order", n))
	}
	if orders := s.Objects("orders"); len(orders) != 1 {
		wrong = append(wrong, fmt.Sprintf("%d orders, want 1", len(orders)))
	}
	if n := len(s.Corrections(nfe)); n != 1 {
		wrong = append(wrong, fmt.Sprintf("%d correction letters, want 1", n))
	}
	if n := fixture.Rotations(s); n != 1 {
		wrong = append(wrong, fmt.Sprintf("%d rotations, want 1", n))
	}
	branches := 0
	for _, company := range s.Objects("companies") {
		if company["federalTaxNumber"] == "11444777000161" {
			branches++
		}
	}
	if branches != 1 {
		wrong = append(wrong, fmt.Sprintf("%d branches, want 1", branches))
	}
	return wrong
}

// doubledObjects tells which objects of the catalogue are there more often than
// they are configured. The product was in a state once: when that is lost, nobody can
// tell that it is not another one.
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
	if equal != 2 {
		wrong = append(wrong, fmt.Sprintf("%d equal customers, want 2", equal))
	}
	return wrong
}

// documentsAmong leaves out drafts and what was rejected.
func documentsAmong(invoices []map[string]any) []map[string]any {
	return slices.DeleteFunc(invoices, func(v map[string]any) bool { return v["status"] == "created" || v["status"] == "rejected" })
}

// lost tells what state or service do not hold although they did.
func lost(w *acctest.Workspace, s *sandbox.Server, settings string, lostKey bool) (wrong []string) {
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

// interrupted applies and ends the run as told. It tells whether the run was
// still there to be ended.
func interrupted(t *testing.T, w *acctest.Workspace, s *sandbox.Server, i interruption) (bool, string) {
	t.Helper()
	cmd, output := w.Command("apply", "-auto-approve", "-input=false")
	var requests atomic.Int64
	var once sync.Once
	var hit atomic.Bool
	strike := func() {
		if !i.provider {
			hit.Store(cli.SignalGroup(cmd, i.signal) == nil)
			return
		}
		for _, pid := range providersIn(cmd.Process.Pid) {
			if syscall.Kill(pid, i.signal) == nil {
				hit.Store(true)
			}
		}
	}
	started := make(chan struct{})
	s.OnRequest(func(sandbox.Request) {
		if requests.Add(1) == int64(i.request) {
			once.Do(func() {
				<-started
				time.AfterFunc(i.after, strike)
			})
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	_ = cmd.Wait() // How it ends is up to the interruption.
	return hit.Load(), output.String()
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
		if exe, err := os.Readlink(filepath.Join("/proc", entry.Name(), "exe")); err == nil && strings.HasPrefix(exe, acctest.BuiltProvider.Dir) {
			found = append(found, pid)
		}
	}
	return found
}
