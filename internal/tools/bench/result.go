package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	textnumber "golang.org/x/text/number"
)

// result is one measurement and its target, which is a maximum.
type result struct {
	what     string
	unit     string
	target   float64
	measured float64
	// shown marks a measurement that depends on the machine, or is known to miss its target: it is compared, shown and
	// counted, and does not fail the run.
	shown   bool
	note    string
	objects int // of a plan, for the plot; 0 for none
}

// The units that read differently from "5 requests".
const (
	unitTimes   = "×"
	unitPercent = "%"
)

func (r result) met() bool { return r.measured <= r.target }

// verdict is "yes", or by how much the target is missed.
func (r result) verdict() string {
	switch {
	case r.met():
		return "yes"
	case r.target == 0:
		return "no"
	case r.unit == unitPercent:
		return fmt.Sprintf("no, %s points over", number(r.measured-r.target))
	}
	return fmt.Sprintf("no, %.0f %% over", math.Ceil((r.measured/r.target-1)*100))
}

func (r result) quantity(n float64) string {
	switch r.unit {
	case "":
		return number(n)
	case unitTimes:
		return number(n) + unitTimes
	}
	unit := r.unit
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return number(n) + " " + unit
}

var english = message.NewPrinter(language.English)

// number writes counts as they are and everything else with at most two places.
func number(n float64) string {
	places := 2
	if math.Abs(n) >= 20 {
		places = 0
	}
	return english.Sprint(textnumber.Decimal(n, textnumber.MaxFractionDigits(places)))
}

// grouped writes 50000 as 50,000.
func grouped(n int) string { return english.Sprint(n) }

// table is what a section measured, with each CLI.
type table struct {
	title   string
	machine string
	runs    []column
}

// column is what was measured with one CLI.
type column struct {
	product, version string
	results          []result
}

// circumstances are those of the measurement.
func (t table) circumstances() string {
	var clis []string
	for _, run := range t.runs {
		clis = append(clis, run.product+" "+run.version)
	}
	return strings.Join(clis, " and ") + ", " + t.machine
}

// row is what was measured in one place with each CLI, and the worst of it.
func (t table) row(i int) (same []result, worst result) {
	for _, run := range t.runs {
		same = append(same, run.results[i])
	}
	return same, slices.MaxFunc(same, func(a, b result) int { return cmp.Compare(a.measured, b.measured) })
}

// met is how many targets are met with each CLI.
func (t table) met() (n int) {
	for i := range t.runs[0].results {
		if _, worst := t.row(i); worst.met() {
			n++
		}
	}
	return n
}

// markdown is the table, below its title, with or without what is said of each row.
func (t table) markdown(withNotes bool) string {
	notes, line := "", ""
	if withNotes {
		notes, line = " Notes |", "---|"
	}
	head, rule := "| What | Target, at most |", "|---|---:|"
	for _, run := range t.runs {
		head, rule = head+" "+run.product+" |", rule+"---:|"
	}
	var rows strings.Builder
	for i, r := range t.runs[0].results {
		same, worst := t.row(i)
		fmt.Fprintf(&rows, "| %s | %s |", r.what, r.quantity(r.target))
		for _, one := range same {
			fmt.Fprintf(&rows, " %s |", one.quantity(one.measured))
		}
		fmt.Fprintf(&rows, " %s |", worst.verdict())
		if withNotes {
			fmt.Fprintf(&rows, " %s |", t.notes(same))
		}
		rows.WriteByte('\n')
	}
	return fmt.Sprintf("### %s\n\nMeasured with %s: %d of %d targets are met.\n\n%s Met |%s\n%s---|%s\n%s",
		t.title, t.circumstances(), t.met(), len(t.runs[0].results),
		head, notes, rule, line, strings.ReplaceAll(rows.String(), "|  |", "| |"))
}

// notes are those of one row: once where they are the same with each CLI.
func (t table) notes(row []result) string {
	if !slices.ContainsFunc(row, func(r result) bool { return r.note != row[0].note }) {
		return row[0].note
	}
	texts := make([]string, len(row))
	for i, r := range row {
		texts[i] = t.runs[i].product + ": " + r.note
	}
	return strings.Join(texts, "; ")
}

// missed is the error that names the targets that were not met.
func missed(made []table) error {
	var lines []string
	for _, t := range made {
		for _, run := range t.runs {
			for _, r := range run.results {
				if !r.met() && !r.shown {
					lines = append(lines, fmt.Sprintf("%s, %s: %s: %s, want at most %s",
						t.title, run.product, r.what, r.quantity(r.measured), r.quantity(r.target)))
				}
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%d targets are missed:\n  %s", len(lines), strings.Join(lines, "\n  "))
}
