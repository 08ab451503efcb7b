package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// find looks through the list of a kind, which may still show what is removed.
func (c *check) find(ctx context.Context, n noun, matches func(object) bool) object {
	return c.search(ctx, question{operation: "list_" + n.many, query: url.Values{}}, func(of object) bool {
		return matches(of) && !isAmong(c.removed, n.one+" "+of.text("id"))
	})
}

func withID(id string) func(object) bool {
	return func(of object) bool { return strings.EqualFold(of.text("id"), id) }
}

// search looks through the pages of a list.
func (c *check) search(ctx context.Context, q question, matches func(object) bool) object {
	var found object
	c.pages(ctx, q, func(items []object) (stop bool) {
		at := slices.IndexFunc(items, matches)
		if at >= 0 {
			found = items[at]
		}
		return at >= 0
	})
	return found
}

// pages shows the pages of a list to visit until it says stop. complete reports whether the list was read to its end.
func (c *check) pages(ctx context.Context, q question, visit func(items []object) (stop bool)) (complete bool) {
	seen := 0
	for page := 1; page <= mostPages && ctx.Err() == nil; page++ {
		q.query.Set("page", strconv.Itoa(page))
		q.query.Set("pageSize", "100")
		a := c.look(ctx, q)
		if q.operation == "list_customers" && a.ok() {
			c.seeList(a.Body)
		}
		items, around, _ := itemsIn(a.Body)
		if !a.ok() || c.seeItems(ctx, q, a.Body) != "" || visit(items) {
			return false
		}
		seen += len(items)
		if len(items) == 0 || !goesOn(around, seen, len(items)) {
			return true
		}
	}
	return false
}

// goesOn reports whether another page follows, by the members beside the items.
func goesOn(around object, seen, onPage int) bool {
	if next, told := around["hasNext"].(bool); told {
		return next
	}
	if total, err := strconv.Atoi(around.text("totalCount")); err == nil {
		return seen < total
	}
	return around != nil && onPage >= 100
}

// lag looks for a new object in its list, and notes how the list shows it.
func (c *check) lag(ctx context.Context, n noun, id string) {
	list := question{operation: "list_" + n.many}
	if !c.canRead(list) {
		return
	}
	of := c.untilListed(ctx, list, n.one, func() object { return c.find(ctx, n, withID(id)) })
	switch {
	case ctx.Err() != nil || !c.canRead(list):
	case of == nil:
		c.unlisted(n.one)
	case of.text("id") != id:
		c.holds("ids_ignore_case", "lists write them in another case")
	}
}

func (c *check) unlisted(what string) {
	c.differs("lists_lag_briefly", false, fmt.Sprintf("a %s did not show within %s", what, lagPatience))
}

// untilListed looks for a new object in its list until it shows, nil where it does not, and notes how long that takes
// from the answer to its creation on. A late first look proves no lag.
func (c *check) untilListed(ctx context.Context, list question, what string, find func() object) (of object) {
	var took, unlisted time.Duration
	c.until(ctx, c.posted, lagPatience, func() bool {
		of, took = find(), c.now().Sub(c.posted)
		if of == nil {
			unlisted = took
		}
		return of != nil || !c.canRead(list)
	})
	seen := fmt.Sprintf("a %s showed after %s", what, took.Round(time.Second))
	switch {
	case of == nil:
	case took <= lagUsual:
		c.holds("lists_lag_briefly", seen)
	case unlisted > 0:
		c.differs("lists_lag_briefly", took <= lagAllowed, seen)
	}
	return of
}
