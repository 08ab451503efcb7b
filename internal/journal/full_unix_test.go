//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// fullVariable makes the test binary a second process that may write no byte more
// to any file, as on a full disk.
const fullVariable = "JOURNAL_TEST_FULL"

func beginOnAFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}); err != nil {
		return err
	}
	e, err := OpenFiles(dir).Entry(context.Background(), "invoice", "a")
	if err != nil {
		return err
	}
	before := e.State()
	if err := e.Begin("never written"); err == nil && e.Durable() {
		return errors.New("a begun request counts as written down")
	}
	if countUp(OpenFiles(dir)) == nil {
		return errors.New("a budget counts as written down")
	}
	fmt.Printf("durable %t, id %q, then %q", e.Durable(), before.ID, e.State().ID)
	return e.Close()
}

func TestOpen_keepsWhatItKnowsOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, dir, begin("n"), "invoice", "a")
	record(t, dir, settle("id-1"), "invoice", "a")
	if err := countUp(OpenFiles(dir)); err != nil {
		t.Fatal(err)
	}

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), fullVariable+"="+dir)
	var problem strings.Builder
	cmd.Stderr = &problem
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &problem)
	}
	if got, want := string(output), `durable true, id "id-1", then "id-1"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := stateOf(t, dir, "invoice", "a"); got.ID != "id-1" || got.Note != "n" {
		t.Errorf("the state is %v, want the one from before", got)
	}
	if held := document(t, OpenFiles(dir)); string(held) != "1" {
		t.Errorf("the budget is %q, want the one from before", held)
	}
	if entries, err := os.ReadDir(folderOf(dir)); err != nil || len(entries) > 3 {
		t.Errorf("%d files are left behind: %v, %v", len(entries), entries, err)
	}
}
