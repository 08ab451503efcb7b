package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// snapshotLife is how long a snapshot is used. One that took longer to read, as it does
// under the rate limit, is used as long as that took.
const snapshotLife = time.Minute

// snapshot is a list that is read once for all objects of a kind that are refreshed. The
// first object is read by its id. The second refresh reads the first page, which counts the
// pages. The list is read when as many objects are refreshed; until then each is read by id.
//
// The list may only say that an object is as the caller knows it, so that a list that lags or is wrong can only delay
// a notice. It is used once an object that was read by its id is in it with all of its members.
type snapshot struct {
	client          *Client
	kind            Kind
	filter          url.Values
	partial         bool  // entries may lack members of the objects
	pagesPerRefresh int64 // pages that are read for each refresh
	mostPages       int64 // pages of a list that is read; 0 for any number
	now             func() time.Time

	refreshes atomic.Int64 // since the last list was dropped
	writes    atomic.Int64 // to the collection, through this client
	pages     atomic.Int64 // of the list; 0 until its first page was read

	turn         turn    // held while the fields below are used, and while the list is read
	sample       *answer // an object that was read by its id
	list         *listing
	noListBefore time.Time // because one has failed
}

// listing is a list that was read, by the ids in lower case.
type listing struct {
	entries    map[string]*answer
	named      map[string][]*answer // by integrationId, of a list of invoices
	incomplete error                // why it proves no absence
	alone      bool                 // one object came in its place, which says nothing about others
	short      bool                 // an entry lacks members of its object
	probed     bool                 // an entry was read by its id, to see whether that can be done
	trusted    bool                 // it shows objects as they are by id
	writes     int64                // to the collection before it was read
	until      time.Time
}

func newSnapshot(c *Client, of Kind) *snapshot {
	return &snapshot{client: c, kind: of, pagesPerRefresh: 1, now: time.Now, turn: newTurn()}
}

// errTooLong is of a list with too many pages to be read at all.
var errTooLong = errors.New("the list is too long")

// findMissing looks for an object that its read by id did not find.
type findMissing func(ctx context.Context, id string, readErr error) (*answer, error)

// refresh reads an object from the snapshot, where that has it as the caller knows it,
// or else by its id. missing looks for what is not found by its id; nil does not.
func refresh[T any, P object[T]](
	ctx context.Context, s *snapshot, id string, known func(*T) bool, missing findMissing,
) (*T, error) {
	return decode[T, P](s.get(ctx, id, func(entry *answer) bool {
		v, err := decode[T, P](entry, nil)
		return err == nil && known(v)
	}, missing))
}

// Refresh reads an object whose id is known, and shares the list of its kind with other such reads: see snapshot. known
// reports whether an object is as the caller has it; one that is listed otherwise is read by id.
func Refresh[T any, P object[T]](
	ctx context.Context, c *Client, of Kind, id string, known func(*T) bool,
) (*T, error) {
	s := c.snapshots[of.Many]
	return refresh[T, P](ctx, s, id, known, s.prove)
}

// get returns the entry of an object in the list where isKnown accepts it, and else reads the object by its id.
func (s *snapshot) get(
	ctx context.Context, id string, isKnown func(*answer) bool, missing findMissing,
) (*answer, error) {
	s.refreshes.Add(1)
	if err := s.lock(ctx, id); err != nil {
		return nil, err
	}
	s.drop()
	if s.sample == nil && s.list == nil {
		defer s.turn.end() // The others wait for the sample.
		a, err := s.client.byID(ctx, s.kind, id)
		return s.learn(ctx, id, a, err, missing)
	}
	if s.list == nil && s.isWorthReading() && s.now().After(s.noListBefore) {
		if err := s.readList(ctx, s.isWorthReading); err != nil && ctx.Err() == nil {
			s.noListBefore = s.now().Add(snapshotLife)
		}
	}
	if s.isTooLong() {
		s.turn.end()
		return nil, errTooLong
	}
	var entry *answer
	if s.list != nil && s.list.trusted {
		entry = s.list.entries[strings.ToLower(id)]
	}
	s.turn.end()
	if entry != nil && isKnown(entry) {
		return entry, nil
	}
	a, err := s.client.byID(ctx, s.kind, id)
	if lockErr := s.lock(ctx, id); lockErr != nil {
		return nil, lockErr
	}
	defer s.turn.end()
	return s.learn(ctx, id, a, err, missing)
}

// isWorthReading reports whether enough objects are refreshed to read the list, as far as is known.
func (s *snapshot) isWorthReading() bool {
	return s.pagesPerRefresh*s.refreshes.Load() >= s.pages.Load() && !s.isTooLong()
}

// isTooLong reports whether the list has too many pages to be read at all.
func (s *snapshot) isTooLong() bool { return s.mostPages > 0 && s.pages.Load() > s.mostPages }

// lock takes the turn. Its error is that of a read that was not sent.
func (s *snapshot) lock(ctx context.Context, id string) error {
	if err := s.turn.take(ctx); err != nil {
		return s.client.refuse(s.client.object("get", s.kind, id), err)
	}
	return nil
}

// learn compares the list with an object that was read by its id, and looks for one that
// was not found. The caller holds the turn.
func (s *snapshot) learn(ctx context.Context, id string, a *answer, err error, missing findMissing) (*answer, error) {
	if err == nil {
		s.sample = a
		s.compare()
	}
	if missing == nil || !isNotFound(err) {
		return a, err
	}
	return missing(ctx, id, err)
}

// compare trusts the list where the sample is in it with all of its members: one that
// lacks members would hide their changes.
func (s *snapshot) compare() {
	if s.list == nil || s.sample == nil {
		return
	}
	entry := s.list.entries[strings.ToLower(idOf(s.sample.object))]
	switch {
	case s.partial:
		s.list.trusted = true
	case entry != nil:
		s.list.short = s.list.short || lacksMembers(entry.object, s.sample.object)
		s.list.trusted = !s.list.short
	}
}

// readList reads the list, unless goOn is false once its first page shows how long it is. The caller holds the turn.
func (s *snapshot) readList(ctx context.Context, goOn func() bool) error {
	list := &listing{entries: map[string]*answer{}, named: map[string][]*answer{}, writes: s.writes.Load()}
	begun, pages := s.now(), 1
	for entry, err := range s.client.objects(ctx, s.kind, s.filter) {
		switch {
		case errors.Is(err, errIncomplete): // It may lack entries.
			list.incomplete = err
			continue
		case err != nil:
			return err
		}
		if len(list.entries) == 0 {
			pages = entry.page.pages()
			s.pages.Store(int64(pages))
			if !goOn() {
				return nil
			}
		}
		list.alone = entry.isAlone()
		entry.page, entry.body = nil, nil // What an entry is part of need not be kept.
		members := membersOf(entry.object)
		list.entries[strings.ToLower(textOf(members["id"]))] = entry
		if name := nameKey(textOf(members["integrationId"])); name != "" {
			list.named[name] = append(list.named[name], entry)
		}
	}
	s.pages.Store(int64(pages))
	list.until = s.now().Add(max(snapshotLife, s.now().Sub(begun)))
	s.list = list
	s.compare()
	return nil
}

// prove finds out from the list what a 404 or 405 to the read of an object means. A list
// that does not show all that it counts is read once more. The caller holds the turn.
func (s *snapshot) prove(ctx context.Context, id string, readErr error) (*answer, error) {
	s.drop()
	for attempt := range 2 {
		if s.list == nil || attempt > 0 {
			if err := s.readList(ctx, func() bool { return true }); err != nil {
				return nil, s.client.unlisted(ctx, s.kind, err, readErr)
			}
		}
		if entry := s.list.entries[strings.ToLower(id)]; entry != nil {
			s.list.trusted = s.list.trusted || s.sample == nil // Nothing is read by id to compare it with.
			entry.listed = true
			return entry, nil
		}
		if s.list.incomplete == nil {
			return nil, s.absent(ctx, readErr)
		}
	}
	return nil, s.client.unlisted(ctx, s.kind, s.list.incomplete, readErr)
}

// absent is the error of an object that a complete list lacks. It is an [ErrOnlyUnlisted]
// too, unless another object shows that the service reads them by their ids.
func (s *snapshot) absent(ctx context.Context, readErr error) error {
	err := gone(readErr)
	for id := range s.list.entries {
		if s.sample == nil && !s.list.probed {
			s.sample, _ = s.client.byID(ctx, s.kind, id)
			s.list.probed = true
		}
		break
	}
	switch {
	case s.sample != nil:
		return err
	case s.list.alone:
		return missingOperation("get_"+s.kind.One, readErr)
	}
	return altered(err, func(e *Error) { e.Err = errors.Join(e.Err, ErrOnlyUnlisted) })
}

// drop forgets a list that is too old, or from before a write, and begins to count anew.
func (s *snapshot) drop() {
	if s.list != nil && (s.list.writes != s.writes.Load() || s.now().After(s.list.until)) {
		s.list = nil
		s.refreshes.Store(1)
	}
}

// written drops the lists that a write to a collection may have changed. An order shows its invoices.
func (c *Client) written(collection string) {
	if s := c.snapshots[collection]; s != nil {
		s.writes.Add(1)
	}
	for model, invoices := range c.invoices {
		switch collection {
		case modelWords[model] + "-invoices":
			c.snapshots[kindOrder.Many].writes.Add(1)
			invoices.written()
		case kindOrder.Many:
			invoices.written()
		}
	}
}

// lacksMembers reports whether an entry of a list has not all members of its object, at
// any depth. What they hold may differ.
func lacksMembers(entry, object json.RawMessage) bool {
	was, err := membersTree(object)
	if err != nil {
		return false
	}
	is, err := membersTree(entry)
	return err == nil && lacksMembersOf(is, was)
}

func lacksMembersOf(entry, object any) bool {
	switch object := object.(type) {
	case map[string]any:
		members, isObject := entry.(map[string]any)
		for name, value := range object {
			if shown, isShown := members[name]; isObject && (!isShown || lacksMembersOf(shown, value)) {
				return true
			}
		}
	case []any:
		elements, _ := entry.([]any)
		for i := range min(len(elements), len(object)) {
			if lacksMembersOf(elements[i], object[i]) {
				return true
			}
		}
	}
	return false
}
