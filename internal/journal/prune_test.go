package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestPrune_removesOldEntriesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for part, do := range map[string]func(*Entry) error{
		"old and settled": settle("id-1"), "young": settle("id-1"), "forgotten": (*Entry).Forget, "held": settle("id-1"),
		"old and begun": begin(""), "old and unconfirmed": func(e *Entry) error { return errors.Join(e.Begin("a letter"), e.Settled("id-1")) },
		"old and confirmed": func(e *Entry) error { return errors.Join(e.Begin("a letter"), e.Settled("id-1"), e.Confirm()) },
	} {
		path := record(t, dir, do, "invoice", part)
		makeOld(t, path+lockSuffix)
		if part != "young" && part != "forgotten" {
			makeOld(t, path)
		}
	}
	foreign := filepath.Join(folderOf(dir), "somebody's")
	temp := pathOf(dir, "invoice", "crashed") + tempSuffix
	write(t, foreign, "x", time.Now())
	makeOld(t, foreign)
	write(t, temp, "x", time.Now())
	makeOld(t, temp)
	held := open(t, dir, "invoice", "held")

	prune(t.Context(), folderOf(dir), time.Now().Add(-keepFor))

	young := pathOf(dir, "invoice", "young")
	expectFiles(t, young, young+lockSuffix, held.Path(), held.Path()+lockSuffix, foreign)
	expectNoFiles(t, temp)
	expectFiles(t, pathOf(dir, "invoice", "old and begun"), pathOf(dir, "invoice", "old and unconfirmed"))
	for _, part := range []string{"old and settled", "old and confirmed", "forgotten"} {
		path := pathOf(dir, "invoice", part)
		expectNoFiles(t, path)
		if runtime.GOOS != "windows" {
			expectNoFiles(t, path+lockSuffix)
		}
	}
	if got := stateOf(t, dir, "invoice", "old and settled"); got != (State{}) {
		t.Errorf("the state of a pruned entry is %v, want none", got)
	}
	if got := stateOf(t, dir, "invoice", "young"); got.ID != "id-1" {
		t.Errorf("the state of a young entry is %v, want id-1", got)
	}
}

func TestOpen_prunesOnceADay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := pathOf(dir, "invoice", "old")
	mark := filepath.Join(folderOf(dir), pruneMark)
	settleLongAgo := func() { makeOld(t, record(t, dir, settle("id-1"), "invoice", "old")) }

	settleLongAgo()
	closeEntry(t, open(t, dir, "invoice", "a"))
	expectFiles(t, path)

	for name, marked := range map[string]time.Duration{"the day is over": -25 * time.Hour, "the mark lies in the future": time.Hour} {
		settleLongAgo()
		if err := os.Chtimes(mark, time.Now(), time.Now().Add(marked)); err != nil {
			t.Fatal(err)
		}
		closeEntry(t, open(t, dir, "invoice", "a"))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, and the old entry was not removed: %v", name, err)
		}
	}
}

func TestPrune_endsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := record(t, dir, settle("id-1"), "invoice", "old")
	makeOld(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	prune(ctx, folderOf(dir), time.Now().Add(-keepFor))
	expectFiles(t, path)
}

func folderOf(dir string) string { return filepath.Join(dir, folder) }

func pathOf(dir, kind string, parts ...string) string {
	return filepath.Join(folderOf(dir), kind+"-"+hashOf(kind, parts))
}

func makeOld(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-keepFor - time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func expectFiles(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("want a file: %v", err)
		}
	}
}

func expectNoFiles(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("want no file %s, got %v", path, err)
		}
	}
}
