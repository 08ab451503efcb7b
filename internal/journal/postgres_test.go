package journal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
)

// TestPostgres shares one server, which takes a second to make.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := fixture.Postgres(t)
	for name, test := range map[string]func(*testing.T, string){
		"agrees with files": postgresAgreesWithFiles, "one machine at a time": postgresOneMachineAtATime, "a wait ends with its context": postgresWaitEnds,
		"a dead machine frees what it held": postgresDeadMachine, "goes on after a lost connection": postgresGoesOn,
		"stops where another machine went on": postgresStopsAfterAnother, "writes nothing through a pooler": postgresPooler,
		"ten machines make the tables": postgresTables, "takes the tables that it is given": postgresGivenTables,
		"says what the database refuses": postgresRefusals, "forgets what is settled": postgresForgets, "keeps a budget": postgresBudget,
		"counts by the clock of the server": postgresClock, "ends what hangs": postgresHangs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server.Fresh(t))
		})
	}
}

func machine(t *testing.T, address string) *Postgres {
	t.Helper()
	p, err := OpenPostgres(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, l := range []*link{&p.entries, &p.budgets} {
			if l.conn != nil {
				_ = l.conn.Close(context.WithoutCancel(t.Context()))
			}
		}
	})
	return p
}

func opened(t *testing.T, s Store, parts ...string) *Entry {
	t.Helper()
	e, err := s.Entry(t.Context(), "invoice", parts...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// crash ends a connection as the death of its process does.
func crash(t *testing.T, l *link, address string) {
	t.Helper()
	fixture.Execute(t, address, fmt.Sprintf("SELECT pg_terminate_backend(%d, 5000)", l.conn.PgConn().PID()))
}

func postgresAgreesWithFiles(t *testing.T, address string) {
	database, again, sales, started := machine(t, address), machine(t, address), 0, time.Now().Round(0)
	rapid.Check(t, func(r *rapid.T) {
		sales++
		sale, files := fmt.Sprint(sales), OpenFiles(t.TempDir())
		stores := []Store{database, again}
		for range rapid.IntRange(1, 6).Draw(r, "openings") {
			e, want := opened(t, rapid.SampledFrom(stores).Draw(r, "machine"), sale), opened(t, files, sale)
			both := []*Entry{e, want}
			before := []State{e.State(), want.State()}
			for range rapid.IntRange(0, 3).Draw(r, "writes") {
				do := rapid.SampledFrom([]string{"begin", "settled", "keep", "confirm", "forget", "restore"}).Draw(r, "write")
				text := rapid.SampledFrom([]string{"", "a", "ção 'x' \\ \n"}).Draw(r, "text")
				var errs [2]error
				for n, e := range both {
					switch do {
					case "begin":
						errs[n] = e.Begin(text)
					case "settled":
						errs[n] = e.Settled(text)
					case "keep":
						errs[n] = e.Keep("id", text)
					case "confirm":
						errs[n] = e.Confirm()
					case "forget":
						errs[n] = e.Forget()
					default:
						errs[n] = e.Restore(before[n])
					}
				}
				if (errs[0] == nil) != (errs[1] == nil) {
					r.Fatalf("%s %q: %v, in a file %v", do, text, errs[0], errs[1])
				}
			}
			states := []State{e.State(), want.State()}
			for n := range states {
				if at := states[n].Begun; !at.IsZero() && (at.Before(started) || at.After(time.Now())) {
					r.Fatalf("begun %s", at)
				}
				if !states[n].Begun.IsZero() {
					states[n].Begun = time.Unix(1, 0)
				}
			}
			if diff := cmp.Diff(states[1], states[0]); diff != "" {
				r.Fatalf("-file +database\n%s", diff)
			}
			must(t, errors.Join(e.Close(), want.Close()))
		}
	})
}

func postgresOneMachineAtATime(t *testing.T, address string) {
	inside, most, count := 0, 0, 0
	var counting sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		p := machine(t, address)
		for range 3 { // On each machine.
			all.Go(func() {
				for range 5 {
					e := opened(t, p, "one sale")
					counting.Lock()
					inside++
					most = max(most, inside)
					counting.Unlock()
					was := 0
					_, _ = fmt.Sscan(e.State().Note, &was)
					must(t, e.Begin(fmt.Sprint(was+1)))
					counting.Lock()
					inside--
					count = was + 1
					counting.Unlock()
					must(t, e.Close())
				}
			})
		}
	}
	all.Wait()
	if most != 1 || count != 60 {
		t.Errorf("%d held the entry at once, and %d of 60 wrote after one another", most, count)
	}
}

func postgresWaitEnds(t *testing.T, address string) {
	held := opened(t, machine(t, address), "sale")
	defer func() { _ = held.Close() }()
	for name, p := range map[string]*Postgres{"another machine": machine(t, address)} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := p.Entry(ctx, "invoice", "sale")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*UnavailableError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, opened(t, machine(t, address), "another sale").Close())
}

func postgresDeadMachine(t *testing.T, address string) {
	dead := machine(t, address)
	e := opened(t, dead, "sale")
	must(t, e.Begin("hash"))
	crash(t, &dead.entries, address)
	next := opened(t, machine(t, address), "sale")
	if s := next.State(); s.Begun.IsZero() || s.Note != "hash" {
		t.Errorf("the next machine knows %+v", s)
	}
	must(t, next.Close())
}

func postgresGoesOn(t *testing.T, address string) {
	p := machine(t, address)
	e := opened(t, p, "sale")
	must(t, e.Begin("hash"))
	crash(t, &p.entries, address)
	must(t, e.Settled("id-1"))
	must(t, e.Close())
	if e := opened(t, machine(t, address), "sale"); e.State().ID != "id-1" {
		t.Errorf("%+v", e.State())
	}
}

func postgresStopsAfterAnother(t *testing.T, address string) {
	p, other := machine(t, address), machine(t, address)
	e := opened(t, p, "sale")
	crash(t, &p.entries, address)
	meanwhile := opened(t, other, "sale")
	if err := e.Begin("mine"); err == nil || !strings.Contains(err.Error(), "another run holds the entry") {
		t.Errorf("while another one holds it: %v", err)
	}
	must(t, meanwhile.Begin("theirs"))
	must(t, meanwhile.Close())
	if err := e.Begin("mine"); err == nil || !strings.Contains(err.Error(), "another run has changed the entry") {
		t.Errorf("after another one has changed it: %v", err)
	}
	must(t, e.Close())
	if e := opened(t, other, "sale"); e.State().Note != "theirs" {
		t.Errorf("%+v", e.State())
	}
}

// A pooler gives each statement the connection that is free.
func postgresPooler(t *testing.T, address string) {
	p, free := machine(t, address), machine(t, address)
	e := opened(t, p, "sale")
	must(t, free.Check(t.Context()))
	p.entries.conn, free.entries.conn = free.entries.conn, p.entries.conn
	if err := e.Begin("hash"); err == nil || !errors.As(err, new(*UnavailableError)) {
		t.Error(err)
	}
	if err := e.Forget(); err == nil {
		t.Error("nothing is wrong")
	}
}

func postgresTables(t *testing.T, address string) {
	var all sync.WaitGroup
	for n := range 10 {
		p := machine(t, address)
		all.Go(func() {
			e := opened(t, p, fmt.Sprint(n))
			must(t, errors.Join(e.Begin(""), e.Close()))
			must(t, p.UpdateBudget("abc", func([]byte, time.Time) []byte { return []byte("{}") }))
		})
	}
	all.Wait()
}

func postgresGivenTables(t *testing.T, address string) {
	must(t, machine(t, address).Check(t.Context())) // By somebody who may.
	fixture.Execute(t, address, "CREATE ROLE runner LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON "+journalTable+", "+budgetTable+" TO runner")
	e := opened(t, machine(t, strings.Replace(address, "einvoice:", "runner:", 1)), "sale")
	must(t, errors.Join(e.Begin("hash"), e.Settled("id"), e.Forget(), e.Close()))
}

func postgresRefusals(t *testing.T, address string) {
	e := opened(t, machine(t, address), "sale")
	fixture.Execute(t, address, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON `+journalTable+` FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	refused := e.Begin("hash")
	fixture.Execute(t, address, "ALTER DATABASE "+address[strings.LastIndex(address, "/")+1:strings.Index(address, "?")]+" SET default_transaction_read_only = on")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"full disk": {refused, "the database answered: could not extend file (SQLSTATE 53100)"},
		"replica":   {machine(t, address).Check(t.Context()), "the database answered: it is read-only (SQLSTATE 25006)"},
		"unknown database": {
			machine(t, strings.Replace(address, "/test", "/no", 1)).Check(t.Context()), "the database answered: database",
		},
		"wrong role": {machine(t, strings.Replace(address, "einvoice:", "nobody:", 1)).Check(t.Context()), `the database answered: role "nobody" does not exist (SQLSTATE 28000)`},
		"no TLS there": {
			machine(t, strings.Replace(address, "sslmode=disable", "sslmode=require", 1)).Check(t.Context()), "no connection to the database could be made",
		},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) || strings.Contains(test.err.Error(), "a-secret") {
			t.Errorf("%s: %v, want %s", name, test.err, test.want)
		}
	}
}

func postgresForgets(t *testing.T, address string) {
	p := machine(t, address)
	for _, sale := range []string{"begun", "in no state", "settled", "settled lately"} {
		e := opened(t, p, sale)
		switch sale {
		case "begun":
			must(t, e.Begin("hash"))
		case "in no state":
			must(t, e.Keep("id", "hash"))
		default:
			must(t, e.Settled("id"))
		}
		if must(t, e.Close()); sale != "settled lately" {
			fixture.Execute(t, address, "UPDATE "+journalTable+" SET changed = changed - interval '31 days', begun = begun - interval '31 days' WHERE hash = '"+hashOf("invoice", []string{sale})+"'")
		}
	}
	later := machine(t, address)
	for sale, want := range map[string]bool{"begun": true, "in no state": true, "settled": false, "settled lately": true} {
		if s := opened(t, later, sale).State(); (s != State{}) != want {
			t.Errorf("%s: %+v", sale, s)
		}
	}
}

func postgresBudget(t *testing.T, address string) {
	var all sync.WaitGroup
	for range 4 {
		p := machine(t, address)
		all.Go(func() {
			for range 25 {
				must(t, p.UpdateBudget("abc", func(document []byte, _ time.Time) []byte { return append(document, '+') }))
			}
		})
	}
	all.Wait()
	p := machine(t, address)
	must(t, p.UpdateBudget("abc", func(document []byte, _ time.Time) []byte {
		if len(document) != 100 {
			t.Errorf("%d of 100 changes are kept", len(document))
		}
		return nil
	}))
	must(t, p.UpdateBudget("def", func(document []byte, _ time.Time) []byte {
		if document != nil {
			t.Errorf("a new key has %q", document)
		}
		return nil
	}))
	// A budget that cannot be used is left alone for a while, and its neighbors are not.
	fixture.Execute(t, address, "ALTER TABLE "+budgetTable+" RENAME TO other")
	first := p.UpdateBudget("abc", func([]byte, time.Time) []byte { return nil })
	second := p.UpdateBudget("abc", func([]byte, time.Time) []byte { return nil })
	if !errors.As(first, new(*UnavailableError)) || !errors.Is(second, errResting) {
		t.Errorf("%v, then %v", first, second)
	}
	must(t, opened(t, p, "sale").Close())
}

// The clocks of two machines are not compared.
func postgresClock(t *testing.T, address string) {
	p := machine(t, address)
	e := opened(t, p, "sale")
	must(t, errors.Join(e.Begin("hash"), e.Close()))
	before := time.Now().Round(0)
	fixture.Execute(t, address, "UPDATE "+journalTable+" SET begun = clock_timestamp() - interval '90 seconds'")
	if moved := opened(t, machine(t, address), "sale").State().Begun.Add(90 * time.Second); moved.Before(before) || moved.After(time.Now()) {
		t.Errorf("the row was moved at %s", moved)
	}
	fixture.Execute(t, address, "UPDATE "+journalTable+" SET begun = clock_timestamp() + interval '1 hour'")
	if age := time.Since(opened(t, machine(t, address), "another").State().Begun); age < 0 {
		t.Errorf("it began in the future: %s", age)
	}
}

// TestPostgres_comesBack stops the server.
func TestPostgres_comesBack(t *testing.T) {
	t.Parallel()
	server := fixture.Postgres(t)
	p := machine(t, server.URL(""))
	e := opened(t, p, "sale")
	must(t, e.Begin("hash"))
	server.Stop()
	if err := e.Settled("id"); !errors.As(err, new(*UnavailableError)) || strings.Contains(err.Error(), "a-secret") {
		t.Errorf("without a server: %v", err)
	}
	if _, err := p.Entry(t.Context(), "invoice", "another"); !errors.As(err, new(*UnavailableError)) || !strings.Contains(err.Error(), "cannot be reached: connect: connection refused") {
		t.Errorf("without a server: %v", err)
	}
	server.Start()
	must(t, e.Settled("id"))
	must(t, errors.Join(e.Close(), opened(t, p, "another").Close()))
}

// postgresHangs loses what is sent over a connection, or over a new one.
func postgresHangs(t *testing.T, address string) {
	server, err := url.Parse(address)
	must(t, err)
	wire := fixture.NewWire(t, server.Host)
	p := machine(t, wire.Through(address))
	e := opened(t, p, "sale")
	must(t, e.Begin("hash"))
	must(t, p.UpdateBudget("abc", func([]byte, time.Time) []byte { return []byte("{}") }))
	entry, budget := p.entries.timeout, p.budgets.timeout
	p.entries.timeout, p.budgets.timeout = 300*time.Millisecond, 300*time.Millisecond
	wire.Hang()
	for what, failed := range map[string]error{
		"an entry that is open": e.Settled("id"),
		"a new entry":           func() error { _, err := p.Entry(t.Context(), "invoice", "another"); return err }(),
		"a budget":              p.UpdateBudget("abc", func([]byte, time.Time) []byte { return nil }),
	} {
		if !errors.As(failed, new(*UnavailableError)) || !strings.HasSuffix(failed.Error(), "the database did not answer in time") {
			t.Errorf("%s: %v", what, failed)
		}
	}
	wire.Heal()
	p.entries.timeout, p.budgets.timeout = entry, budget
	for e.Settled("id") != nil { // The server frees the entry when it has noticed.
	}
	must(t, e.Close())
	if held := opened(t, machine(t, address), "sale").State(); held.ID != "id" {
		t.Errorf("another machine finds %+v", held)
	}
}

func TestOpenPostgres_showsNothingOfTheURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "a-secret", "mysql://user:a-secret@host/db", "postgresql://user:a-secret@host/db", "postgres://user:a-secret@host:port/db", "postgres://user:a-secret@/db",
		"postgres://user:a-sec%ret@host/db", "postgres://user:a-secret@host/db?sslmode=perhaps", "postgres://user:a-secret@host/db?sslrootcert=/no/a-secret&sslmode=verify-full", "host=a-secret",
	} {
		if _, err := OpenPostgres(address); err == nil || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := OpenPostgres("postgres://user:a%40secret@host:5433/db?sslmode=disable"); err != nil {
		t.Error(err)
	}
}
