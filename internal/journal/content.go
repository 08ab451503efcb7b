package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const contentVersion = 1

// maxContent is in bytes. It bounds what is read of a file that may not be
// ours, and so what may be written.
const maxContent = 64 << 10

// content is an entry's file. The key is the hash in the file's name: a file
// that was copied to another name does not speak for that entry.
type content struct {
	Version int        `json:"version"`
	Kind    string     `json:"kind"`
	Key     string     `json:"key"`
	Begun   *time.Time `json:"begun,omitempty"`
	ID      string     `json:"id,omitempty"`
	Note    string     `json:"note,omitempty"`
}

// readState reads an entry's file. No file means that nothing is known. A file
// that cannot be understood means that something was: it counts as a request
// that began when the file was last changed, which costs patience at worst.
func readState(path, kind, hash string) State {
	raw, err := readContent(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}
	}
	if err == nil {
		if s, ok := parseState(raw, kind, hash); ok {
			return s
		}
	}
	if info, err := os.Stat(path); err == nil {
		return State{Begun: info.ModTime()}
	}
	return State{Begun: time.Now()}
}

func readContent(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxContent))
}

func parseState(raw []byte, kind, hash string) (State, bool) {
	if len(raw) >= maxContent {
		return State{}, false
	}
	var c content
	if err := json.Unmarshal(raw, &c); err != nil {
		return State{}, false
	}
	if c.Version != contentVersion || c.Kind != kind || c.Key != hash {
		return State{}, false
	}
	switch {
	case c.Begun != nil && c.ID == "" && !c.Begun.IsZero():
		return State{Begun: *c.Begun, Note: c.Note}, true
	case c.Begun == nil && c.ID != "":
		return State{ID: c.ID, Note: c.Note}, true
	}
	return State{}, false
}

// writeState replaces an entry's file in one step, so that a crash leaves the
// old content or the new. The caller holds the lock, which also makes the name
// of the temporary file its own.
func writeState(path, kind, hash string, s State) error {
	if s == (State{}) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		syncFolder(filepath.Dir(path))
		return nil
	}
	c := content{Version: contentVersion, Kind: kind, Key: hash, ID: s.ID, Note: s.Note}
	if !s.Begun.IsZero() {
		c.Begun = &s.Begun
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if len(raw) >= maxContent {
		return fmt.Errorf("the entry has %d bytes, which is more than it may have", len(raw))
	}
	temp := path + tempSuffix
	if err := writeSynced(temp, append(raw, '\n')); err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp)
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

func writeSynced(path string, raw []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes a rename outlive a loss of power. Not every platform and
// file system can do it, and the rename itself has succeeded: hence no error.
func syncFolder(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	_ = f.Sync()
	_ = f.Close()
}

// memory holds the entries that could not be written, by path.
var memory = struct {
	sync.Mutex
	states map[string]State
}{states: map[string]State{}}

func recall(path string) (State, bool) {
	memory.Lock()
	defer memory.Unlock()
	s, ok := memory.states[path]
	return s, ok
}

func remember(path string, s State) {
	memory.Lock()
	defer memory.Unlock()
	memory.states[path] = s
}

func forgetRemembered(path string) {
	memory.Lock()
	defer memory.Unlock()
	delete(memory.states, path)
}
