package oncetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Memory is a [journal.Store] that several runners of a test share. The zero Memory is ready to use.
type Memory struct {
	Now func() time.Time // nil for the real time

	mu      sync.Mutex
	swaps   journal.Version
	records map[journal.Key]held
}

type held struct {
	journal.Record
	version journal.Version
}

var _ journal.Store = (*Memory)(nil)

// Load returns a record.
func (m *Memory) Load(_ context.Context, key journal.Key) (journal.Record, journal.Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.records[key].Record, m.records[key].version, nil
}

// Swap replaces a record.
func (m *Memory) Swap(
	_ context.Context, key journal.Key, from journal.Version, to journal.Record,
) (journal.Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[key].version != from {
		return 0, fmt.Errorf("memory: %w", journal.ErrChanged)
	}
	if to.Stamp.IsZero() {
		to.Stamp = time.Now().Round(0).UTC()
		if m.Now != nil {
			to.Stamp = m.Now()
		}
	}
	if m.records == nil {
		m.records = map[journal.Key]held{}
	}
	m.swaps++
	m.records[key] = held{to, m.swaps}
	return m.swaps, nil
}

// Where names the record.
func (m *Memory) Where(key journal.Key) string { return fmt.Sprint("the memory of this test, ", key) }
