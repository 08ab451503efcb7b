package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Registries show a picture only by its full address. The plot therefore lies outside of docs/, and the guide names
// it by its address in the repository.
const (
	guideFile = "templates/guides/performance.md"
	tableFile = "templates/guides/measurements.md"
	plotFile  = ".github/images/performance.svg"

	tableBegin = "<!-- The table and the plot are written by: make bench WRITE=1 -->\n"
	tableEnd   = "<!-- End of the table. -->\n"
)

// writeTable puts what was measured between the lines of the page that are for it. What was not measured this time
// stays as it is.
func writeTable(page string, made []table) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	head, rest, begun := strings.Cut(string(raw), tableBegin)
	there, tail, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the lines between which the table stands:\n%s%s", page, tableBegin, tableEnd)
	}
	sections := strings.Split(there, "### ")[1:]
	for _, t := range made {
		section := strings.TrimPrefix(t.markdown(false), "### ") + "\n"
		i := slices.IndexFunc(sections, func(s string) bool { return strings.HasPrefix(s, t.title+"\n") })
		if i < 0 {
			sections = append(sections, section)
		} else {
			sections[i] = section
		}
	}
	text := head + tableBegin + "\n"
	for _, section := range sections {
		text += "### " + section
	}
	return os.WriteFile(page, []byte(text+tableEnd+tail), 0o644) //nolint:gosec // A page for everybody.
}

// predicted is a table of what the formula says of refreshes, which the guide shows.
func predicted() string {
	var b strings.Builder
	b.WriteString("| Objects in the workspace | One read each | The account has no others of the kind | " +
		"It has 1,000 | It has 50,000 |\n|---:|---:|---:|---:|---:|\n")
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
