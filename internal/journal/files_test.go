package journal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// processVariable makes the test binary a second process, which does what it names in
// the directory that is its argument.
const processVariable = "JOURNAL_TEST_PROCESS"

var sale = KeyOf("invoice", "a")

func TestMain(m *testing.M) {
	acts := map[string]func(f *Files) error{"swap": swapOften, "full disk": sendOnAFullDisk}
	if act := acts[os.Getenv(processVariable)]; act != nil {
		if err := act(OpenFiles(os.Args[1])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	_ = flag.Set("rapid.checks", "25") // Unless the command says otherwise.
	os.Exit(m.Run())
}

func process(t *testing.T, act, dir string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), binary, dir)
	cmd.Env = append(os.Environ(), processVariable+"="+act)
	cmd.Stderr = os.Stderr
	return cmd
}

const swapsOfAll = 200

// swapOften counts up in the record until it is at 200, and prints how often it won.
func swapOften(f *Files) error {
	won := 0
	for {
		record, version, err := f.Load(context.Background(), sale)
		count, _ := strconv.Atoi(record.Note)
		if err != nil || count == swapsOfAll {
			fmt.Println(won)
			return err
		}
		_, err = f.Swap(context.Background(), sale, version, Record{Phase: Sending, Note: strconv.Itoa(count + 1)})
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrChanged):
			return err
		}
	}
}

func TestFiles_letOneOfTwoProcessesWin(t *testing.T) {
	t.Parallel()
	dir, all := t.TempDir(), 0
	var outputs [2]strings.Builder
	var commands [2]*exec.Cmd
	for n := range commands {
		commands[n] = process(t, "swap", dir)
		commands[n].Stdout = &outputs[n]
		must(t, commands[n].Start())
	}
	for n, cmd := range commands {
		must(t, cmd.Wait())
		won, err := strconv.Atoi(strings.TrimSpace(outputs[n].String()))
		must(t, err)
		all += won
	}
	expect.Is(t, all, swapsOfAll, "%q were won of", []string{outputs[0].String(), outputs[1].String()})
}

// A process that is killed at any moment leaves a record that can be read, and no lock.
func TestFiles_outliveAKilledProcess(t *testing.T) {
	t.Parallel()
	dir, last := t.TempDir(), 0
	f := OpenFiles(dir)
	for n := range 12 {
		cmd := process(t, "swap", dir)
		must(t, cmd.Start())
		<-time.After(time.Duration(20+8*n) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		record, version := load(t, f, sale)
		count, err := strconv.Atoi(record.Note)
		if version == 0 && last == 0 {
			continue
		}
		if version <= 0 || err != nil || count < last || record.Phase != Sending {
			t.Fatalf("after %d: version %d, %+v", last, version, record)
		}
		last = count % swapsOfAll
		_, err = f.Swap(t.Context(), sale, version, Record{Phase: Sending, Note: strconv.Itoa(last)})
		must(t, err)
	}
}

// What somebody holds, stopped or not, can be read, and is not waited for long.
func TestFiles_giveUpAStoppedHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := OpenFiles(t.TempDir())
		version := put(t, f, sale, Record{Phase: Sending, Note: "of another process"})
		path := filepath.Join(f.dir, folder)
		must(t, os.Chtimes(filepath.Join(path, pruneMark), time.Now(), time.Now())) // The disk has another time.
		held, err := f.lock(t.Context(), sale)
		must(t, err)
		begun := time.Now()
		if record, _ := load(t, f, sale); record.Note != "of another process" || time.Since(begun) > 0 {
			t.Errorf("%+v after %s", record, time.Since(begun))
		}
		for _, timeout := range []time.Duration{time.Second, time.Hour} {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			_, err := f.Swap(ctx, sale, version, Record{})
			cancel()
			if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrInMemory) ||
				!strings.Contains(err.Error(), f.Where(sale)) || took.Round(time.Second) != min(timeout, lockPatience) {
				t.Errorf("%v after %s", err, took)
			}
		}
		put(t, f, KeyOf("invoice", "b"), Record{}) // Its lock is another one.
		// Neither does pruning wait.
		must(t, os.WriteFile(f.Where(sale), []byte(`{"version":7,"stamp":"1990-01-01T00:00:00Z"}`), 0o600))
		makeOld(t, f.Where(sale))
		f.prune(t.Context(), path, time.Now().Add(-keepFor))
		if _, version := load(t, f, sale); version != 7 {
			t.Errorf("version %d", version)
		}
		must(t, held.Close())
		put(t, f, sale, Record{})
	})
}

func TestFiles_takeDamageForARequest(t *testing.T) {
	t.Parallel()
	changed := time.Now().Add(-time.Hour).Truncate(time.Second)
	for name, damage := range map[string]func(valid string) string{
		"empty":               func(string) string { return "" },
		"cut off":             func(s string) string { return s[:len(s)-4] },
		"followed by more":    func(s string) string { return s + "x" },
		"zeros":               func(s string) string { return strings.Repeat("\x00", len(s)) },
		"another object":      func(string) string { return `{"id":"1"}` },
		"null":                func(string) string { return "null" },
		"a phase to come":     func(s string) string { return strings.Replace(s, `"settled"`, `"queued"`, 1) },
		"longer than is read": func(s string) string { return s[:10] + strings.Repeat(" ", maxRecord) + s[10:] },
		"at no time":          func(s string) string { return strings.Replace(s, `"stamp":"`, `"stamp":"x`, 1) },
	} {
		rows.Case(t, name, func(t *testing.T) {
			f := OpenFiles(t.TempDir())
			before := put(t, f, sale, Record{Phase: Settled, Result: "id-1"})
			raw, err := os.ReadFile(f.Where(sale))
			must(t, err)
			damaged := damage(string(raw))
			if damaged == string(raw) {
				t.Fatal("the content is unchanged")
			}
			must(t, os.WriteFile(f.Where(sale), []byte(damaged), 0o600))
			must(t, os.Chtimes(f.Where(sale), changed, changed))
			record, version := load(t, f, sale)
			if want := (Record{Phase: Sending, Stamp: record.Stamp}); record != want || !record.Stamp.Equal(changed) ||
				version == 0 || version == before {
				t.Errorf("version %d, %+v, want a request at %v", version, record, changed)
			}
			if _, err := f.Swap(t.Context(), sale, before, Record{}); !errors.Is(err, ErrChanged) {
				t.Errorf("from the version before: %v", err)
			}
			next, err := f.Swap(t.Context(), sale, version, Record{Phase: Settled, Result: "id-2"})
			if record, at := load(t, f, sale); err != nil || record.Result != "id-2" || at != next {
				t.Errorf("version %d, %+v, %v", at, record, err)
			}
			// The same damage a second time is another version.
			must(t, os.WriteFile(f.Where(sale), []byte(damaged), 0o600))
			if _, again := load(t, f, sale); again == version {
				t.Errorf("version %d came again", again)
			}
		})
	}
}

// Whatever a file holds is understood, and then the same when it is written back, or
// means that a request has left. It never means that nothing is known.
func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		`{"version":1,"phase":"settled","stamp":"2026-11-21T01:00:00Z","result":"1","held":true}`,
		`{"version":2,"phase":"x"}`, "", "\x00\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := OpenFiles(t.TempDir())
		_, err := s.prepare(folder)
		must(t, err)
		must(t, os.WriteFile(s.Where(sale), raw, 0o600))
		record, version := load(t, s, sale)
		if version == 0 || version < 0 && record.Phase != Sending {
			t.Fatalf("%q reads as version %d, %+v", raw, version, record)
		}
		if _, err := s.Swap(t.Context(), sale, version, record); err != nil {
			return // A time that JSON cannot hold.
		}
		again, _ := load(t, s, sale)
		if again.Stamp.Sub(record.Stamp).Abs() > time.Minute && !record.Stamp.IsZero() {
			t.Errorf("%v, then %v", record.Stamp, again.Stamp)
		}
		if again.Stamp = record.Stamp; again != record {
			t.Errorf("%q reads as %+v, and after writing that as %+v", raw, record, again)
		}
	})
}

func TestFiles_rememberWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, other := OpenFiles(dir), OpenFiles(dir)
	first := put(t, f, sale, Record{Phase: Settled, Result: "id-1"})
	lock := filepath.Join(dir, folder, sale.hash[:2]+lockSuffix)
	must(t, os.Remove(lock))
	must(t, os.Mkdir(lock, 0o700))
	version, err := f.Swap(t.Context(), sale, first, Record{Phase: Sending})
	if !errors.Is(err, ErrInMemory) || version == 0 {
		t.Fatalf("version %d, %v", version, err)
	}
	// Every store of the process knows, and it is written when it is swapped next.
	if record, at := load(t, other, sale); record.Phase != Sending || at != version {
		t.Errorf("version %d, %+v", at, record)
	}
	must(t, os.Remove(lock))
	kept, err := other.Swap(t.Context(), sale, version, Record{Phase: Settled, Result: "id-2"})
	if record, at := load(t, f, sale); err != nil || at != kept || record.Result != "id-2" ||
		f.read(f.Where(sale)).Version != kept {
		t.Errorf("version %d, %+v, %v", at, record, err)
	}
	// What another process has written meanwhile is newer.
	must(t, os.Remove(lock))
	must(t, os.Mkdir(lock, 0o700))
	version, _ = f.Swap(t.Context(), sale, kept, Record{Phase: Sending})
	must(t, write(f.Where(sale), versioned{newVersion(), Record{Phase: Sending, Note: "theirs"}}, true))
	if record, _ := load(t, f, sale); record.Note != "theirs" {
		t.Errorf("%+v", record)
	}
	if _, err := f.Swap(t.Context(), sale, version, Record{}); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}

func TestFiles_takeNoTimeOfTheFuture(t *testing.T) {
	t.Parallel()
	f := OpenFiles(t.TempDir())
	put(t, f, sale, Record{Phase: Sending, Stamp: time.Now().Add(time.Hour)})
	if record, _ := load(t, f, sale); time.Until(record.Stamp) > 0 {
		t.Errorf("%v", record.Stamp)
	}
}

// aging are records that a store meets much later, and stays says which of them it keeps.
func aging(old time.Time) map[string]Record {
	return map[string]Record{
		"sending": {Phase: Sending, Stamp: old}, "in no state": {Phase: Settled, Stamp: old},
		"held": {Phase: Settled, Held: true, Stamp: old}, "idle": {Stamp: old}, "swapped lately": {Phase: Settled, Held: true},
	}
}

var stays = map[string]bool{"sending": true, "in no state": true, "swapped lately": true}

func TestFiles_pruneOldRecordsOnly(t *testing.T) {
	t.Parallel()
	f := OpenFiles(t.TempDir())
	old := time.Now().Add(-keepFor - time.Hour)
	made := map[string]bool{} // whether it stays
	for name, record := range aging(old) {
		key := KeyOf("invoice", name)
		put(t, f, key, record)
		made[f.Where(key)] = stays[name]
	}
	dir := filepath.Join(f.dir, folder)
	for name, stays := range map[string]bool{
		"somebody's.json": true, "other": true, "killed" + suffix + tempSuffix: false, sale.name() + suffix: true,
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
		made[filepath.Join(dir, name)] = stays
	}
	young := KeyOf("invoice", "young")
	put(t, f, young, Record{})
	for path := range made {
		makeOld(t, path)
	}
	made[f.Where(young)] = true
	mark := filepath.Join(dir, pruneMark)
	put(t, f, KeyOf("invoice", "the same day"), Record{})
	for path := range made {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("on the same day: %v", err)
		}
	}
	// A mark of the future would end pruning for good.
	must(t, os.Chtimes(mark, time.Now(), time.Now().Add(time.Hour)))
	put(t, f, KeyOf("invoice", "another day"), Record{})
	for path, stays := range made {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s stays: %t, %v", path, stays, err)
		}
	}
	if _, version := load(t, f, KeyOf("invoice", "idle")); version != 0 {
		t.Errorf("version %d of what was removed", version)
	}
}

func TestFiles_showNothingToOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	must(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
	put(t, OpenFiles(dir), KeyOf("invoice", "secretkey"), Record{Phase: Sending})
	must(t, countUp(OpenFiles(dir)))
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		must(t, err)
		info, err := d.Info()
		must(t, err)
		want := map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()]
		if got := info.Mode().Perm(); got != want && runtime.GOOS != "windows" || strings.Contains(path, "secretkey") {
			t.Errorf("%s has the permissions %o, want %o", path, got, want)
		}
		return nil
	}))
}

// blocked returns a path that nobody can make a directory of, whatever rights the tests run with.
func blocked(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, nil, 0o600))
	return path
}

func makeOld(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-keepFor - time.Hour)
	must(t, os.Chtimes(path, old, old))
}

// Whoever answers at the address chooses these texts.
func TestUnavailableError_showsNothingHostile(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b[31mno\x1b]8;;https://evil.example\x07 \u202e\u2066 p%ss word p%25ss%20word\r\nError: \u009b2J \xff\x00"
	p := &Postgres{password: "p%ss word"}
	for name, cause := range map[string]error{
		"the database": &pgconn.PgError{Message: hostile, Code: hostile},
		"the network":  &net.OpError{Op: "dial", Err: errors.New(hostile)},
		"a name":       &net.OpError{Op: "dial", Err: &net.DNSError{Err: hostile, Name: hostile}},
		"two schemas":  twoTablesError(hostile),
		"a long text":  errors.New(strings.Repeat("ç", 9999)),
		"anything":     fmt.Errorf("failed: %w", errors.Join(errors.New(hostile), context.Canceled)),
	} {
		err := p.unavailable(cause)
		odd := strings.IndexFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) })
		if odd >= 0 || len(err.Error()) > maxText+len("...") || strings.Contains(err.Error(), "ss word") || strings.Contains(err.Error(), "ss%20word") {
			t.Errorf("%s: %q", name, err.Error())
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: the cause is lost", name)
		}
	}
}
