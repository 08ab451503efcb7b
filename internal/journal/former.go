package journal

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// Version 0.1 kept entries of another form. A store refuses by name those that are not settled, and reads nothing
// else of them.

const (
	formerFolder = "journal"
	formerTable  = "einvoice_journal_v1"
	keptTable    = "einvoice_journal_v1_kept"
)

type formerEntry struct {
	Begun *time.Time `json:"begun"`
	Note  string     `json:"note"`
}

// unsettled returns the error of an entry that a person has to look at. The note of an invoice or an order is
// settled: the service's list shows it.
func (e *formerEntry) unsettled(key Key, where string) error {
	switch {
	case e.Begun != nil:
		return &UnsettledError{Where: where, Begun: *e.Begun}
	case e.Note != "" && key.Kind != "invoice" && key.Kind != "order":
		return &UnsettledError{Where: where}
	}
	return nil
}

func (f *Files) former(key Key) error {
	if f.dir == "" {
		return nil
	}
	path := filepath.Join(f.dir, formerFolder, key.former)
	if _, err := os.Lstat(path); err != nil {
		return nil //nolint:nilerr // There is none, or none that could be read.
	}
	raw, err := readFile(path, maxRecord)
	var entry formerEntry
	if err != nil || json.Unmarshal(raw, &entry) != nil {
		return &UnsettledError{Where: path}
	}
	return entry.unsettled(key, path)
}

func (p *Postgres) former(ctx context.Context, key Key) error {
	kind, hash := key.former[:len(key.former)-hashLength-1], key.former[len(key.former)-hashLength:]
	var entry formerEntry
	err := p.retry(ctx, func(ctx context.Context) error {
		return p.pool.QueryRow(ctx, "SELECT begun, note FROM "+keptTable+" WHERE kind = $1 AND hash = $2", kind, hash).
			Scan(&entry.Begun, &entry.Note)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return entry.unsettled(key, "the row of table "+keptTable+" with kind '"+kind+"' and hash '"+hash+"'")
}
