package einvoice

import (
	"context"
	"errors"
	"strings"
	"time"
)

const (
	// listIdle is how long a list may go unread. Reads that follow each other
	// closely belong to one refresh, all of which is as old as its first read.
	listIdle = 5 * time.Second

	// listLife is how long a list is in use at most. One that took longer to read,
	// as it does under the rate limit, lasts as long as that took: its first page
	// is that old already when its last one comes.
	listLife = time.Minute

	// mostFactor bounds how much useless lists put off the next one.
	mostFactor = 1 << 10
)

// listWalk is one reading of a list. The fields below done are set before done is
// closed.
type listWalk struct {
	cancel context.CancelFunc
	needed bool // whatever it costs; guarded by the mutex of sharedReads

	done chan struct{}
	list *sharedList // nil when it failed, was too dear, or a write came between
	err  error
}

// sharedList is a whole list by the ids in lower case. The fields below lone are
// guarded by the mutex of sharedReads.
type sharedList struct {
	entries  map[string]*answer
	prints   map[string]invoicePrint // in their place
	complete bool                    // as many entries as the list said, on its first page and on its last
	lone     bool                    // a single object in the place of a list

	until  time.Time
	used   time.Time
	usable bool // an object was found in it that is as whole as by id
	helped bool // it answered somebody
}

// startWalk begins to read the list, for as long as anybody waits for it. The
// caller holds the mutex and is about to wait.
func (s *sharedReads) startWalk(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &listWalk{cancel: cancel, done: make(chan struct{})}
	s.walk = w
	begin := s.now()
	go func() {
		defer cancel()
		list, err := s.collect(ctx, w)
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(w.done)
		if s.walk != w { // Nobody waits any more, or a write came between.
			return
		}
		s.walk = nil
		if err != nil {
			w.err = err
			s.giveUp(true)
		}
		if list != nil {
			w.list, s.list = list, list
			list.used = s.now()
			list.until = list.used.Add(max(listLife, list.used.Sub(begin)))
			s.compare()
		}
		s.wake()
	}()
}

// collect walks the list. It returns nothing when the first page shows that the
// list costs more than it is worth so far.
func (s *sharedReads) collect(ctx context.Context, w *listWalk) (*sharedList, error) {
	list := &sharedList{entries: map[string]*answer{}, prints: map[string]invoicePrint{}, complete: true}
	var first, last *page
	for entry, err := range s.client.pages(ctx, s.filter, s.client.list(s.route)) {
		if errors.Is(err, errIncomplete) {
			list.complete = false
			break
		}
		if err != nil {
			return nil, err
		}
		last = entry.page
		if first == nil {
			first = last
			if !s.worth(w, first.cost()) {
				return nil, nil //nolint:nilnil // The contract: not now.
			}
		}
		s.keep(list, entry)
	}
	if last != nil {
		list.lone = !last.paged
		for _, count := range []*Int{first.TotalCount, last.TotalCount} {
			list.complete = list.complete && (count == nil || int64(*count) == int64(len(list.entries)+len(list.prints)))
		}
	}
	return list, nil
}

// keep puts into the list what has to be kept of an entry.
func (s *sharedReads) keep(list *sharedList, entry *answer) {
	id := strings.ToLower(idOf(entry.object))
	if s.prints {
		if v, err := invoiceFrom(entry); err == nil {
			list.prints[id] = printOf(v)
		}
		return
	}
	entry.page, entry.body = nil, nil // What an entry is part of need not be kept.
	list.entries[id] = entry
}

// worth learns what the list costs, and reports whether to read on.
func (s *sharedReads) worth(w *listWalk, pages int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = pages
	return w.needed || s.begun+s.waiting >= pages*s.factor
}

// age gives up a list that is too old. Between two reads of the invoices of a month
// there may be those of all other months.
func (s *sharedReads) age() {
	if s.list == nil {
		return
	}
	now := s.now()
	if now.After(s.list.until) || !s.prints && now.After(s.list.used.Add(listIdle)) {
		s.giveUp(!s.list.helped)
	}
}

// giveUp forgets the list and begins to count anew.
func (s *sharedReads) giveUp(useless bool) {
	s.list, s.last, s.begun = nil, nil, 0
	if useless {
		s.factor = min(s.factor*2, mostFactor)
	}
}

// entry returns an object of the list, nil where it has none.
func (l *sharedList) entry(id string) *answer {
	if l == nil {
		return nil
	}
	return l.entries[strings.ToLower(id)]
}
