//go:build unix

package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A pipe would wait for its other end for ever, and a link would let whoever made it choose the file that is written.
func TestFiles_useRegularFilesOnly(t *testing.T) {
	t.Parallel()
	record := folder + "/" + sale.name() + suffix
	for _, name := range []string{
		record, folder + "/" + sale.hash[:2] + lockSuffix, record + tempSuffix, folder + "/" + pruneMark,
		"rate-" + budgetKey + ".json", "rate-" + budgetKey + lockSuffix, "rate-" + budgetKey + ".json" + tempSuffix,
	} {
		for kind, plant := range map[string]func(path, victim string) error{
			"pipe": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
			"link": func(path, victim string) error { return os.Symlink(victim, path) },
		} {
			rows.Case(t, kind+"/"+name, func(t *testing.T) {
				dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
				must(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
				must(t, os.WriteFile(victim, []byte("mine"), 0o600))
				must(t, plant(filepath.Join(dir, name), victim))
				done := make(chan struct{})
				go func() {
					defer close(done)
					f := OpenFiles(dir)
					record, version, err := f.Load(t.Context(), sale)
					_, swapErr := f.Swap(t.Context(), sale, version, record)
					if err != nil || swapErr != nil && !errors.Is(swapErr, ErrInMemory) {
						t.Error(err, swapErr)
					}
					_ = f.UpdateBudget(budgetKey, func([]byte, time.Time) []byte { return []byte(`{}`) })
				}()
				select {
				case <-done:
				case <-time.After(10 * time.Second):
					t.Fatal("it hangs")
				}
				if got, err := os.ReadFile(victim); err != nil || string(got) != "mine" {
					t.Errorf("the file behind the link holds %q, %v", got, err)
				}
			})
		}
	}
}

func TestFiles_checkTheirDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		make func(dir string) (string, error)
		want string // of the error
	}{
		{"one that is made", func(dir string) (string, error) { return filepath.Join(dir, "a", "b"), nil }, ""},
		{"one that others may read", func(dir string) (string, error) { return dir, os.Chmod(dir, 0o755) }, ""},
		{"a link to one", func(dir string) (string, error) {
			link := filepath.Join(dir, "link")
			return link, errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", link))
		}, ""},
		{"one that others may write", func(dir string) (string, error) { return dir, os.Chmod(dir, 0o777) }, "other users may write to"},
		{"one that a group may write", func(dir string) (string, error) { return dir, os.Chmod(dir, 0o770) }, "other users may write to"},
		{"a folder in it that others may write", func(dir string) (string, error) {
			path := filepath.Join(dir, folder)
			return dir, errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777))
		}, "other users may write to"},
		{"one of another user's", func(dir string) (string, error) {
			if os.Geteuid() != 0 {
				return "/", nil
			}
			return dir, os.Chown(dir, 12345, 12345)
		}, "belongs to another user"},
		{"a file", func(dir string) (string, error) {
			path := filepath.Join(dir, "file")
			return path, os.WriteFile(path, nil, 0o600)
		}, "not a directory"},
		{"none", func(string) (string, error) { return "", nil }, "no directory for caches"},
	} {
		rows.Case(t, tt.name, func(t *testing.T) {
			dir, err := tt.make(t.TempDir())
			must(t, err)
			f := OpenFiles(dir)
			err = f.Check()
			if tt.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			key := newSale()
			version, swapErr := f.Swap(t.Context(), key, 0, Record{Phase: Sending})
			if version == 0 || errors.Is(swapErr, ErrInMemory) != (err != nil) {
				t.Errorf("version %d, %v", version, swapErr)
			}
			if record, at := load(t, f, key); at != version || record.Phase != Sending {
				t.Errorf("version %d, %+v", at, record)
			}
			budget := f.UpdateBudget(budgetKey, func([]byte, time.Time) []byte { return []byte(`{}`) })
			if inFolder := strings.Contains(tt.name, "a folder in it"); (budget == nil) != (err == nil) && !inFolder {
				t.Errorf("the budget: %v", budget)
			}
		})
	}
}

// sendOnAFullDisk may write no byte more to any file.
func sendOnAFullDisk(f *Files) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}); err != nil {
		return err
	}
	before, version, err := f.Load(context.Background(), sale)
	if err != nil {
		return err
	}
	next, err := f.Swap(context.Background(), sale, version, Record{Phase: Sending})
	after, at, _ := f.Load(context.Background(), sale)
	fmt.Printf("id %s, then %s, in memory %t, known %t, a budget %t",
		before.Result, after.Phase, errors.Is(err, ErrInMemory), at == next, countUp(f) == nil)
	return nil
}

func TestFiles_keepWhatTheyKnowOnAFullDisk(t *testing.T) {
	t.Parallel()
	f := OpenFiles(t.TempDir())
	put(t, f, sale, Record{Phase: Settled, Result: "id-1"})
	must(t, countUp(f))
	output, err := process(t, "full disk", f.dir).Output()
	if want := "id id-1, then sending, in memory true, known true, a budget false"; err != nil || string(output) != want {
		t.Errorf("%s, %v, want %s", output, err, want)
	}
	if record, _ := load(t, f, sale); record.Result != "id-1" {
		t.Errorf("%+v", record)
	}
	if held := document(t, f); string(held) != "1" {
		t.Errorf("the budget is %q, want the one from before", held)
	}
	// The record, its lock and the mark of pruning.
	if files, err := os.ReadDir(filepath.Join(f.dir, folder)); err != nil || len(files) > 3 {
		t.Errorf("%d files are left behind: %v, %v", len(files), files, err)
	}
}
