package pace

import (
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Store keeps what is known of the limit of a key for everybody who uses it.
type Store interface {
	// UpdateBudget gives change the document of a key, nil where there is none, and
	// the time by the store's clock, and keeps what change returns; nil leaves the
	// document as it is. Nobody else changes it meanwhile. It fails rather than wait
	// for long, and then keeps nothing, whether it has called change or not.
	UpdateBudget(key string, change func(document []byte, now time.Time) []byte) error
}

// storeRest is how long a store is left alone after it could not be used, so that a
// stopped process that holds a lock does not slow down every request of this one.
const storeRest = 10 * time.Second

// memory is what this process knows of one key: a copy of what the store has, and
// ahead of it while the store cannot be used.
type memory struct {
	turn   chan struct{} // held by whoever uses the rest
	state  state
	ahead  bool // the store lacks what the state has
	failed time.Time
}

func newMemory() *memory {
	return &memory{turn: make(chan struct{}, 1), state: state{Version: stateVersion}}
}

// processMemories is package state because the limit belongs to the process, not to a
// limiter: two with one key in one process share it without a store too.
var processMemories sync.Map // of *memory by key

func processMemory(key string) *memory {
	m, _ := processMemories.LoadOrStore(key, newMemory())
	return m.(*memory) //nolint:forcetypeassert // Nothing else is stored there.
}

// update applies change to the shared state, which nobody else changes meanwhile.
// change reports whether there is something to store.
func (l *Limiter) update(change func(*state, time.Time) bool) {
	m := l.memory
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
	if !m.ahead {
		// What other processes did in the last second is not known.
		m.ahead = true
		m.state.pause(now)
	}
	change(&m.state, now)
}

// read returns the state of a document, with what the document lacks of this
// process's memory, and whether it was stored like that.
func (m *memory) read(document []byte, now time.Time) (s state, stored bool) {
	usable := json.Unmarshal(document, &s) == nil && s.Version == stateVersion
	switch {
	case document == nil:
		s = m.state
	case !usable:
		// The document is not ours or not whole. What is known here is kept, and a
		// pause covers what was lost of the last second.
		s = m.state
		s.pause(now)
		s.Reset = 0
	case m.ahead:
		s.merge(m.state)
	default:
		stored = true
	}
	s.Exchanges = slices.Clone(s.Exchanges)
	return s, stored
}
