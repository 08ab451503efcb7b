package main

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	textnumber "golang.org/x/text/number"
)

// result is one measurement and what it is to be at most.
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

// markdown is the table.
func (t table) markdown() string {
	text := "| What | Target, at most | Measured | Met | Notes |\n|---|---:|---:|---|---|\n"
	for _, r := range t.results {
		line := fmt.Sprintf("| %s | %s | %s | %s | %s |\n", r.what, r.quantity(r.target), r.quantity(r.measured), r.verdict(), r.note)
		text += strings.ReplaceAll(line, "|  |", "| |")
	}
	return text
}

// missed is the error that names the targets that were not met.
func missed(made report) error {
	var lines []string
	for _, t := range made.tables {
		for _, r := range t.results {
			if !r.met() && !r.shown {
				lines = append(lines, fmt.Sprintf("%s: %s: %s, want at most %s", t.title, r.what, r.quantity(r.measured), r.quantity(r.target)))
			}
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%d targets are missed:\n  %s", len(lines), strings.Join(lines, "\n  "))
}
