package pace

import (
	"encoding/json"
	"errors"
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

// sharedRate is the state of one key in a store, and in this process's memory
// where the store cannot be used.
type sharedRate struct {
	store  Store // nil for memory alone
	key    string
	memory *rateMemory
}

// rateMemory is what this process knows of one key: a copy of what the store has,
// and ahead of it while the store cannot be used.
type rateMemory struct {
	turn  chan struct{} // held by whoever uses the rest
	state rateState
	ahead bool // the store lacks what the state has
}

func newRateMemory() *rateMemory {
	return &rateMemory{turn: make(chan struct{}, 1), state: rateState{Version: rateVersion}}
}

// processRates is package state because the limit belongs to the process, not to
// a client: two clients with one key in one process share it without a store too.
var processRates sync.Map // of *rateMemory by key

func processRate(key string) *rateMemory {
	memory, _ := processRates.LoadOrStore(key, newRateMemory())
	return memory.(*rateMemory) //nolint:forcetypeassert // Nothing else is stored there.
}

// update applies change to the shared state, which nobody else changes meanwhile.
// change reports whether there is something to store.
func (s *sharedRate) update(change func(*rateState, time.Time) bool) {
	m := s.memory
	m.turn <- struct{}{}
	defer func() { <-m.turn }()
	if s.store != nil {
		var next rateState
		err := s.store.UpdateBudget(s.key, func(document []byte, now time.Time) []byte {
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
	}
	now := time.Now()
	if !m.ahead {
		// What other processes did in the last second is not known.
		m.ahead = true
		m.state.NotBefore = max(m.state.NotBefore, now.Add(PerSecondPause).UnixMicro())
	}
	change(&m.state, now)
}

// read returns the state of a document, with what the document lacks of this
// process's memory, and whether it was stored like that.
func (m *rateMemory) read(document []byte, now time.Time) (state rateState, stored bool) {
	state, err := parseRate(document)
	switch {
	case document == nil:
		state = m.state
	case err != nil:
		// The document is not ours or not whole. What is known here is kept, and a
		// pause covers what was lost of the last second.
		state = m.state
		state.NotBefore = max(state.NotBefore, now.Add(PerSecondPause).UnixMicro())
		state.Reset = 0
	case m.ahead:
		state.merge(m.state)
	default:
		stored = true
	}
	state.Exchanges = slices.Clone(state.Exchanges)
	return state, stored
}

func parseRate(document []byte) (rateState, error) {
	var state rateState
	if err := json.Unmarshal(document, &state); err != nil {
		return rateState{}, err
	}
	if state.Version != rateVersion {
		return rateState{}, errors.New("the document has another version")
	}
	return state, nil
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
