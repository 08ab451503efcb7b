package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// holdVariable makes the test binary a second process that begins a request in
// the directory it names, and holds the entry until its input ends.
const holdVariable = "JOURNAL_TEST_HOLD"

func TestMain(m *testing.M) {
	for variable, act := range map[string]func(dir string) error{holdVariable: holdUntilInputEnds, fullVariable: beginOnAFullDisk} {
		if dir := os.Getenv(variable); dir != "" {
			if err := act(dir); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func holdUntilInputEnds(dir string) error {
	e, err := OpenFiles(dir).Entry(context.Background(), "invoice", "a")
	if err != nil {
		return err
	}
	if err := e.Begin("of another process"); err != nil {
		return err
	}
	fmt.Println("begun")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return errors.Join(e.Settled("id-1"), e.Confirm(), e.Close())
}

func TestOpen_findsTheBeginOfAKilledProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := time.Now().Round(0)
	other, _ := startHolder(t, dir)

	ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
	defer cancel()
	if _, err := OpenFiles(dir).Entry(ctx, "invoice", "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v while another process holds the entry, want the deadline's", err)
	}
	closeEntry(t, open(t, dir, "invoice", "b"))

	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err == nil {
		t.Fatal("the other process ended by itself")
	}
	got := stateOf(t, dir, "invoice", "a")
	if got.Begun.Before(before) || got.ID != "" || got.Note != "of another process" {
		t.Errorf("the state is %v, want the request of the killed process", got)
	}
}

func TestOpen_waitsForAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, input := startHolder(t, dir)

	type opened struct {
		state State
		err   error
	}
	waited := make(chan opened, 1)
	go func() {
		e, err := OpenFiles(dir).Entry(t.Context(), "invoice", "a")
		if err != nil {
			waited <- opened{err: err}
			return
		}
		waited <- opened{e.State(), e.Close()}
	}()
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := <-waited; got.err != nil || got.state.ID != "id-1" || !got.state.Begun.IsZero() {
		t.Errorf("the state is %v, %v, want what the other process settled", got.state, got.err)
	}
}

func TestPrune_sparesWhatAnotherProcessHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other, input := startHolder(t, dir)
	path := pathOf(dir, "invoice", "a")
	// Its content alone would let it go.
	_, key, _ := strings.Cut(filepath.Base(path), "-")
	write(t, path, fmt.Sprintf(`{"version":1,"kind":"invoice","key":%q,"id":"id-0"}`, key), time.Now())
	makeOld(t, path)
	makeOld(t, path+lockSuffix)

	prune(t.Context(), folderOf(dir), time.Now().Add(-keepFor))
	expectFiles(t, path, path+lockSuffix)

	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	makeOld(t, path)
	prune(t.Context(), folderOf(dir), time.Now().Add(-keepFor))
	expectNoFiles(t, path)
}

// startHolder returns once the second process has begun its request.
func startHolder(t *testing.T, dir string) (*exec.Cmd, io.Closer) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), holdVariable+"="+dir)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Ended already, unless the test failed.
		_ = input.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "begun\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd, input
}
