package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// The registries show a picture by its whole address alone, so the plot lies outside of docs/, and the guide names it
// where the repository serves it. What it shows is in the tables too.
const (
	guideFile  = "templates/guides/performance.md"
	tablesFile = "templates/guides/measurements.md"
	plotFile   = ".github/images/performance.svg"

	tablesBegin = "<!-- The tables and the plot are written by: make bench WRITE=1 -->\n"
	tablesEnd   = "<!-- End of the tables. -->\n"
)

// writeTables puts what was measured between the lines of the page that are for it. Parts that were not measured now
// stay as they are.
func writeTables(page string, made []table) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, begun := strings.Cut(string(raw), tablesBegin)
	before, tail, ended := strings.Cut(rest, tablesEnd)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the lines between which the tables stand:\n%s%s", page, tablesBegin, tablesEnd)
	}
	parts := map[string]string{}
	for part := range strings.SplitSeq(before, "### ") {
		title, _, _ := strings.Cut(part, "\n")
		parts[title] = "### " + strings.TrimSpace(part) + "\n"
	}
	for _, t := range made {
		parts[t.title] = t.markdown()
	}
	text := head + tablesBegin
	for _, s := range sections {
		if part := parts[s.title]; part != "" {
			text += "\n" + part
		}
	}
	return os.WriteFile(page, []byte(text+"\n"+tablesEnd+tail), 0o644) //nolint:gosec // A page for everybody.
}

// predicted is a table of what the formula says of refreshes, which the guide shows.
func predicted() string {
	var b strings.Builder
	b.WriteString("| Objects in the workspace | One read each | In an account of no others | In an account of 1,000 | In an account of 50,000 |\n|---:|---:|---:|---:|---:|\n")
	for _, objects := range []int{1, 5, 20, 100, 500, 1000, 5000} {
		cells := []string{grouped(objects), cost(objects), cost(refreshRequests(objects, objects, pageSize))}
		for _, account := range []int{1000, 50_000} {
			if account < objects {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, cost(refreshRequests(objects, account, pageSize)))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

// cost writes requests, and how long the limit makes them take.
func cost(requests int) string {
	took := atLimit(requests)
	switch {
	case took < time.Second:
		return grouped(requests)
	case took < time.Minute:
		return fmt.Sprintf("%s (%.0f s)", grouped(requests), took.Seconds())
	case took < time.Hour:
		return fmt.Sprintf("%s (%.0f min)", grouped(requests), took.Minutes())
	}
	return fmt.Sprintf("%s (%.1f h)", grouped(requests), took.Hours())
}
