package einvoice

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	rateLockTries = 100
	rateLockPause = 5 * time.Millisecond

	// rateFileRest is how long the file is left alone after its lock was not to be
	// had, so that a stopped process does not slow down every request of this one.
	rateFileRest = 10 * time.Second

	rateFileMost = 4 << 20 // bytes
)

// rateStore keeps the state of one key in a file, and in this process's memory
// where the file cannot be used.
type rateStore struct {
	dir    string // "" for memory alone
	file   string
	lock   string
	memory *rateMemory
}

// rateMemory is what this process knows of one key: a copy of the file, and
// ahead of it while the file cannot be used.
type rateMemory struct {
	mu        sync.Mutex
	state     rateState
	ahead     bool // the file lacks what the state has
	restUntil time.Time
}

// rateMemories are the memories of one process by fingerprint.
type rateMemories struct {
	mu    sync.Mutex
	byKey map[string]*rateMemory
}

// processRates is package state because the limit belongs to the process, not to
// a client: two clients with one key in one process share it without a file too.
var processRates = &rateMemories{}

func (m *rateMemories) of(fingerprint string) *rateMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byKey == nil {
		m.byKey = map[string]*rateMemory{}
	}
	memory, known := m.byKey[fingerprint]
	if !known {
		memory = &rateMemory{state: rateState{Version: rateVersion}}
		m.byKey[fingerprint] = memory
	}
	return memory
}

func newRateStore(dir, fingerprint string, memories *rateMemories) *rateStore {
	s := &rateStore{dir: dir, memory: memories.of(fingerprint)}
	if dir != "" {
		s.file = filepath.Join(dir, "rate-"+fingerprint+".json")
		s.lock = filepath.Join(dir, "rate-"+fingerprint+".lock")
	}
	return s
}

// update applies change to the shared state under its lock, which is held for the
// change alone and never while anybody sleeps. change reports whether there is
// something to store.
func (s *rateStore) update(change func(*rateState, time.Time) bool) {
	for try := 0; s.dir != "" && try < rateLockTries; try++ {
		done, again := s.updateFile(change)
		if done {
			return
		}
		if !again {
			break
		}
		<-time.After(rateLockPause)
	}
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if s.dir != "" && now.After(m.restUntil) {
		m.restUntil = now.Add(rateFileRest)
	}
	if !m.ahead {
		// What other processes did in the last second is not known.
		m.ahead = true
		m.state.NotBefore = max(m.state.NotBefore, now.Add(perSecondPause).UnixMicro())
	}
	change(&m.state, now)
}

// updateFile does the same in the file. again tells that only the lock was in the
// way.
func (s *rateStore) updateFile(change func(*rateState, time.Time) bool) (done, again bool) {
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.Before(m.restUntil) && m.restUntil.Sub(now) <= rateFileRest {
		return false, false
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return false, false
	}
	lock := flock.New(s.lock, flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		_ = lock.Close()
		return false, err == nil
	}
	defer func() { _ = lock.Close() }()
	state, err := readRateFile(s.file)
	switch {
	case os.IsNotExist(err):
		state = m.state
	case err != nil:
		// The file is not ours or not whole. What is known here is kept, and a pause
		// covers what was lost of the last second.
		state = m.state
		state.NotBefore = max(state.NotBefore, now.Add(perSecondPause).UnixMicro())
		state.Reset = 0
	case m.ahead:
		state.merge(m.state)
	}
	state.Exchanges = slices.Clone(state.Exchanges)
	if !change(&state, now) && err == nil && !m.ahead {
		m.state = state
		return true, false
	}
	if err := writeRateFile(s.file, state); err != nil {
		return false, false
	}
	m.state, m.ahead = state, false
	return true, false
}

// merge adds what only this process's memory knows.
func (s *rateState) merge(memory rateState) {
	for _, e := range memory.Exchanges {
		i := slices.IndexFunc(s.Exchanges, func(held rateExchange) bool { return held.ID == e.ID })
		if i < 0 {
			s.Exchanges = append(s.Exchanges, e)
			continue
		}
		s.Exchanges[i].Answered = max(s.Exchanges[i].Answered, e.Answered)
	}
	if memory.Headers == headersSent {
		if memory.Reset > s.Reset {
			s.Headers, s.Remaining, s.Reset = memory.Headers, memory.Remaining, memory.Reset
		} else if memory.Reset == s.Reset {
			s.Remaining = min(s.Remaining, memory.Remaining)
		}
	}
	s.NotBefore = max(s.NotBefore, memory.NotBefore)
}

func readRateFile(name string) (rateState, error) {
	if info, err := os.Lstat(name); err != nil {
		return rateState{}, err
	} else if !info.Mode().IsRegular() {
		return rateState{}, os.ErrInvalid // Opening a pipe would wait for its writer.
	}
	f, err := os.Open(name)
	if err != nil {
		return rateState{}, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, rateFileMost))
	if err != nil {
		return rateState{}, err
	}
	var state rateState
	if err := json.Unmarshal(raw, &state); err != nil {
		return rateState{}, err
	}
	if state.Version != rateVersion {
		return rateState{}, os.ErrInvalid
	}
	return state, nil
}

// writeRateFile replaces the file in one step: a process that is killed while it
// writes leaves the former state behind, not half a new one.
func writeRateFile(name string, state rateState) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return err
	}
	fresh := name + ".new"
	if err := os.WriteFile(fresh, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, name)
}
