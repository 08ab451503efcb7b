package main

import "time"

// What the service allows, and what the provider asks of a list at once.
const (
	perMinute = 60
	perSecond = 5
	pageSize  = 100
)

// pagesOf is what reading a whole list costs: its pages.
func pagesOf(account, size int) int { return max(1, (account+size-1)/size) }

// refreshRequests is the most that the refresh of some objects of a collection costs, in an account that holds so many,
// listed in pages of size: one read each, and the first page that tells what the list costs; or as many reads as the
// list has pages, and the list.
func refreshRequests(objects, account, size int) int {
	pages := pagesOf(account, size)
	switch {
	case objects <= 1:
		return objects
	case objects < pages:
		return objects + 1
	}
	return 2 * pages
}

// atLimit is the least time in which so many requests can be made under the limit, from the first to the last: five at
// once each second, and sixty until the minute is over.
func atLimit(requests int) time.Duration {
	if requests <= 0 {
		return 0
	}
	minutes, rest := (requests-1)/perMinute, (requests-1)%perMinute
	return time.Duration(minutes)*time.Minute + time.Duration(rest/perSecond)*time.Second
}
