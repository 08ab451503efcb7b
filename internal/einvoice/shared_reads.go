package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// listIdle is how long a list may go unread. Reads that follow each other
	// closely belong to one refresh, all of which is as old as its first read.
	listIdle = 5 * time.Second

	// listLife is how long a list is read from at the most. One that took longer to
	// read, as it does under the rate limit, lasts as long as that took: its first
	// page is that old already when its last one comes.
	listLife = time.Minute

	// confirmations is how often at least a list must be right about changes before
	// it is believed about them.
	confirmations = 8

	// samplesKept is how many objects read by id are kept to judge the list by.
	samplesKept = 8

	// mostDoubt bounds the factor by which lists that failed put off the next one.
	mostDoubt = 1 << 10

	// proofTries is how often a list that changes while it is read is read again
	// for a proof of absence.
	proofTries = 3
)

// sharedReads makes the reads of one collection share its list. Nobody knows
// beforehand how many reads will come, or how long the list is, so it follows the
// rule of whoever must choose between renting and buying:
//
// The first read goes by id. The second one makes the first page be read, which
// tells what the whole list costs in pages, P. Further reads go by id until as
// many were begun, or are waiting, as the list costs; then it is read once, and
// every other read is answered from it. What K reads of a collection cost, in
// requests, is therefore
//
//	K + 1        for K < P, the one being the first page
//	2 P at most  for K >= P
//
// and never more than 2 min(K, P): twice the best choice of somebody who knows
// both numbers. An object that is gone, or that changed, costs one request more.
//
// The list is read by nobody in particular: it goes on as long as one reader is
// waiting for it, and when it fails, its readers read by id. It is believed under
// these conditions:
//
//   - An object that was read by id is in the list with the same content, and none
//     is there with another, or missing. A list may lag behind changes, and its
//     entries may be shorter than the objects; a list whose entries lack members is
//     never used again.
//   - It is in use and younger than listLife, and nothing was written to the
//     collection through this client since its first page was asked for.
//   - What it says is what the caller knows already. A change that only the list
//     shows is confirmed by id, until the list was right as many times as it has
//     pages, and at least a few times.
//   - Absence is not taken from it: an object that it lacks is read by id, and only
//     a 404 or 405 there together with a complete list proves that it is gone.
//
// Each list that fails or is not believed doubles the number of reads before the
// next one. A service that answers no read by id, but lists the object, is read
// by lists alone, and then there is nothing to judge them by.
type sharedReads struct {
	client *Client
	route  string
	now    func() time.Time

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever those who wait should look again
	writes  int           // tells answers from before a write

	begun    int // reads by id since the rule last started over
	underWay int // of them, not answered yet
	waiting  int // readers waiting for the list, or for a verdict on it
	pages    int // what the list costs; 0 until a first page told
	doubt    int // factor on that cost

	samples []*answer // objects as read by id, the newest last
	walk    *listWalk // under way
	list    *sharedList

	byID     bool // a read by id was answered with its object
	listOnly bool // reads by id are not, for an object that is listed
	poor     bool // entries of the list lack members
}

// listWalk is one reading of a list. Its fields below done are set before done is
// closed.
type listWalk struct {
	cancel context.CancelFunc
	needed bool // whatever it costs; guarded by the mutex of sharedReads

	done chan struct{}
	list *sharedList // nil when it failed, was too dear, or a write came between
	err  error
}

// sharedList is a whole list by the ids in lower case.
type sharedList struct {
	entries   map[string]*answer
	complete  bool // as many entries as the list said, on its first page and on its last
	lone      bool // a single object in the place of a list
	until     time.Time
	used      time.Time
	believed  bool
	confirmed int // changes that a read by id has confirmed
}

func newSharedReads(c *Client, route string) *sharedReads {
	return &sharedReads{client: c, route: route, now: time.Now, changed: make(chan struct{}), doubt: 1}
}

// refresh reads an object by its id or from the shared list. known tells whether
// an object is as the caller knows it already; nil stands for no knowledge.
func refresh[T any](ctx context.Context, s *sharedReads, id string, from func(*answer) (*T, error), known func(*T) bool) (*T, error) {
	a, list, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	v, err := from(a)
	if list == nil || err == nil && (known == nil || known(v)) || !s.doubts(list) {
		return v, err
	}
	current, readErr := s.read(ctx, id)
	switch {
	case readErr == nil:
		s.confirm(list, current.object, a.object)
		return from(current)
	case errors.Is(readErr, ErrNotFound), errors.Is(readErr, ErrMethodNotAllowed):
		return v, err // It is listed, as find has it.
	}
	return nil, readErr
}

// next is what a reader does next.
type next int

const (
	readByID next = iota
	readListed
	readList
	waitForOthers
)

// choose follows the rule. The caller holds the mutex, and does not count as
// waiting.
func (s *sharedReads) choose() next {
	s.age()
	demand := s.begun + s.waiting + 1
	switch {
	case s.poor:
		return readByID
	case s.list != nil && (s.list.believed || s.listOnly):
		return readListed
	case s.walk != nil, s.list != nil && s.underWay > 0:
		return waitForOthers
	case s.list != nil: // Nothing to judge it by.
		return readByID
	case s.listOnly:
		return readList
	case s.pages == 0 && s.begun < s.doubt, s.pages > 0 && demand < s.pages*s.doubt:
		return readByID
	}
	return readList
}

// find returns an object, and the list where it is from there.
func (s *sharedReads) find(ctx context.Context, id string) (*answer, *sharedList, error) {
	for {
		s.mu.Lock()
		step := s.choose()
		if step == readListed {
			list := s.list
			list.used = s.now()
			s.mu.Unlock()
			if entry := list.entries[strings.ToLower(id)]; entry != nil {
				return entry, list, nil
			}
			step = readByID
			s.mu.Lock()
		}
		if step == readByID {
			s.begun++
			s.mu.Unlock()
			a, err := s.read(ctx, id)
			if errors.Is(err, ErrNotFound) || errors.Is(err, ErrMethodNotAllowed) {
				a, err = s.prove(ctx, id, err)
			}
			return a, nil, err
		}
		if step == readList {
			s.startWalk(ctx, false)
		}
		changed := s.changed
		s.waiting++
		s.mu.Unlock()
		if err := s.await(ctx, id, changed); err != nil {
			return nil, nil, err
		}
	}
}

// await waits, as one of those who wait, and ends with ctx. The last one to leave
// stops the walk.
func (s *sharedReads) await(ctx context.Context, id string, done <-chan struct{}) error {
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = s.client.refuse(call{method: http.MethodGet, path: []string{s.route, id}}, ctx.Err())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if err != nil && s.waiting == 0 && s.walk != nil {
		s.walk.cancel()
		s.walk = nil
	}
	return err
}

// read reads an object by id, and judges the list by it.
func (s *sharedReads) read(ctx context.Context, id string) (*answer, error) {
	s.mu.Lock()
	writes := s.writes
	s.underWay++
	s.mu.Unlock()
	a, err := s.client.do(ctx, call{method: http.MethodGet, path: []string{s.route, id}, about: id})
	if err == nil && a.object == nil {
		err = a.bad("it holds no object with an id")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
	if err == nil && writes == s.writes {
		s.byID, s.listOnly = true, false
		s.samples = append(s.samples, a)
		if len(s.samples) > samplesKept {
			s.samples = s.samples[1:]
		}
		s.judge()
	}
	s.wake()
	if err != nil {
		return nil, err
	}
	return a, nil
}

// prove finds out what a 404 or 405 to the read of an object means, as findAmong
// does, from a list that all share.
func (s *sharedReads) prove(ctx context.Context, id string, readErr error) (*answer, error) {
	for range proofTries {
		list, err := s.whole(ctx, id)
		switch {
		case errors.Is(err, ErrMethodNotAllowed):
			return nil, readErr
		case errors.Is(err, ErrNotFound):
			return nil, unproven(err)
		case err != nil:
			return nil, err
		}
		entry := list.entries[strings.ToLower(id)]
		s.mu.Lock()
		byID := s.byID
		s.listOnly = s.listOnly || entry != nil && !byID
		if entry == nil && !list.complete && s.list == list {
			s.list = nil
		}
		s.mu.Unlock()
		switch {
		case entry != nil:
			return entry, nil
		case list.lone && !errors.Is(readErr, ErrNotFound):
			return nil, s.listFailure("the list is a single other object, which does not prove that " + id + " is gone")
		case list.complete, byID:
			return nil, gone(readErr)
		}
	}
	return nil, s.listFailure("the list does not hold as many entries as it says, which does not prove that " + id + " is gone")
}

func (s *sharedReads) listFailure(text string) *Error {
	return (&answer{call: call{method: http.MethodGet, path: []string{s.route}}, status: http.StatusOK}).bad(text)
}

// whole returns a whole list, believed or not, or why it cannot be read.
func (s *sharedReads) whole(ctx context.Context, id string) (*sharedList, error) {
	for {
		s.mu.Lock()
		s.age()
		if list := s.list; list != nil {
			s.mu.Unlock()
			return list, nil
		}
		if s.walk == nil {
			s.startWalk(ctx, true)
		}
		walk := s.walk
		walk.needed = true
		s.waiting++
		s.mu.Unlock()
		if err := s.await(ctx, id, walk.done); err != nil {
			return nil, err
		}
		if walk.err != nil || walk.list != nil {
			return walk.list, walk.err
		}
	}
}

// startWalk begins to read the list, for as long as anybody waits for it. The
// caller holds the mutex and is about to wait.
func (s *sharedReads) startWalk(ctx context.Context, needed bool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &listWalk{cancel: cancel, needed: needed, done: make(chan struct{})}
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
			s.listOnly = false
			s.distrust()
		}
		if list != nil {
			w.list, s.list = list, list
			list.used = s.now()
			list.until = list.used.Add(max(listLife, list.used.Sub(begin)))
			s.judge()
		}
		s.wake()
	}()
}

// collect walks the list. It returns nothing when the first page shows that the
// list costs more than it is worth so far.
func (s *sharedReads) collect(ctx context.Context, w *listWalk) (*sharedList, error) {
	list := &sharedList{entries: map[string]*answer{}, complete: true}
	var first, last *page
	for entry, err := range s.client.pages(ctx, nil, s.route) {
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
		entry.page, entry.body = nil, nil // What an entry is part of need not be kept.
		list.entries[strings.ToLower(textOf(membersOf(entry.object)["id"]))] = entry
	}
	if last != nil {
		list.lone = !last.paged
		for _, count := range []*Int{first.totalCount, last.totalCount} {
			list.complete = list.complete && (count == nil || int64(*count) == int64(len(list.entries)))
		}
	}
	return list, nil
}

// worth learns what the list costs, and tells whether to read on.
func (s *sharedReads) worth(w *listWalk, pages int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = pages
	return w.needed || s.listOnly || s.begun+s.waiting >= pages*s.doubt
}

// judge compares the list with what was read by id. The caller holds the mutex.
func (s *sharedReads) judge() {
	if s.list == nil {
		return
	}
	for _, sample := range s.samples {
		entry := s.list.entries[strings.ToLower(textOf(membersOf(sample.object)["id"]))]
		if entry == nil {
			s.distrust()
			return
		}
		switch compareObjects(sample.object, entry.object) {
		case objectsEqual:
			s.list.believed = true
		case objectsDiffer:
			s.distrust()
			return
		case objectsShorter:
			s.poor = true
			s.distrust()
			return
		}
	}
}

// doubts tells whether a change that the list shows is to be confirmed by id.
func (s *sharedReads) doubts(list *sharedList) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.listOnly && (s.list != list || list.confirmed < max(s.pages, confirmations))
}

// confirm counts a change that the list showed rightly.
func (s *sharedReads) confirm(list *sharedList, object, entry json.RawMessage) {
	if compareObjects(object, entry) != objectsEqual {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list.confirmed++
}

// distrust starts the rule over, with more reads before the next list.
func (s *sharedReads) distrust() {
	s.startOver()
	s.doubt = min(s.doubt*2, mostDoubt)
}

func (s *sharedReads) startOver() {
	s.list, s.samples, s.begun = nil, nil, 0
}

// age gives up a list that is too old.
func (s *sharedReads) age() {
	if s.list == nil {
		return
	}
	if now := s.now(); now.After(s.list.until) || now.After(s.list.used.Add(listIdle)) {
		s.startOver()
	}
}

// written forgets what is known of the collection, before and after a request
// that may change it.
func (s *sharedReads) written() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.startOver()
	if s.walk != nil {
		s.walk.cancel()
		s.walk = nil
	}
	s.wake()
}

// wake lets those who wait look again.
func (s *sharedReads) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
