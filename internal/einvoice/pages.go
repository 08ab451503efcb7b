package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

const (
	pageSize = 100

	// cursorLimit is the most that a cursor list gives at once (specification: Limits).
	cursorLimit = 200

	// maxPages, defaultMaxWalk and maxWalkTime end a list that never ends: a million
	// entries, a gigabyte, and a minute for pages beyond those that it counts.
	maxPages       = 10_000
	defaultMaxWalk = 1 << 30
	maxWalkTime    = time.Minute

	// leastPage is the fewest entries that a service might give at once. A list without
	// counts that has fewer is complete.
	leastPage = 10

	maxMemberNames = 200 // bytes of the names of members in an error

	narrowIt = "narrow it with filters, or set a lower limit"
)

// errIncomplete is of a list that ended before it had shown what it counts.
var errIncomplete = errors.New("the list is not complete")

// page is one answer of a list, and what it says of the list (specification: Pagination envelopes).
type page struct {
	items    []json.RawMessage
	isSingle bool // one object came in the place of a list: a page of one, which says nothing about others

	HasNext    *Flag `json:"hasNext"`
	TotalCount *Int  `json:"totalCount"`
	PageCount  *Int  `json:"pageCount"`
	PageSize   *Int  `json:"pageSize"`
	NextCursor Text  `json:"nextCursor"`
}

// pages walks an offset list.
func (c *Client) pages(ctx context.Context, filter url.Values, list call) iter.Seq2[*answer, error] {
	return func(yield func(*answer, error) bool) {
		always, size := list.query, strconv.Itoa(pageSize)
		fetch := func(number int) (*answer, error) {
			list.query = queryOf(map[string]string{"page": strconv.Itoa(number), "pageSize": size})
			maps.Copy(list.query, always)
			maps.Copy(list.query, filter)
			a, err := c.do(ctx, list)
			if number == 1 && refusesPageSize(err) {
				size = "" // The size that it takes is not shown: it may choose its own.
				list.query.Del("pageSize")
				a, err = c.do(ctx, list)
			}
			return a, err
		}
		first := &page{}
		c.walk(fetch, func(p *page, at position) (more bool, problem error) {
			if at.number == 1 {
				first = p
			}
			if p.saysNoEnd() && at.repeated && len(p.items) != pageSize {
				return false, nil // A service that does not page answers its whole list each time.
			}
			switch {
			case !at.repeated && !p.hasMore(at, len(first.items)):
				return false, p.checkComplete(at, first)
			case len(p.items) == 0:
				return true, fmt.Errorf("page %d is empty although the list says there is more", at.number)
			}
			return true, nil
		}, yield)
	}
}

// objects walks the list of a kind.
func (c *Client) objects(ctx context.Context, of Kind, filter url.Values) iter.Seq2[*answer, error] {
	return withIDs(c.pages(ctx, filter, c.list(of)))
}

// listed is objects for a list that the service may not have: see unlessMissing.
func (c *Client) listed(ctx context.Context, of Kind, filter url.Values) iter.Seq2[*answer, error] {
	list := c.objects(ctx, of, filter)
	return unlessMissing(ctx, c.list(of).name, list, c.isMissing(list))
}

// withIDs fails at an entry without an id: it may be any object.
func withIDs(list iter.Seq2[*answer, error]) iter.Seq2[*answer, error] {
	return eachEntry(list, func(entry *answer, err error) (*answer, error) {
		if err == nil && idOf(entry.object) == "" {
			err = entry.bad("an entry of the list has no id, but " + memberNames(entry.object))
		}
		return entry, err
	})
}

// memberNames says which members an object has.
func memberNames(object json.RawMessage) string {
	names := slices.Sorted(maps.Keys(membersOf(object)))
	if len(names) == 0 {
		return "no members at all"
	}
	return "the members " + plain.Excerpt(strings.Join(names, ", "), maxMemberNames)
}

// cursorPages walks a cursor list. A cursor that comes again would never end. A page may be
// empty, where the service filters what it has read.
func (c *Client) cursorPages(ctx context.Context, filter url.Values, list call) iter.Seq2[*answer, error] {
	return func(yield func(*answer, error) bool) {
		cursor, cursors := "", map[string]bool{}
		fetch := func(int) (*answer, error) {
			list.query = queryOf(map[string]string{"limit": strconv.Itoa(cursorLimit), "cursor": cursor})
			maps.Copy(list.query, filter)
			return c.do(ctx, list)
		}
		c.walk(fetch, func(p *page, at position) (more bool, problem error) {
			cursor = string(p.NextCursor)
			more = cursor != ""
			if p.HasNext != nil {
				more = bool(*p.HasNext)
			}
			switch {
			case more && cursor == "":
				return true, errors.New("the list says there is more, without a cursor")
			case more && cursors[cursor]:
				return true, fmt.Errorf("the cursor of page %d comes again", at.number)
			}
			cursors[cursor] = true
			return more, nil
		}, yield)
	}
}

// position is how far a walk has come.
type position struct {
	number   int  // of the page
	entries  int  // met so far
	repeated bool // the page is the same as one before it
}

// walk yields the entries of a list. next reports whether another page follows this one, or what is wrong with it. A
// list that repeats a page ends with an error, never as if it were complete.
func (c *Client) walk(
	fetch func(number int) (*answer, error), next func(*page, position) (more bool, problem error),
	yield func(*answer, error) bool,
) {
	met, begun := entriesMet{entries: map[string]bool{}, pages: map[string]bool{}}, time.Now()
	size, counted := 0, 0
	for number := 1; ; number++ {
		a, err := fetch(number)
		if err != nil {
			yield(nil, err)
			return
		}
		p, failure := pageFrom(a)
		if failure != nil {
			if isObject(a.body) { // A text in the place of a list is no message.
				failure.Messages, failure.Text = c.messages(a.call, a.header, a.body)
			}
			yield(nil, failure)
			return
		}
		if number == 1 {
			counted = p.countedPages()
			c.missing.single.Store(a.call.name, p.isSingle)
		}
		fresh, repeated := met.add(p.items)
		for _, raw := range fresh {
			entry := a.item(raw)
			entry.page = p
			if !yield(entry, nil) {
				return
			}
		}
		size += len(a.body)
		more, problem := next(p, position{number: number, entries: len(met.entries), repeated: repeated})
		switch {
		case problem != nil:
		case !more:
			return
		case repeated:
			problem = fmt.Errorf("page %d repeats a page before it", number)
		case number >= maxPages:
			problem = fmt.Errorf("the list has more than %d pages", maxPages)
		case number >= counted && time.Since(begun) > maxWalkTime:
			problem = fmt.Errorf("after page %d the list does not end within %s; %s", number, maxWalkTime, narrowIt)
		case size > c.maxWalk:
			problem = fmt.Errorf("the list is larger than %d MiB; %s", c.maxWalk>>20, narrowIt)
		}
		if problem != nil {
			yield(nil, a.unusable(problem))
			return
		}
	}
}

// queryOf returns the parameters of a filter that are set.
func queryOf(filter map[string]string) url.Values {
	query := url.Values{}
	for name, value := range filter {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// refusesPageSize reports whether a refusal names the page size.
func refusesPageSize(err error) bool {
	var refused *Error
	namesIt := func(m FieldMessage) bool {
		return strings.EqualFold(m.Path, "pageSize") || strings.Contains(strings.ToLower(m.Message), "pagesize")
	}
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		slices.ContainsFunc(refused.Messages, namesIt)
}

// entriesMet remembers what a walk has met.
type entriesMet struct{ entries, pages map[string]bool }

// add returns the entries not met before: one moves to the next page when another is added
// in front of it. repeated is true for a page that is the same as an earlier one.
func (t entriesMet) add(items []json.RawMessage) (fresh []json.RawMessage, repeated bool) {
	keys := make([]string, len(items))
	for i, raw := range items {
		keys[i] = entryKey(raw)
		if !t.entries[keys[i]] {
			t.entries[keys[i]] = true
			fresh = append(fresh, raw)
		}
	}
	page := strings.Join(keys, "\n")
	repeated = len(items) > 0 && t.pages[page]
	t.pages[page] = true
	return fresh, repeated
}

// saysNoEnd reports whether nothing but its entries tells where the list ends.
func (p *page) saysNoEnd() bool {
	return !p.isSingle && p.HasNext == nil && p.PageCount == nil && p.TotalCount == nil && valueOf(p.PageSize) <= 0
}

// hasMore reports whether another page follows this one. first is how many entries the
// first page had: the service may give fewer than it was asked for.
func (p *page) hasMore(at position, first int) bool {
	switch {
	case p.isSingle:
		return false
	case p.HasNext != nil:
		return bool(*p.HasNext)
	case p.PageCount != nil:
		return int64(at.number) < int64(*p.PageCount)
	case p.TotalCount != nil:
		return int64(at.entries) < int64(*p.TotalCount)
	case valueOf(p.PageSize) > 0:
		return int64(len(p.items)) >= int64(*p.PageSize)
	}
	// More than was asked for: the service does not page.
	return len(p.items) >= max(leastPage, first) && len(p.items) <= pageSize
}

// checkComplete fails unless a list that ends with this page has shown as many entries as
// it counted at its beginning. One that is deleted meanwhile moves another from the next
// page to one that was read already, so that the list lacks it.
func (p *page) checkComplete(at position, first *page) error {
	if p.PageCount != nil && int64(at.number) < int64(*p.PageCount) {
		return fmt.Errorf("%w: it has %d pages and ends with page %d", errIncomplete, *p.PageCount, at.number)
	}
	if first.TotalCount != nil && int64(at.entries) < int64(*first.TotalCount) {
		return fmt.Errorf("%w: it counts %d entries and has shown %d; it is wrong, or was changed meanwhile",
			errIncomplete, *first.TotalCount, at.entries)
	}
	return nil
}

// pages returns how many pages the list of a first page has; where the service does not
// count them, the most that are read.
func (p *page) pages() int {
	switch counted := p.countedPages(); {
	case !p.hasMore(position{number: 1, entries: len(p.items)}, len(p.items)):
		return 1
	case counted < 2:
		return maxPages
	default:
		return counted
	}
}

// countedPages returns how many pages the list of a first page counts; 0 for none, or for more than are read.
func (p *page) countedPages() int {
	pages := int64(valueOf(p.PageCount))
	if size := int64(len(p.items)); size > 0 {
		pages = max(pages, (int64(valueOf(p.TotalCount))+size-1)/size)
	}
	if pages > maxPages {
		return 0
	}
	return int(pages)
}

// pageFrom reads a list in the forms it was seen in: the envelope, an array, and
// the single object that the specification samples for customers. Anything else
// is an error: an unreadable list must not be taken for an empty one.
func pageFrom(a *answer) (*page, *Error) {
	body := unwrapped(a.body)
	members := membersOf(body)
	list, p := body, &page{}
	switch {
	case holds(membersOf(a.body)["errors"]), holds(members["errors"]), holds(members["error"]):
		return nil, a.bad("it holds errors, so that what it lacks may be there")
	case isArray(body):
	case members["items"] != nil:
		list = members["items"]
	case hasID(members):
		return &page{items: []json.RawMessage{body}, isSingle: true}, nil
	case textOf(members["totalCount"]) == "0":
		list = json.RawMessage("[]")
	default:
		return nil, a.bad("it is neither a list nor an object with an id")
	}
	if json.Unmarshal(list, &p.items) != nil {
		return nil, a.bad("its items are not a list")
	}
	for i, item := range p.items {
		if !isObject(item) {
			return nil, a.bad(fmt.Sprintf("items[%d] is not an object", i))
		}
	}
	if members != nil {
		if err := json.Unmarshal(blankToNull(body), p); err != nil {
			return nil, a.bad(shapeText(err))
		}
	}
	return p, nil
}

// holds reports whether a member says something.
func holds(member json.RawMessage) bool {
	switch strings.Join(strings.Fields(string(member)), "") {
	case "", "null", "[]", "{}", `""`, "false":
		return false
	}
	return true
}

// entryKey names an entry: by its id, or by its text where it has none.
func entryKey(raw json.RawMessage) string {
	if id := idOf(raw); id != "" {
		return "id " + id
	}
	return "raw " + string(raw)
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
