package einvoice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// listLife is how long a list is used. One that took longer to read, as it does under
	// the rate limit, confirms what is known for as long as that took.
	listLife = time.Minute

	// wholeLife is how long a list proves that names are absent while only what is dated later is read.
	wholeLife = 5 * time.Minute

	// longList is the most pages that the list of all invoices is read with to confirm what is known. Where it has
	// more, the lists of months are read: an account has invoices of many years, and a workspace those of a few months.
	longList = 15

	// monthWorth is how many pages of a month are read for each of its invoices, because
	// those of one month rarely come alone.
	monthWorth = 2

	// fewPages is how long a list may be that is read anew, and not only what is dated later.
	fewPages = 2
)

// listCache is what the lists of one collection have shown to this process, with one turn and one clock. Whoever asks
// first is answered by requests of their own. A list is read once it costs less than the requests so far.
//
// There is one rule of trust: an entry may only confirm what the caller knows, so that a list that lags or is wrong can
// only delay a notice. Any news is read by its id. Two exceptions pay, each with conditions of its own: the absence of
// a name (see lacks), and an authorized invoice that is waited for (see poll).
type listCache struct {
	client *Client
	kind   Kind
	now    func() time.Time
	writes atomic.Int64 // to the collection, through this client
	looked atomic.Bool  // a request of its own looked for a second invoice

	turn     turn    // held while a list is used, and while it is read
	sample   *answer // an object that was read by its id
	recent   *shown  // what is dated since the first followed invoice; nil for none
	rest     time.Time
	isProven bool // an authorized invoice that was read both ways was the same

	mu       sync.Mutex
	lists    map[span]*list
	followed map[string]*followedInvoice // by id in lower case
}

// span are the dates that a list is asked for, as RFC 3339; the zero one asks for all.
type span struct{ from, to string }

func (d span) filter() url.Values {
	return queryOf(map[string]string{"effectiveDateStart": d.from, "effectiveDateEnd": d.to})
}

// list is a list that may be read.
type list struct {
	span
	worth int64        // pages that are read for each object that is asked for
	most  int64        // pages that are read at all to confirm what is known; 0 for any number
	asked atomic.Int64 // objects and names, also those that still wait for the turn
	pages atomic.Int64 // 0 until its first page was read
	rest  time.Time    // it is not read before, because that failed
	shown *shown       // nil for nothing yet
}

// shown is what a list has shown.
type shown struct {
	entries    map[string]*answer   // by id in lower case
	named      map[string][]*answer // by nameKey, of invoices
	pages      int
	incomplete error     // why it proves no absence
	isAlone    bool      // one object came in its place, which says nothing about others
	isShort    bool      // an entry lacks members of its object
	isVague    bool      // an entry may have a name that it does not show, or nothing says where the list ends
	isProbed   bool      // an entry was read by its id, to see whether that can be done
	isTrusted  bool      // it shows objects as they are by id
	writes     int64     // to the collection before it was read
	askedWhole int64     // for objects and names when it was read as a whole
	asked      int64     // the same when it was brought up to date
	behind     int       // pages of what is dated since its newest entry, as last counted
	whole      time.Time // when reading it began
	done       time.Time // when it was read
	read       time.Time // when reading what it was brought up to date with began
	newest     time.Time // date of an entry
}

func newListCache(c *Client, of Kind) *listCache {
	lists := map[span]*list{{}: {worth: 1}}
	if isOfInvoices(of) {
		lists[span{}].most = longList
	}
	return &listCache{
		client: c, kind: of, now: time.Now, turn: newTurn(), lists: lists, followed: map[string]*followedInvoice{},
	}
}

func isOfInvoices(of Kind) bool { return of.model != "" }

// listsOf returns what is known of the invoices of a model; nil for an unknown one.
func (c *Client) listsOf(model string) *listCache { return c.lists[kindInvoice(model)] }

// all is the list of the whole collection.
func (c *listCache) all() *list { return c.list(span{}) }

// list returns the list of some dates.
func (c *listCache) list(d span) *list {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists[d] == nil {
		c.lists[d] = &list{span: d, worth: monthWorth}
	}
	return c.lists[d]
}

// listOf returns the list that confirms what is known of something dated in a month: that of all, where it is not too
// long or the month is not known.
func (c *listCache) listOf(month span) *list {
	if all := c.all(); month == (span{}) || !all.isTooLong() {
		return all
	}
	return c.list(month)
}

// monthOf is the month of an invoice, and a day more at each end: the zone in which the service compares is not known.
func monthOf(v *Invoice) span {
	day, ok := ParseTime(string(cmp.Or(v.EffectiveDate, v.IssuedOn)))
	if !ok {
		return span{}
	}
	begin := time.Date(day.UTC().Year(), day.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	return span{begin.AddDate(0, 0, -1).Format(time.RFC3339), begin.AddDate(0, 1, 1).Format(time.RFC3339)}
}

// isTooLong reports whether the list has too many pages to be read to confirm what is known.
func (l *list) isTooLong() bool { return l.most > 0 && l.pages.Load() > l.most }

// isWorthReading reports whether so much was asked for that the list costs less, as far as is known. The first one is
// answered by a request of its own.
func (l *list) isWorthReading() bool {
	asked := l.asked.Load()
	return asked > 1 && l.worth*asked >= l.pages.Load()
}

// current returns what the list has shown, nil for nothing, or what is too old to confirm anything, or from before a
// write: then counting begins anew.
func (c *listCache) current(l *list) *shown {
	s := l.shown
	if s != nil && (s.writes != c.writes.Load() || c.now().Sub(s.done) > max(listLife, s.done.Sub(s.whole))) {
		s, l.shown = nil, nil
		l.asked.Store(1)
	}
	return s
}

// tryReading reads a list where that is worth it. After a failure it is not read for a while: the requests of their own
// do as well. The caller holds the turn.
func (c *listCache) tryReading(ctx context.Context, l *list, isWorth func() bool) {
	if c.now().Before(l.rest) || !isWorth() {
		return
	}
	if err := c.readList(ctx, l, isWorth); err != nil && ctx.Err() == nil {
		l.rest = c.now().Add(listLife)
	}
}

// readList reads a whole list, unless goOn is false once its first page shows how many pages there are. The caller
// holds the turn.
func (c *listCache) readList(ctx context.Context, l *list, goOn func() bool) error {
	s, err := c.show(ctx, c.client.list(c.kind), l.span, func(pages int) bool {
		l.pages.Store(int64(pages))
		return goOn()
	})
	if err != nil || s == nil {
		return err
	}
	l.pages.Store(int64(s.pages))
	l.shown, s.asked, s.askedWhole = s, l.asked.Load(), l.asked.Load()
	c.compare(s)
	return nil
}

// show reads what a list shows; nil where goOn is false once its first page shows how many pages there are.
func (c *listCache) show(ctx context.Context, list call, d span, goOn func(pages int) bool) (*shown, error) {
	begun := c.now()
	s := &shown{
		entries: map[string]*answer{}, named: map[string][]*answer{}, pages: 1, writes: c.writes.Load(),
		whole: begun, read: begun,
	}
	for entry, err := range withIDs(c.client.pages(ctx, d.filter(), list)) {
		switch {
		case errors.Is(err, errIncomplete): // It may lack entries.
			s.incomplete = err
			continue
		case err != nil:
			return nil, err
		}
		if len(s.entries) == 0 {
			s.pages, s.isVague = entry.page.pages(), entry.page.saysNoEnd()
			if !goOn(s.pages) {
				return nil, nil //nolint:nilnil // The contract: not worth it.
			}
		}
		s.isAlone = entry.isAlone()
		entry.page, entry.body = nil, nil // What an entry is part of need not be kept.
		s.add(entry)
	}
	s.done = c.now()
	return s, nil
}

// add takes an entry in, in the place of the same one of before.
func (s *shown) add(entry *answer) {
	members := membersOf(entry.object)
	id := strings.ToLower(textOf(members["id"]))
	_, isKnown := s.entries[id]
	s.entries[id] = entry
	day, isDated := ParseTime(cmp.Or(textOf(members["effectiveDate"]), textOf(members["issuedOn"])))
	if isDated && day.After(s.newest) {
		s.newest = day
	}
	name, isShown := members["integrationId"]
	if !isShown && !strings.EqualFold(textOf(members["isFromApi"]), "false") {
		s.isVague = true
	}
	if key := nameKey(textOf(name)); key != "" && !isKnown {
		s.named[key] = append(s.named[key], entry)
	}
}

func nameKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// compare trusts a list where the sample is in it with all of its members: one that lacks members would hide their
// changes. Whoever asks for an invoice knows which members its entry may lack.
func (c *listCache) compare(s *shown) {
	if s == nil || c.sample == nil {
		return
	}
	entry := s.entries[strings.ToLower(idOf(c.sample.object))]
	switch {
	case isOfInvoices(c.kind):
		s.isTrusted = true
	case entry != nil:
		s.isShort = s.isShort || lacksMembers(entry.object, c.sample.object)
		s.isTrusted = !s.isShort
	}
}

// written drops what the lists have shown that a write to a collection may have changed. An order shows its invoices.
func (c *Client) written(collection string) {
	for of, lists := range c.lists {
		isOwn := collection == strings.TrimPrefix(of.model+"-"+of.Many, "-")
		isOther := isOfInvoices(of) && collection == kindOrder.Many ||
			of == kindOrder && strings.HasSuffix(collection, "-invoices")
		if isOwn || isOther {
			lists.writes.Add(1)
		}
	}
}

// Lacks reports whether the service certainly has no invoice of a model under an integrationId, as far as a list of
// less than a minute ago shows. false proves nothing: then look under the name itself.
func (c *Client) Lacks(ctx context.Context, model, integrationID string) bool {
	lists := c.listsOf(model)
	return lists != nil && lists.lacks(ctx, integrationID)
}

// lacks reports whether a name is certainly absent. The list of all proves that if it shows where it ends, as many
// entries as it counts, and of each whether it has a name. It may be a minute old, so that another machine may have
// sent meanwhile: the caller asks only where nothing is known of the name.
func (c *listCache) lacks(ctx context.Context, name string) bool {
	all := c.all()
	all.asked.Add(1)
	if c.turn.take(ctx) != nil {
		return false
	}
	defer c.turn.end()
	if s := all.shown; s == nil || s.provesAbsence() && c.now().Sub(s.read) > listLife {
		c.bringUpToDate(ctx, all)
	}
	s := all.shown
	return s != nil && s.provesAbsence() && c.now().Sub(s.read) <= listLife && len(s.named[nameKey(name)]) == 0
}

func (s *shown) provesAbsence() bool { return s.incomplete == nil && !s.isAlone && !s.isVague }

// bringUpToDate reads the list of all, or of one that was read what is dated since its newest entry, where that costs
// less than what was asked for since. The caller holds the turn.
func (c *listCache) bringUpToDate(ctx context.Context, all *list) {
	s := all.shown
	switch {
	case s == nil:
		c.tryReading(ctx, all, all.isWorthReading)
	case s.pages <= fewPages || s.newest.IsZero() || c.now().Sub(s.whole) > wholeLife:
		c.tryReading(ctx, all, func() bool { return all.asked.Load()-s.askedWhole >= int64(s.pages) })
	case !c.now().Before(all.rest) && all.asked.Load()-s.asked >= int64(s.behind):
		if err := c.readSince(ctx, all, s); err != nil && ctx.Err() == nil {
			all.rest = c.now().Add(listLife)
		}
	}
}

// readSince adds to what the list of all has shown what is dated since its newest entry.
func (c *listCache) readSince(ctx context.Context, all *list, s *shown) error {
	from := s.newest
	if s.read.Before(from) {
		from = s.read
	}
	// What was sent up to then may have been invisible.
	since := span{from: from.Add(-Patience(c.client.requestTimeout)).Format(time.RFC3339)}
	newer, err := c.show(ctx, c.client.list(c.kind), since, func(pages int) bool {
		s.behind = pages
		return int64(pages) <= all.asked.Load()-s.asked
	})
	if err != nil || newer == nil {
		return err
	}
	for _, entry := range newer.entries {
		s.add(entry)
	}
	s.read, s.asked = newer.read, all.asked.Load()
	s.isVague, s.incomplete = s.isVague || newer.isVague || newer.isAlone, newer.incomplete
	return nil
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
