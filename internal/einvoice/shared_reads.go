package einvoice

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"
)

// proofTries is how often a list that changes while it is read is read again for a
// proof of absence.
const proofTries = 3

// sharedReads lets the reads of one collection share its list, by one rule: the
// list may only say that an object is as the caller knows it. An object that is
// listed otherwise, or not at all, is read by id. So a list that lags or is wrong
// can put off the notice of a change, and do no other harm. An object is gone when
// its read by id is answered with 404 or 405 and a complete list lacks it.
//
// Reads go by id until they have cost what the list would. The first one goes by
// id. The second one asks for the first page, which shows how many pages there
// are, P. The next ones go by id, until as many have begun or are waiting as there
// are pages: then the list is read once, for all of them. What K reads of objects
// that have not changed cost is K + 1 requests for K < P, and 2 P at most for
// K >= P: at most twice what is needed by somebody who knows K and P beforehand.
//
// A list is in use for seconds, and not after a write to the collection through
// this client. One that failed, or that answered nobody, doubles the number of
// reads before the next one.
//
// Entries that lack members of the objects would hide changes of these for ever.
// So a list is used only once an object that was read by id has been found in it,
// and a collection with such entries is read by id alone. Where the service
// answers no read by id there is nothing to compare, and the list is used as it is.
type sharedReads struct {
	client *Client
	route  string
	filter url.Values // of the list
	prints bool       // of invoices prints are kept: see invoiceReads
	now    func() time.Time

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever those who wait should look again
	writes  int           // counts them, to know an answer from before a write

	begun    int     // reads by id since the last list was given up
	underWay int     // of them, not answered yet
	waiting  int     // readers waiting for the list
	last     *answer // to a read by id since then
	pages    int     // what the list costs; 0 until a first page told
	factor   int     // on that cost
	most     int     // pages of a list that is read; 0 for any number

	walk *listWalk // under way
	list *sharedList

	byID bool // a read by id was once answered with its object
	poor bool // entries of the list lack members
}

func newSharedReads(c *Client, route string) *sharedReads {
	return &sharedReads{client: c, route: route, now: time.Now, changed: make(chan struct{}), factor: 1}
}

// refresh reads an object from the shared list, where that has it as the caller
// knows it, or by id. known compares an object with what the caller knows.
func refresh[T any](ctx context.Context, s *sharedReads, id string, from func(*answer) (*T, error), known func(*T) bool) (*T, error) {
	v, err := sharing(ctx, s, id, from, known)
	if isUnread(err) {
		return one(from)(s.prove(ctx, id, err))
	}
	return v, err
}

// sharing is refresh for an object that is not looked for where its read by id finds
// nothing.
func sharing[T any](ctx context.Context, s *sharedReads, id string, from func(*answer) (*T, error), known func(*T) bool) (*T, error) {
	list, err := s.await(ctx, id)
	if err != nil {
		return nil, err
	}
	if entry := list.entry(id); entry != nil {
		if v, err := from(entry); err == nil && known(v) {
			s.mu.Lock()
			defer s.mu.Unlock()
			list.helped = true
			return v, nil
		}
	}
	return one(from)(s.read(ctx, id))
}

// await returns the list once it can be used, and nil for an object that is to be
// read by id.
func (s *sharedReads) await(ctx context.Context, id string) (*sharedList, error) {
	for {
		s.mu.Lock()
		switch s.next() {
		case useList:
			defer s.mu.Unlock()
			s.list.used = s.now()
			return s.list, nil
		case readByID:
			defer s.mu.Unlock()
			s.begun++
			return nil, nil //nolint:nilnil // The contract: by id.
		case readList:
			s.startWalk(ctx)
		case waitForList:
		}
		if err := s.wait(ctx, id, s.changed); err != nil {
			return nil, err
		}
	}
}

// step is what a reader does next.
type step int

const (
	readByID step = iota
	useList
	readList
	waitForList
)

// next follows the rule. The caller holds the mutex, and does not count as
// waiting.
func (s *sharedReads) next() step {
	s.age()
	switch {
	case s.poor:
		return readByID
	case s.list != nil && s.list.usable:
		return useList
	case s.walk != nil, s.list != nil && s.underWay > 0:
		return waitForList
	case s.list != nil, s.tooLong(): // Nothing to compare the list with, or none to be read.
		return readByID
	case s.pages == 0 && s.begun >= s.factor, s.pages > 0 && s.begun+s.waiting+1 >= s.pages*s.factor:
		return readList
	}
	return readByID
}

// wait gives up the mutex and waits for done as one of those who wait for the
// list. The last one to leave early stops the walk.
func (s *sharedReads) wait(ctx context.Context, id string, done <-chan struct{}) error {
	s.waiting++
	s.mu.Unlock()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = s.client.refuse(s.client.object("get", s.route, id), ctx.Err())
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

// read reads an object by id, and compares the list with it.
func (s *sharedReads) read(ctx context.Context, id string) (*answer, error) {
	s.mu.Lock()
	writes := s.writes
	s.underWay++
	s.mu.Unlock()
	a, err := s.client.byID(ctx, s.route, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay--
	if err == nil {
		s.byID = true
		if writes == s.writes {
			s.last = a
			s.compare()
		}
	}
	s.wake()
	return a, err
}

// compare finds out whether the entries of the list are as whole as the objects.
// The caller holds the mutex.
func (s *sharedReads) compare() {
	if s.list == nil || s.last == nil {
		return
	}
	if s.prints {
		v, err := invoiceFrom(s.last)
		s.list.usable = s.list.usable || err == nil && s.list.prints[strings.ToLower(string(v.ID))].fits(v)
		return
	}
	entry := s.list.entry(idOf(s.last.object))
	if entry == nil {
		return
	}
	relation := compareObjects(s.last.object, entry.object)
	s.list.usable = true
	s.poor = s.poor || relation == objectsShorter
}

// prove finds out what a 404 or 405 to the read of an object means, as findAmong
// does, from a list that all share.
func (s *sharedReads) prove(ctx context.Context, id string, readErr error) (*answer, error) {
	for range proofTries {
		list, err := s.whole(ctx, id)
		if err != nil {
			return nil, unlisted(err, readErr)
		}
		entry := list.entry(id)
		s.mu.Lock()
		byID := s.byID
		if entry != nil && !byID {
			list.usable = true
			s.wake()
		}
		if entry == nil && !list.complete && s.list == list {
			s.list = nil
		}
		s.mu.Unlock()
		switch {
		case entry != nil:
			return entry, nil
		case list.complete, byID:
			return nil, s.client.gone(id, s.route, list.lone, readErr)
		}
	}
	return nil, s.client.badList(s.route, "the list does not hold as many entries as it says, which does not prove that "+id+" is gone")
}

// whole returns the whole list, usable or not, or why it cannot be read.
func (s *sharedReads) whole(ctx context.Context, id string) (*sharedList, error) {
	for {
		s.mu.Lock()
		s.age()
		if list := s.list; list != nil {
			defer s.mu.Unlock()
			list.helped = true
			return list, nil
		}
		if s.walk == nil {
			s.startWalk(ctx)
		}
		walk := s.walk
		walk.needed = true
		if err := s.wait(ctx, id, walk.done); err != nil {
			return nil, err
		}
		if walk.err != nil || walk.list != nil {
			return walk.list, walk.err
		}
	}
}

// written forgets what lists show that a request may change. An order shows its
// invoices.
func (c *Client) written(route string) {
	if shared := c.shared[route]; shared != nil {
		shared.written()
	}
	for _, model := range Models {
		invoices := invoiceRoutes[model] == route
		if !invoices && route != routeOrders {
			continue
		}
		for _, reads := range c.invoices[model].all() {
			reads.written()
		}
		if invoices {
			c.shared[routeOrders].written()
		}
	}
}

// written forgets what is known of the collection, before and after a request
// that may change it.
func (s *sharedReads) written() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.giveUp(false)
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
