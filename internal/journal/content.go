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

// entryFile is the file of one entry.
type entryFile struct{ path, kind, hash string }

// read reads the file. No file means that nothing is known. A file that cannot be
// understood means that something was: it counts as a request that began when the
// file was last changed, which costs patience at worst.
func (f entryFile) read() State {
	raw, err := readFile(f.path, maxContent)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}
	}
	if err == nil {
		if s, ok := f.parse(raw); ok {
			return s
		}
	}
	if info, err := os.Lstat(f.path); err == nil {
		return State{Begun: info.ModTime()}
	}
	return State{Begun: time.Now()}
}

// readFile reads so many bytes of a file at most.
func readFile(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, most))
}

func (f entryFile) parse(raw []byte) (State, bool) {
	if len(raw) >= maxContent {
		return State{}, false
	}
	var c content
	if err := json.Unmarshal(raw, &c); err != nil {
		return State{}, false
	}
	if c.Version != contentVersion || c.Kind != f.kind || c.Key != f.hash {
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

// write keeps a state. The caller holds the lock, which also makes the name of the
// temporary file its own.
//
// A crash leaves the old content or the new. What is about to be sent is on the disk
// when write returns. What became of it is not waited for, nor is the note of an
// object that is no document: where the power fails before it is there, the next run
// takes the answer for lost, or makes the object again.
func (f entryFile) write(s State, sending bool) error {
	if s == (State{}) {
		if err := os.Remove(f.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	c := content{Version: contentVersion, Kind: f.kind, Key: f.hash, ID: s.ID, Note: s.Note}
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
	raw = append(raw, '\n')
	if !sending && overwrite(f.path, raw) == nil {
		return nil
	}
	temp := f.path + tempSuffix
	if err = writeSynced(temp, raw); err == nil {
		err = os.Rename(temp, f.path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return err
	}
	syncFolder(filepath.Dir(f.path))
	return nil
}

// sector is what a disk writes whole, in bytes.
const sector = 512

var errTooLong = errors.New("it is longer than a sector")

// overwrite writes a file where that happens in one step.
func overwrite(path string, raw []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err = checkRegular(info, err); err == nil && max(info.Size(), int64(len(raw))) > sector {
		err = errTooLong
	}
	if err == nil {
		_, err = f.Write(raw)
	}
	if err == nil {
		err = f.Truncate(int64(len(raw)))
	}
	return errors.Join(err, f.Close())
}

func writeSynced(path string, raw []byte) error {
	f, err := create(path)
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

// memory holds the states of the entries that could not be written, by path. It
// belongs to the process: whichever store they are opened by, they are the same.
var memory sync.Map

func recall(path string) (State, bool) {
	held, _ := memory.Load(path)
	s, ok := held.(State)
	return s, ok
}
