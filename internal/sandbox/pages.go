package sandbox

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	cursorDefaultLimit = 20
	cursorMaxLimit     = 200
)

// page answers an offset list: query page (from 1) and pageSize, the envelope of the specification. The default page
// size, and that a larger one is cut, are assumed. shown changes a copy of each item that is answered.
func (c *call) page(items []object, shown func(object) object) (any, error) {
	first := 1
	if c.s.opts.PagesFromZero {
		first = 0
	}
	page, err := c.whole("page", first, first)
	if err != nil {
		return nil, err
	}
	size, err := c.whole("pageSize", 1, min(defaultPageSize, c.s.opts.MaxPageSize))
	if err != nil {
		return nil, err
	}
	size = min(size, c.s.opts.MaxPageSize)
	total := len(items)
	from := min((page-first)*size, total)
	to := min(from+size, total)
	return object{
		"totalCount": total,
		"pageCount":  (total + size - 1) / size,
		"pageSize":   size,
		"hasNext":    to < total,
		"items":      c.showAll(items[from:to], shown),
	}, nil
}

func (c *call) showAll(items []object, shown func(object) object) []object {
	out := make([]object, len(items))
	for i, item := range items {
		out[i] = shown(wired(item))
		if c.s.opts.CapitalIDsInLists {
			out[i]["id"] = strings.ToUpper(text(out[i], "id"))
		}
	}
	return out
}

// cursorPage answers the inbound list, given newest first: query cursor and limit, 20 by default and at most 200; an
// empty or absent cursor is the first page. A cursor whose place is gone is a 400.
func (c *call) cursorPage(items []object, shown func(object) object) (any, error) {
	limit, err := c.whole("limit", 1, cursorDefaultLimit)
	if err != nil {
		return nil, err
	}
	if limit > cursorMaxLimit {
		return nil, invalid("limit", "The field Limit must be between 1 and %d.", cursorMaxLimit)
	}
	from := 0
	if cursor := c.r.URL.Query().Get("cursor"); cursor != "" {
		place, err := base64.RawURLEncoding.DecodeString(cursor)
		last, ok := strings.CutPrefix(string(place), "after:")
		at := slices.IndexFunc(items, func(item object) bool { return text(item, "id") == last })
		if err != nil || !ok || at < 0 {
			return nil, invalid("cursor", "The cursor is invalid or has expired.")
		}
		from = at + 1
	}
	to := min(from+limit, len(items))
	var next any
	if to < len(items) {
		next = base64.RawURLEncoding.EncodeToString([]byte("after:" + text(items[to-1], "id")))
	}
	return object{"items": c.showAll(items[from:to], shown), "nextCursor": next, "hasNext": next != nil}, nil
}

func (c *call) whole(name string, least, absent int) (int, error) {
	v := c.r.URL.Query().Get(name)
	if v == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(v)
	// A page number beyond any list would overflow its product with the page size.
	if err != nil || n < least || n > 1<<30 {
		return 0, invalid(name, "The value '%s' is not valid for %s.", v, pascal(name))
	}
	return n, nil
}

// between reads two filters that are date-times. It returns a function that compares a document's date with them.
func (c *call) between(since, until string) (within func(date string) bool, err error) {
	var from, to time.Time
	for name, t := range map[string]*time.Time{since: &from, until: &to} {
		value := c.filter(name)
		if value == "" {
			continue
		}
		var ok bool
		if *t, ok = parseMoment(value); !ok {
			return nil, invalid(name, "The value '%s' is not valid for %s.", value, pascal(name))
		}
	}
	return func(date string) bool {
		on, _ := parseMoment(date)
		return (from.IsZero() || !on.Before(from)) && (to.IsZero() || !on.After(to))
	}, nil
}
