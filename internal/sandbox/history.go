package sandbox

import (
	"slices"
	"time"
)

// StateChange is one step in the life of an invoice.
type StateChange struct {
	At     time.Time
	Status string
	// Code and Message are those of the processing detail that came with it.
	Code    string
	Message string
}

// History returns what became of an invoice in the order it happened, whoever did it, beginning with its creation. It is
// nil where there is no such invoice.
func (s *Server) History(invoiceID string) []StateChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref, ok := s.findInvoice(invoiceID)
	if !ok {
		return nil
	}
	return slices.Clone(s.shelf(ref.model.kind).byID[ref.id].history)
}

// remember adds to the history of an invoice if its last change was one of its state, or of what the authority says to
// it. The caller holds the lock.
func (s *Server) remember(kind string, e *entry) {
	if !slices.ContainsFunc(invoiceModels, func(m invoiceModel) bool { return m.kind == kind }) {
		return
	}
	doc := e.latest()
	detail := part(doc, "processingDetail")
	change := StateChange{At: s.clock.Now(), Status: text(doc, "status"), Code: text(detail, "code"), Message: text(detail, "message")}
	if n := len(e.history); n > 0 {
		last := e.history[n-1]
		if last.Status == change.Status && last.Code == change.Code && last.Message == change.Message {
			return
		}
		// A new invoice gets its first detail a moment after its state.
		if n == 1 && last == (StateChange{At: last.At, Status: statusEnqueued}) && change.Status == statusEnqueued {
			change.At = last.At
			e.history = nil
		}
	}
	e.history = append(e.history, change)
}
