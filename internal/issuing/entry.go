package issuing

import (
	"context"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Entry is an entry of the journal. One of this machine alone that cannot be written
// is noted and stops nothing: the look-up at the service protects without it, if not
// as well.
type Entry struct {
	*journal.Entry
	notes *[]Event
}

// OpenEntry waits until nobody else holds the entry.
func (s *Service) OpenEntry(ctx context.Context, notes *[]Event, kind string, parts ...string) (*Entry, error) {
	entry, err := s.Store.Entry(ctx, kind, append([]string{s.Client.Fingerprint()}, parts...)...)
	if err != nil {
		return nil, err
	}
	return &Entry{Entry: entry, notes: notes}, nil
}

func (e *Entry) note(kind EventKind, err error) {
	if err != nil {
		*e.notes = append(*e.notes, Event{Kind: kind, Err: err})
	}
}

// Begin writes down that a request is about to be sent. After an error it must not
// be: other machines rely on the entry.
func (e *Entry) Begin(note string) error {
	err := e.Entry.Begin(note)
	if err != nil && e.Required() {
		return err
	}
	e.note(JournalUnwritable, err)
	return nil
}

// Settled writes down what came of a request.
func (e *Entry) Settled(id einvoice.Text) { e.note(JournalUnwritable, e.Entry.Settled(string(id))) }

// Known writes down what exists without what was sent for it.
func (e *Entry) Known(id einvoice.Text) {
	e.Settled(id)
	e.note(JournalUnwritable, e.Confirm())
}

// Keep writes down what was found out without sending anything.
func (e *Entry) Keep(known journal.State) { e.note(JournalUnwritable, e.Restore(known)) }

// Undo goes back to what was known before a request of which nothing came: the
// next run must not wait for what cannot appear.
func (e *Entry) Undo(before journal.State) { e.note(JournalUnwritable, e.Restore(before)) }

// Close lets others go on with the same invoice or order.
func (e *Entry) Close() { e.note(JournalNotReleased, e.Entry.Close()) }
