package sandbox

import (
	"slices"
	"time"
)

// stateChange is one step in the life of an invoice.
type stateChange struct {
	At     time.Time
	Status string
	// Code and Message are those of the processing detail that came with it.
	Code    string
	Message string
}

// changed is the last change of an invoice.
func (e *entry) changed() stateChange { return e.history[len(e.history)-1] }

// remember adds to the history of an invoice if its last change was one of its state or of the authority's message.
// The caller holds the lock.
func (s *Server) remember(kind string, e *entry) {
	if !slices.ContainsFunc(invoiceModels, func(m invoiceModel) bool { return m.kind == kind }) {
		return
	}
	doc := e.latest()
	detail := part(doc, "processingDetail")
	change := stateChange{
		At: s.clock.Now(), Status: text(doc, "status"), Code: text(detail, "code"), Message: text(detail, "message"),
	}
	if n := len(e.history); n > 0 {
		last := e.history[n-1]
		if last.Status == change.Status && last.Code == change.Code && last.Message == change.Message {
			return
		}
		// A new invoice gets its first detail a moment after its state.
		if n == 1 && last == (stateChange{At: last.At, Status: statusEnqueued}) && change.Status == statusEnqueued {
			change.At = last.At
			e.history = nil
		}
	}
	e.history = append(e.history, change)
}
