package pace

import (
	"encoding/json"
	"slices"
	"time"
)

// Store keeps the state of a key's limit for all processes that use the key.
type Store interface {
	// UpdateBudget calls change with the document of a key, nil for none, and the store's
	// time. It alone replaces the document by the result, unless that is nil. It fails rather
	// than wait for long, and then the document stays, even after a call of change.
	UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error
}

// storeRest is how long a store is not used after it failed, so that a stopped process that
// holds a lock does not slow down every request of this one.
const storeRest = 10 * time.Second

// memory is the state of one key in this process: a copy of the one in the store, and ahead
// of it while the store cannot be used.
type memory struct {
	turn   chan struct{} // held by whoever uses the rest; a mutex would stop the clock of tests
	state  state
	ahead  bool // the store lacks a part of the state
	failed time.Time
}

// update applies change to the shared state, alone. change reports whether there is something to store.
func (l *Limiter) update(change func(*state, time.Time) bool) {
	m := &l.memory
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	if l.store != nil && time.Since(m.failed) >= storeRest {
		var next state
		err := l.store.UpdateBudget(l.key, func(document []byte, now time.Time) []byte {
			stored := false
			next, stored = m.read(document, now)
			if !change(&next, now) && stored {
				return nil
			}
			raw, _ := json.Marshal(next) // Numbers and texts.
			return raw
		})
		if err == nil {
			m.state, m.ahead = next, false
			return
		}
		m.failed = time.Now()
	}
	now := time.Now()
	if !m.ahead { // The requests of other processes in the last second are not known.
		m.ahead = true
		m.state.pause(now)
	}
	change(&m.state, now)
}

// read returns the state of a document, completed from this process's memory, and whether the document has all of it.
func (m *memory) read(document []byte, now time.Time) (s state, stored bool) {
	usable := json.Unmarshal(document, &s) == nil && s.Version == stateVersion
	switch {
	case document == nil:
		s = m.state
	case !usable:
		// The document is damaged or foreign. A pause covers what it had of the last second.
		s = m.state
		s.pause(now)
		s.Reset = 0
	case m.ahead:
		s.merge(m.state)
	default:
		stored = true
	}
	s.Version, s.Exchanges = stateVersion, slices.Clone(s.Exchanges)
	return s, stored
}
