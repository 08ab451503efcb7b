package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResult_saysWhetherItsTargetIsMet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result result
		want   string
	}{
		"below":                      {result{unit: "requests", target: 24, measured: 11}, "yes"},
		"just met":                   {result{unit: unitTimes, target: 3.5, measured: 3.5}, "yes"},
		"over, in parts of it":       {result{unit: unitTimes, target: 2, measured: 2.5}, "no, 25 % over"},
		"over a share, in points":    {result{unit: unitPercent, target: 5, measured: 7.5}, "no, 2.5 points over"},
		"over nothing":               {result{unit: "requests", target: 0, measured: 3}, "no"},
		"over by less than one part": {result{unit: unitTimes, target: 1000, measured: 1000.1}, "no, 1 % over"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.result.verdict(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestResult_writesQuantities(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]result{
		"50,000 requests": {unit: "requests", measured: 50_000},
		"1 request":       {unit: "requests", measured: 1},
		"0 requests":      {unit: "requests"},
		"2.8 requests":    {unit: "requests", measured: 2.8},
		"3.14×":           {unit: unitTimes, measured: 3.1415},
		"1×":              {unit: unitTimes, measured: 1.001},
		"-1,234":          {measured: -1234},
		"87 MiB":          {unit: "MiB", measured: 87.4},
		"999 ms":          {unit: "ms", measured: 999},
	} {
		if got := r.quantity(r.measured); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTable_isMarkdown(t *testing.T) {
	t.Parallel()
	made := table{results: []result{{what: "A", unit: "requests", target: 2, measured: 1}, {what: "B", unit: unitTimes, target: 1, measured: 2, note: "slow"}}}
	want := "| What | Target, at most | Measured | Met | Notes |\n|---|---:|---:|---|---|\n| A | 2 requests | 1 request | yes | |\n| B | 1× | 2× | no, 100 % over | slow |\n"
	if diff := cmp.Diff(want, made.markdown()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMissed_namesWhatFailsTheRun(t *testing.T) {
	t.Parallel()
	met := result{what: "met", target: 1, measured: 1}
	over := result{what: "over", unit: "requests", target: 1, measured: 2}
	slow := result{what: "slow", target: 1, measured: 2, shown: true}
	if err := missed(report{tables: []table{{results: []result{met, slow}}}}); err != nil {
		t.Errorf("got %v, want none: what is only shown fails nothing", err)
	}
	err := missed(report{tables: []table{{title: "Title", results: []result{met, over, slow}}}})
	if err == nil || !strings.Contains(err.Error(), "Title: over: 2 requests, want at most 1 request") || strings.Contains(err.Error(), "slow") {
		t.Errorf("got %v", err)
	}
}
