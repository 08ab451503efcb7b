package journal

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// keeper is a place of records, and what several runners open it by.
type keeper struct {
	runners []Store
	remove  func(Key) // as a person does, or time
	kept    bool      // what a swap returns has no error
}

func filesKeeper(t *testing.T, dir string) keeper {
	f := OpenFiles(dir)
	return keeper{[]Store{f, OpenFiles(dir)}, func(key Key) { must(t, os.RemoveAll(f.Where(key))) }, true}
}

func postgresKeeper(t *testing.T, first, second string) keeper {
	return keeper{[]Store{machine(t, first), machine(t, second)}, func(key Key) {
		fixture.Execute(t, first, "DELETE FROM "+journalTable+" WHERE hash = '"+key.hash+"'")
	}, true}
}

func TestFiles_isAStore(t *testing.T) { t.Parallel(); checkStore(t, filesKeeper(t, t.TempDir())) }

func TestFiles_isAStoreInMemory(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", blocked(t)} {
		k := filesKeeper(t, dir)
		k.kept, k.remove = false, nil
		checkStore(t, k)
	}
}

var sales atomic.Int64

func newSale() Key { return KeyOf("invoice", fmt.Sprint(sales.Add(1))) }

// checkStore compares a store with a record and its version, whatever several runners do.
func checkStore(t *testing.T, k keeper) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		key, want, version := newSale(), Record{}, Version(0)
		seen := map[Version]bool{}
		past := []Version{0, 1, -1}
		runner := rapid.SampledFrom(k.runners)
		text := rapid.SampledFrom([]string{"", "a", "ção 'x' \\ \n", "\x00\u2028<"})
		swapped := func(to Record, next Version, err error) {
			if (err == nil) != k.kept || !k.kept && !errors.Is(err, ErrInMemory) || next == 0 || seen[next] {
				r.Fatalf("version %d, seen before: %t, %v", next, seen[next], err)
			}
			seen[next] = true
			want, version, past = to, next, append(past, next)
			if want.Stamp.IsZero() {
				want.Stamp = time.Now()
			}
		}
		draw := func(r *rapid.T) Record {
			to := Record{
				Phase: rapid.SampledFrom([]Phase{Idle, Sending, Settled}).Draw(r, "phase"), Result: text.Draw(r, "result"),
				Note: text.Draw(r, "note"), Held: rapid.Bool().Draw(r, "held"),
				Run: text.Draw(r, "run"),
			}
			if rapid.Bool().Draw(r, "stamped") {
				to.Stamp = time.Now().Add(-time.Duration(rapid.IntRange(1, 1e6).Draw(r, "age")) * time.Second).Round(0).UTC()
			}
			return to
		}
		r.Repeat(map[string]func(*rapid.T){
			"": func(r *rapid.T) {
				got, at, err := runner.Draw(r, "runner").Load(t.Context(), key)
				if err != nil || at != version || got.Stamp.Sub(want.Stamp).Abs() > time.Minute {
					r.Fatalf("version %d from %v, %v; want %d from %v", at, got.Stamp, err, version, want.Stamp)
				}
				got.Stamp = want.Stamp
				if diff := cmp.Diff(want, got); diff != "" {
					r.Fatalf("-want +got\n%s", diff)
				}
			},
			"swap": func(r *rapid.T) {
				from, to := version, draw(r)
				if rapid.Bool().Draw(r, "late") {
					from = rapid.SampledFrom(past).Draw(r, "from")
				}
				next, err := runner.Draw(r, "runner").Swap(t.Context(), key, from, to)
				if from == version {
					swapped(to, next, err)
				} else if !errors.Is(err, ErrChanged) || next != 0 {
					r.Fatalf("version %d from a former one, %v", next, err)
				}
			},
			"race": func(r *rapid.T) {
				var all sync.WaitGroup
				var next [4]Version
				var errs [4]error
				to := draw(r)
				for n := range next {
					to := to
					to.Run = fmt.Sprint(n)
					all.Go(func() { next[n], errs[n] = k.runners[n%2].Swap(t.Context(), key, version, to) })
				}
				all.Wait()
				winner := -1
				for n, err := range errs {
					switch {
					case errors.Is(err, ErrChanged):
					case winner >= 0:
						r.Fatalf("two swaps from one version: %v", errs)
					default:
						winner = n
					}
				}
				if winner < 0 {
					r.Fatalf("nobody was first: %v", errs)
				}
				to.Run = fmt.Sprint(winner)
				swapped(to, next[winner], errs[winner])
			},
			"remove": func(r *rapid.T) {
				if k.remove == nil || rapid.IntRange(0, 3).Draw(r, "seldom") > 0 {
					r.Skip()
				}
				k.remove(key)
				want, version = Record{}, 0
			},
		})
	})
}

func TestKeyOf_keepsPartsApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, list := range rows.Read[[][]string](t, "key_of_keeps_parts_apart.json") {
		name := KeyOf(list[0], list[1:]...).name()
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q share a record", list, other)
		}
		seen[name] = list
	}
}

func load(t *testing.T, s Store, key Key) (Record, Version) {
	t.Helper()
	record, version, err := s.Load(t.Context(), key)
	must(t, err)
	return record, version
}

// put swaps whatever is there.
func put(t *testing.T, s Store, key Key, to Record) Version {
	t.Helper()
	_, version := load(t, s, key)
	next, err := s.Swap(t.Context(), key, version, to)
	must(t, err)
	return next
}

func must(t *testing.T, err error) {
	t.Helper()
	expect.NoError(t, err)
}

const budgetKey = "0123abcd"

// budgets are a place of budgets.
type budgets interface {
	UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error
}

func unchanged([]byte, time.Time) []byte { return nil }

// countUp adds one to the number that the document is.
func countUp(b budgets) error {
	return b.UpdateBudget(budgetKey, func(document []byte, _ time.Time) []byte {
		n, _ := strconv.Atoi(string(document))
		return []byte(strconv.Itoa(n + 1))
	})
}

// document reads the budget without changing it.
func document(t *testing.T, b budgets) []byte {
	t.Helper()
	var held []byte
	before := time.Now().Truncate(time.Microsecond)
	must(t, b.UpdateBudget(budgetKey, func(document []byte, now time.Time) []byte {
		if now.Before(before) || now.After(time.Now()) {
			t.Errorf("the store's clock says %s", now)
		}
		held = document
		return nil
	}))
	return held
}

// checkBudget expects no change to be lost, whoever makes it.
func checkBudget(t *testing.T, open func() budgets) {
	t.Helper()
	if held := document(t, open()); held != nil {
		t.Errorf("%q is kept at first", held)
	}
	var running sync.WaitGroup
	for range 4 {
		b := open()
		running.Go(func() {
			for range 10 {
				if err := countUp(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	if held := document(t, open()); string(held) != "40" {
		t.Errorf("%s of 40 changes are kept", held)
	}
}

// Time stands still while one of them works, so that none waits too long.
func TestFiles_keepABudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new", "cache")
		checkBudget(t, func() budgets { return OpenFiles(dir) })
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Fatalf("files %v, %v", entries, err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), "rate-"+budgetKey) {
				t.Errorf("file %s", entry.Name())
			}
		}
	})
}

func TestUpdateBudget_failsWhereItCannotBeKept(t *testing.T) {
	t.Parallel()
	inTheWay := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(inTheWay, "rate-"+budgetKey+".json", "x"), 0o700))
	for name, f := range map[string]*Files{
		"no directory": OpenFiles(""), "a file in place of the directory": OpenFiles(blocked(t)),
		"a directory in place of the file": OpenFiles(inTheWay),
	} {
		if err := countUp(f); err == nil {
			t.Errorf("%s: the change counts as kept", name)
		}
	}
	if held := document(t, OpenFiles(inTheWay)); held == nil || len(held) > 0 {
		t.Errorf("what cannot be read is %q, want an empty document", held)
	}
}

func TestUpdateBudget_givesUpAStoppedHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		lock, err := lockFile(t.Context(), filepath.Join(dir, "rate-"+budgetKey+lockSuffix), lockRetry)
		must(t, err)
		f := OpenFiles(dir)
		begun := time.Now()
		if err := countUp(f); err == nil || time.Since(begun) > budgetPatience {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		must(t, lock.Close())
		must(t, countUp(f))
	})
}

// TestPostgres shares one server, which takes a second to make.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := fixture.Postgres(t)
	for name, test := range map[string]func(*testing.T, string){
		"is a store":                        func(t *testing.T, address string) { checkStore(t, postgresKeeper(t, address, address)) },
		"reads what is locked":              postgresReadsLocked,
		"counts by the clock of the server": postgresClock,
		"knows a swap whose answer is lost": postgresLostAnswer,
		"knows a swap that comes late":      postgresLateSwap,
		"does without idle connections":     postgresIdle,
		"does not wait for ever":            postgresHangs,
		"ten machines make the tables":      postgresTables,
		"takes the tables that it is given": postgresGivenTables,
		"refuses two schemas":               postgresTwoSchemas,
		"says what the database refuses":    postgresRefusals,
		"takes a strange row for a request": postgresDamage,
		"forgets what is settled":           postgresForgets,
		"keeps a budget":                    postgresBudget,
	} {
		rows.Case(t, name, func(t *testing.T) {
			test(t, server.Fresh(t))
		})
	}
	for _, connections := range []int{1, 3} {
		rows.Case(t, fmt.Sprintf("through a pooler with %d connections", connections), func(t *testing.T) {
			pooler, address := server.Pool(t, connections), server.Fresh(t)
			pooled := pooler.Through(address) + "&default_query_exec_mode=exec"
			checkStore(t, postgresKeeper(t, pooled, pooled))
			checkStore(t, postgresKeeper(t, address, pooled))
			postgresBudget(t, pooled)
		})
	}
}

func machine(t *testing.T, address string) *Postgres {
	t.Helper()
	p, err := OpenPostgres(address)
	must(t, err)
	t.Cleanup(p.pool.Close)
	return p
}

// lockRow locks the record's row as somebody else's transaction, until the function that it returns is called.
func lockRow(t *testing.T, address string, key Key) (unlock func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	must(t, err)
	_, err = conn.Exec(t.Context(), "BEGIN; SELECT FROM "+journalTable+" WHERE hash = '"+key.hash+"' FOR UPDATE")
	must(t, err)
	return func() { _ = conn.Close(context.WithoutCancel(t.Context())) }
}

func postgresReadsLocked(t *testing.T, address string) {
	p := machine(t, address)
	put(t, p, sale, Record{Phase: Settled, Held: true, Stamp: time.Now().Add(-keepFor - time.Hour)})
	defer lockRow(t, address, sale)()
	begun := time.Now()
	record, _ := load(t, machine(t, address), sale) // It does not forget what is locked.
	if record.Phase != Settled || time.Since(begun) > 2*time.Second {
		t.Errorf("%+v after %s", record, time.Since(begun))
	}
}

// The clocks of two machines are not compared. That of a bubble is at the year 2000.
func postgresClock(t *testing.T, address string) {
	p, another := machine(t, address), newSale()
	put(t, p, sale, Record{Phase: Sending, Stamp: time.Now().Add(-time.Hour)})
	synctest.Test(t, func(t *testing.T) {
		late, err := OpenPostgres(address)
		must(t, err)
		defer late.pool.Close()
		record, _ := load(t, late, sale)
		if age := time.Since(record.Stamp); time.Now().Year() > 2001 || age.Round(time.Minute) != time.Hour {
			t.Errorf("%s old, in %s", age, time.Now())
		}
		put(t, late, sale, record) // Its age stays.
		put(t, late, another, Record{Phase: Sending})
	})
	for key, want := range map[Key]time.Duration{sale: time.Hour, another: 0} {
		if record, _ := load(t, p, key); time.Since(record.Stamp).Round(time.Minute) != want {
			t.Errorf("%s old, want %s", time.Since(record.Stamp), want)
		}
	}
	fixture.Execute(t, address, "UPDATE "+journalTable+" SET stamp = clock_timestamp() + interval '1 hour'")
	if record, _ := load(t, p, sale); time.Since(record.Stamp) < 0 {
		t.Errorf("it left in the future: %s", record.Stamp)
	}
}

func wire(t *testing.T, address string) (*fixture.Wire, *Postgres) {
	t.Helper()
	server, err := url.Parse(address)
	must(t, err)
	w := fixture.NewWire(t, server.Host)
	return w, machine(t, w.Through(address))
}

func postgresLostAnswer(t *testing.T, address string) {
	wire, p := wire(t, address)
	_, version := load(t, p, sale)
	for n := range 4 { // The first one inserts.
		wire.CutAnswers(1 + n%2)
		next, err := p.Swap(t.Context(), sale, version, Record{Phase: Sending, Note: fmt.Sprint(n)})
		must(t, err)
		if record, at := load(t, p, sale); at != next || record.Note != fmt.Sprint(n) {
			t.Errorf("version %d, want %d, %+v", at, next, record)
		}
		version = next
	}
	put(t, p, sale, Record{})
	wire.CutAnswers(1)
	if _, err := p.Swap(t.Context(), sale, version, Record{}); !errors.Is(err, ErrChanged) {
		t.Errorf("of another's swap: %v", err)
	}
}

// A connection is cut while its statement waits, which may be carried out later.
func postgresLateSwap(t *testing.T, address string) {
	wire, p := wire(t, address)
	version, other := put(t, p, sale, Record{}), machine(t, address)
	unlock := lockRow(t, address, sale)
	done := make(chan error, 1)
	go func() { _, err := p.Swap(t.Context(), sale, version, Record{Phase: Sending}); done <- err }()
	for range 2 {
		for count, tries := 0, 0; count == 0 && tries < 500; tries++ {
			must(t, other.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
				WHERE wait_event_type = 'Lock' AND datname = current_database()`).Scan(&count))
			<-time.After(10 * time.Millisecond)
		}
		wire.Heal() // It ends all connections.
	}
	unlock()
	must(t, <-done)
}

func postgresIdle(t *testing.T, address string) {
	p := machine(t, address)
	const endings = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`
	for n := range 3 {
		put(t, p, sale, Record{Note: fmt.Sprint(n)})
		fixture.Execute(t, address, endings)
		if record, _ := load(t, p, sale); record.Note != fmt.Sprint(n) {
			t.Errorf("%+v", record)
		}
		fixture.Execute(t, address, endings)
	}
}

func postgresHangs(t *testing.T, address string) {
	wire, p := wire(t, address)
	put(t, p, sale, Record{})
	wire.Hang()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, _, entry := p.Load(ctx, sale)
	budget := p.UpdateBudget("abc", unchanged)
	for what, err := range map[string]error{"a record": entry, "a budget": budget} {
		if !errors.As(err, new(*UnavailableError)) || !strings.HasSuffix(err.Error(), "the database did not answer in time") {
			t.Errorf("%s: %v", what, err)
		}
	}
	wire.Heal()
	put(t, p, sale, Record{})
}

func postgresTables(t *testing.T, address string) {
	var all sync.WaitGroup
	for range 10 {
		p := machine(t, address)
		all.Go(func() {
			if _, err := p.Swap(t.Context(), newSale(), 0, Record{}); err != nil {
				t.Error(err)
			}
			if err := p.UpdateBudget("abc", func([]byte, time.Time) []byte { return []byte("{}") }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func postgresGivenTables(t *testing.T, address string) {
	must(t, machine(t, address).Check(t.Context())) // By somebody who may.
	fixture.Execute(t, address, "CREATE ROLE runner LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON "+journalTable+", "+
		budgetTable+" TO runner")
	p := machine(t, strings.Replace(address, "einvoice:", "runner:", 1))
	put(t, p, sale, Record{})
	put(t, p, sale, Record{})
}

func postgresTwoSchemas(t *testing.T, address string) {
	fixture.Execute(t, address, "CREATE SCHEMA other")
	must(t, machine(t, address).Check(t.Context()))
	for name, p := range map[string]*Postgres{
		"of the table": machine(t, address+"&search_path=public"),
		"another one":  machine(t, address+"&search_path=other"),
	} {
		err := p.Check(t.Context())
		want := name == "another one"
		if (err != nil) != want || want && !strings.Contains(err.Error(), "is in schema public:") {
			t.Errorf("%s: %v", name, err)
		}
	}
	fixture.Execute(t, address, "CREATE TABLE other."+journalTable+" (LIKE "+journalTable+")")
	_, _, err := machine(t, address).Load(t.Context(), sale)
	if err == nil || !strings.Contains(err.Error(), "is in schema other and in schema public:") {
		t.Error(err)
	}
}

func postgresRefusals(t *testing.T, address string) {
	p := machine(t, address)
	must(t, p.Check(t.Context()))
	fixture.Execute(t, address, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN RAISE EXCEPTION E'could not\n\u001b[31m extend' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON `+journalTable+` FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	_, refused := p.Swap(t.Context(), sale, 0, Record{})
	database := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	fixture.Execute(t, address, "ALTER DATABASE "+database+" SET default_transaction_read_only = on")
	check := func(old, replacement string) error {
		return machine(t, strings.Replace(address, old, replacement, 1)).Check(t.Context())
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"full disk":        {refused, "the database answered: could not [31m extend (SQLSTATE 53100)"},
		"replica":          {check("", ""), "the database answered: it is read-only (SQLSTATE 25006)"},
		"unknown database": {check("/test", "/no"), "the database answered: database"},
		"wrong role":       {check("einvoice:", "nobody:"), `role "nobody" does not exist (SQLSTATE 28000)`},
	} {
		if err := test.err; err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := machine(t, strings.Replace(address, "sslmode=disable", "sslmode=require", 1)).Check(ctx); err == nil ||
		!strings.Contains(err.Error(), "no connection to the database could be made") {
		t.Error(err)
	}
}

func postgresDamage(t *testing.T, address string) {
	p := machine(t, address)
	for _, text := range []string{"", "{", `{"phase":"queued","result":"id"}`, `{"held":1}`} {
		version := put(t, p, sale, Record{Phase: Settled, Stamp: time.Now().Add(-time.Hour)})
		fixture.Execute(t, address, "UPDATE "+journalTable+" SET record = '"+text+"'")
		record, at := load(t, p, sale)
		if age := time.Since(record.Stamp); at != version || record != (Record{Phase: Sending, Stamp: record.Stamp}) ||
			age.Round(time.Minute) != time.Hour {
			t.Errorf("%q reads as version %d, %+v", text, at, record)
		}
	}
}

func postgresForgets(t *testing.T, address string) {
	p, old := machine(t, address), time.Now().Add(-keepFor-time.Hour)
	for name, record := range aging(old) {
		put(t, p, KeyOf("invoice", name), record)
	}
	later := machine(t, address)
	for name := range aging(old) {
		if _, version := load(t, later, KeyOf("invoice", name)); (version != 0) != stays[name] {
			t.Errorf("%s: version %d", name, version)
		}
	}
}

func postgresBudget(t *testing.T, address string) {
	checkBudget(t, func() budgets { return machine(t, address) })
	p := machine(t, address)
	must(t, p.UpdateBudget("of another key", func(document []byte, _ time.Time) []byte {
		if document != nil {
			t.Errorf("%q is kept", document)
		}
		return nil
	}))
	fixture.Execute(t, address, "ALTER TABLE "+budgetTable+" RENAME TO other")
	if err := p.UpdateBudget("abc", unchanged); !errors.As(err, new(*UnavailableError)) {
		t.Error(err)
	}
	put(t, p, newSale(), Record{})                  // Records do not need it.
	must(t, machine(t, address).Check(t.Context())) // It makes the table that is missing.
}

// TestPostgres_comesBack restarts the server while machines work, and stops it.
func TestPostgres_comesBack(t *testing.T) {
	t.Parallel()
	server := fixture.Postgres(t)
	p, address := machine(t, server.URL("")), server.URL("")
	put(t, p, sale, Record{})
	restarted := make(chan error)
	go func() { restarted <- server.Restart() }()
	swaps := 0
	for over := false; !over; swaps++ {
		put(t, p, sale, Record{Note: fmt.Sprint(swaps)})
		if record, _ := load(t, p, sale); record.Note != fmt.Sprint(swaps) {
			t.Fatalf("%+v", record)
		}
		select {
		case err := <-restarted:
			must(t, err)
			over = true
		default:
		}
	}
	server.Stop()
	for name, p := range map[string]*Postgres{"known": p, "new": machine(t, address)} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, _, err := p.Load(ctx, sale)
		cancel()
		if !errors.As(err, new(*UnavailableError)) || !strings.Contains(err.Error(), "cannot be reached: connect: connection refused") {
			t.Errorf("%s, without a server: %v", name, err)
		}
	}
	swapped := make(chan error)
	go func() { _, err := p.Swap(t.Context(), newSale(), 0, Record{}); swapped <- err }()
	<-time.After(300 * time.Millisecond)
	server.Start()
	must(t, <-swapped)
}

func TestOpenPostgres_showsNothingOfTheURL(t *testing.T) {
	t.Parallel()
	for _, address := range rows.Read[[]string](t, "open_postgres_shows_nothing_of_the_url.json") {
		if _, err := OpenPostgres(address); err == nil || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	p, err := OpenPostgres("postgres://user:a%40secret@host:5433/db?sslmode=disable")
	must(t, err)
	p.pool.Close()
}
