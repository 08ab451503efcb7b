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
		wantSame(t, test.want, test.result.verdict(), name)
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
		wantSame(t, want, r.quantity(r.measured), r)
	}
}

func TestTable_isMarkdown(t *testing.T) {
	t.Parallel()
	made := table{"Title", "a machine", []column{
		{"Terraform", "1.11.4", []result{{what: "A", unit: "requests", target: 2, measured: 1}, {what: "B", unit: unitTimes, target: 1, measured: 1, note: "slow"}, {what: "C", target: 1, note: "same"}}},
		{"OpenTofu", "1.12.6", []result{{what: "A", unit: "requests", target: 2, measured: 1}, {what: "B", unit: unitTimes, target: 1, measured: 2, note: "slower"}, {what: "C", target: 1, note: "same"}}},
	}}
	want := "### Title\n\nMeasured with Terraform 1.11.4 and OpenTofu 1.12.6, a machine: 2 of 3 targets are met.\n\n" +
		"| What | Target, at most | Terraform | OpenTofu | Met | Notes |\n|---|---:|---:|---:|---|---|\n" +
		"| A | 2 requests | 1 request | 1 request | yes | |\n| B | 1× | 1× | 2× | no, 100 % over | Terraform: slow; OpenTofu: slower |\n| C | 1 | 0 | 0 | yes | same |\n"
	if diff := cmp.Diff(want, made.markdown()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMissed_namesWhatFailsTheRun(t *testing.T) {
	t.Parallel()
	met := result{what: "met", target: 1, measured: 1}
	over := result{what: "over", unit: "requests", target: 1, measured: 2}
	slow := result{what: "slow", target: 1, measured: 2, shown: true}
	with := func(results ...result) []table { return []table{{"Title", "", []column{{"OpenTofu", "", results}}}} }
	if err := missed(with(met, slow)); err != nil {
		t.Errorf("got %v, want none: what is only shown fails nothing", err)
	}
	err := missed(with(met, over, slow))
	if err == nil || !strings.Contains(err.Error(), "Title, OpenTofu: over: 2 requests, want at most 1 request") || strings.Contains(err.Error(), "slow") {
		t.Errorf("got %v", err)
	}
}
