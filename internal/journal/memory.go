package journal

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Memory is a [Store] for one process. The zero Memory is ready to use.
type Memory struct {
	Now func() time.Time // nil for the real time

	mu      sync.Mutex
	records map[string]versioned
}

type versioned struct {
	Version Version `json:"version"`
	Record
}

var _ Store = (*Memory)(nil)

// Load returns a record.
func (m *Memory) Load(_ context.Context, key Key) (Record, Version, error) {
	held, _ := m.recall(key.name())
	return held.Record, held.Version, nil
}

// Swap replaces a record.
func (m *Memory) Swap(_ context.Context, key Key, from Version, to Record) (Version, error) {
	return m.swap(key.name(), from, to, Version(0))
}

// swap replaces a record. A record that is not here has the version unknown.
func (m *Memory) swap(name string, from Version, to Record, unknown Version) (Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	current := unknown
	if held, ok := m.records[name]; ok {
		current = held.Version
	}
	if current != from {
		return 0, fmt.Errorf("journal: %w", ErrChanged)
	}
	if to.Stamp.IsZero() {
		to.Stamp = time.Now().Round(0).UTC()
		if m.Now != nil {
			to.Stamp = m.Now()
		}
	}
	if m.records == nil {
		m.records = map[string]versioned{}
	}
	next := versioned{newVersion(), to}
	m.records[name] = next
	return next.Version, nil
}

// Where names the record.
func (m *Memory) Where(key Key) string { return "the memory of this process, " + key.name() }

func (m *Memory) recall(name string) (versioned, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, ok := m.records[name]
	return held, ok
}
