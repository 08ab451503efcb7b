package journal

import (
	"fmt"
	"sync"
	"time"
)

// memory keeps records in this process.
type memory struct {
	mu      sync.Mutex
	records map[string]versioned
}

type versioned struct {
	Version Version `json:"version"`
	Record
}

// swap replaces a record. A record that is not here has the version unknown.
func (m *memory) swap(name string, from Version, to Record, unknown Version) (Version, error) {
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
	}
	if m.records == nil {
		m.records = map[string]versioned{}
	}
	next := versioned{newVersion(), to}
	m.records[name] = next
	return next.Version, nil
}

func (m *memory) recall(name string) (versioned, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held, ok := m.records[name]
	return held, ok
}
