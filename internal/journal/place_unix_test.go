//go:build unix

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe would wait for its other end for ever, and a link would let whoever made
// it choose the file that is written.
func TestFiles_useRegularFilesOnly(t *testing.T) {
	t.Parallel()
	entry := "invoice-" + hashOf("invoice", []string{"a"})
	for _, name := range []string{
		folder + "/" + entry, folder + "/" + entry + lockSuffix, folder + "/" + entry + tempSuffix, folder + "/" + pruneMark,
		"rate-" + budgetKey + ".json", "rate-" + budgetKey + lockSuffix, "rate-" + budgetKey + ".json.new",
	} {
		for kind, plant := range map[string]func(path, victim string) error{
			"pipe": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
			"link": func(path, victim string) error { return os.Symlink(victim, path) },
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
				if err := errors.Join(os.MkdirAll(filepath.Join(dir, folder), 0o700), os.WriteFile(victim, []byte("mine"), 0o600), plant(filepath.Join(dir, name), victim)); err != nil {
					t.Fatal(err)
				}
				f := OpenFiles(dir) // Nothing of what follows waits for the other end of a pipe.
				e, err := f.Entry(t.Context(), "invoice", "a")
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(e.Begin("x"), e.Settled("id"), e.Close()); err != nil {
					t.Error(err)
				}
				_ = f.UpdateBudget(budgetKey, func([]byte, time.Time) []byte { return []byte(`{}`) })
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
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, err := tt.make(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			f := OpenFiles(dir)
			err = f.Check()
			if tt.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			e, entryErr := f.Entry(t.Context(), "invoice", "a")
			if entryErr != nil {
				t.Fatal(entryErr)
			}
			defer func() { _ = e.Close() }()
			if e.Durable() != (err == nil) {
				t.Errorf("durable is %v", e.Durable())
			}
			budget := f.UpdateBudget(budgetKey, func([]byte, time.Time) []byte { return []byte(`{}`) })
			if inFolder := strings.Contains(tt.name, "a folder in it"); (budget == nil) != (err == nil) && !inFolder {
				t.Errorf("the budget: %v", budget)
			}
		})
	}
}
