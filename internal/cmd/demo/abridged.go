package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
)

// abridged passes on what a CLI prints, indented, without what is the same in every run or fills screens: the warning
// about development overrides, the attributes of a plan, and the reading of what exists.
type abridged struct {
	out     io.Writer
	partial []byte
	in      section
	blank   bool     // the last line that was passed on was blank
	held    []string // warnings in short form, while it is not clear that there are any of interest
}

// section is a part of the output that is left out in part or whole.
type section int

const (
	elsewhere section = iota
	overridesWarning
	planLegend
	planActions
	planOutputs
	shortWarnings
)

func newAbridged(out io.Writer) *abridged {
	return &abridged{out: out, blank: true}
}

func (a *abridged) Write(p []byte) (int, error) {
	a.partial = append(a.partial, p...)
	for {
		line, rest, found := bytes.Cut(a.partial, []byte("\n"))
		if !found {
			return len(p), nil
		}
		a.line(string(line))
		a.partial = rest
	}
}

// flush passes on a last line that was not ended.
func (a *abridged) flush() {
	if len(a.partial) > 0 {
		a.line(string(a.partial))
		a.partial = nil
	}
}

func (a *abridged) line(line string) {
	line = strings.TrimRight(line, " \r")
	if strings.HasPrefix(line, "Plan: ") && !a.blank {
		a.pass("")
	}
	if a.shows(line) {
		a.pass(line)
	}
}

func (a *abridged) pass(line string) {
	if line == "" && a.blank {
		return
	}
	a.blank = line == ""
	if line != "" {
		line = "    " + line
	}
	// The output is for a person; a line that cannot be written is lost.
	_, _ = io.WriteString(a.out, line+"\n")
}

func (a *abridged) shows(line string) bool {
	switch {
	case strings.HasPrefix(line, "Warning: Provider development overrides"):
		a.in = overridesWarning
	case strings.Contains(line, " used the selected providers to "):
		a.in = planLegend
	case strings.HasSuffix(line, " will perform the following actions:"):
		a.in = planActions
		return true
	case line == "Warnings:":
		a.in = shortWarnings
	case line == "Changes to Outputs:":
		a.in = planOutputs
	case strings.HasPrefix(line, "Plan: "):
		a.in = elsewhere
	case a.in == planOutputs && line != "" && !strings.HasPrefix(line, " "):
		a.in = elsewhere
	}
	switch a.in {
	case overridesWarning:
		// The warning is wrapped to the width of the terminal; its end is not.
		if strings.HasSuffix(line, "releases.") {
			a.in = elsewhere
		}
		return false
	case shortWarnings:
		a.shortWarning(line)
		return false
	case planLegend, planOutputs:
		return false
	case planActions:
		return strings.HasPrefix(line, "  # ") && !strings.HasPrefix(line, "  # data.") &&
			!strings.HasPrefix(line, "  # (")
	default:
		return !reading.MatchString(line)
	}
}

// shortWarning holds back a list of warnings until its end, and leaves it out when the overrides are all it tells of.
func (a *abridged) shortWarning(line string) {
	if !strings.HasPrefix(line, "To see the full warning notes") {
		if !strings.HasPrefix(line, "- Provider development overrides") {
			a.held = append(a.held, line)
		}
		return
	}
	if slices.ContainsFunc(a.held, func(held string) bool { return strings.HasPrefix(held, "- ") }) {
		for _, held := range a.held {
			a.pass(held)
		}
	}
	a.held, a.in = nil, elsewhere
}

var reading = regexp.MustCompile(`: (Reading\.\.\.|Read complete after|Refreshing state\.\.\.)`)
