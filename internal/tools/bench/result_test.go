package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// What is said, beside what says it.
func TestWords(t *testing.T) {
	t.Parallel()
	requests := func(n float64) string { return result{unit: "requests"}.quantity(n) }
	times := func(n float64) string { return result{unit: unitTimes}.quantity(n) }
	for _, said := range [][2]string{
		{"yes", result{unit: "requests", target: 24, measured: 11}.verdict()},
		{"yes", result{unit: unitTimes, target: 3.5, measured: 3.5}.verdict()},
		{"no, 25 % over", result{unit: unitTimes, target: 2, measured: 2.5}.verdict()},
		{"no, 2.5 points over", result{unit: unitPercent, target: 5, measured: 7.5}.verdict()},
		{"no", result{unit: "requests", target: 0, measured: 3}.verdict()},
		{"no, 1 % over", result{unit: unitTimes, target: 1000, measured: 1000.1}.verdict()},
		{"50,000 requests", requests(50_000)},
		{"1 request", requests(1)},
		{"0 requests", requests(0)},
		{"2.8 requests", requests(2.8)},
		{"3.14×", times(3.1415)},
		{"1×", times(1.001)},
		{"-1,234", result{}.quantity(-1234)},
		{"87 MiB", result{unit: "MiB"}.quantity(87.4)},
		{"999 ms", result{unit: "ms"}.quantity(999)},
		{"company", noun("companies", 1)},
		{"companies", noun("companies", 2)},
		{"webhook", noun("webhooks", 1)},
		{"5", cost(5)},
		{"20 (3 s)", cost(20)},
		{"100 (1 min)", cost(100)},
		{"5,000 (1.4 h)", cost(5000)},
	} {
		expect.Is(t, said[1], said[0])
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
	expect.Contains(t, made.markdown(false), "Met |\n|---|---:|---:|---:|---|\n| A | 2 requests | 1 request | 1 request | yes |\n")
	expect.Same(t, want, made.markdown(true))
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

func TestPeak_readsTheStatusOfAProcess(t *testing.T) {
	t.Parallel()
	expect.Is(t, peak("Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t  131072 kB\nVmRSS:\t 5 kB\n"), 131_072, "the peak")
	expect.Is(t, peak("Name:\tkthreadd\n"), 0, "a process without memory")
}

func TestWatch_seesAProcessByItsProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the peak memory of another process")
	}
	own, err := os.Readlink("/proc/self/exe")
	expect.NoError(t, err)
	seen, other := &watch{}, &watch{}
	seen.look(own)
	other.look(own + "-other")
	expect.False(t, seen.peakKiB < 1024 || other.peakKiB != 0,
		"this process has a peak of %d KiB, another program one of %d", seen.peakKiB, other.peakKiB)
	var none *watch
	none.begin(own)()
}

func TestRefreshRequests_areNeverMoreThanTwiceTheBestChoice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ objects, account, size, want int }{
		{0, 100, 100, 0},
		{1, 50_000, 100, 1},
		{2, 2, 100, 2},
		{5, 50_000, 100, 6},
		{499, 50_000, 100, 500},
		{500, 50_000, 100, 1000},
		{1000, 1000, 100, 20},
		{100, 100, 20, 10},
		{7, 0, 100, 2},
	} {
		expect.Is(t, refreshRequests(tt.objects, tt.account, tt.size), tt.want, "%v", tt)
	}
	for _, account := range []int{1, 99, 100, 101, 5000, 50_000} {
		for objects := 1; objects <= min(account, 2000); objects++ {
			if got, best := refreshRequests(objects, account, pageSize), min(objects, pagesOf(account, pageSize)); got > 2*best {
				t.Fatalf("%d objects in an account of %d cost %d requests, the best choice %d", objects, account, got, best)
			}
		}
	}
}

func TestAtLimit_isTheTimeFromTheFirstRequestToTheLast(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]time.Duration{
		0: 0, 1: 0, 5: 0, 6: time.Second, 60: 11 * time.Second, 61: time.Minute, 66: 61 * time.Second, 120: 71 * time.Second, 3600: 59*time.Minute + 11*time.Second,
	} {
		expect.Is(t, atLimit(requests), want, "%v", requests)
	}
}

func TestCompared_isTheMedianOfRatios(t *testing.T) {
	t.Parallel()
	ours, floor := []spent{{20, 2}, {300, 2}, {4000, 2}}, []spent{{10, 1}, {100, 1}, {1000, 1}}
	if got := compared("", ours, floor); got.measured != 3 || !strings.Contains(got.note, "processors 2×; medians of 3") {
		t.Errorf("got %v, %q, want 3", got.measured, got.note)
	}
	expect.Is(t, median([]float64{4, 1, 3, 2}), 2.5, "the median of four lies between the middle two")
}

func measured() []table {
	both := func(results ...result) []column {
		return []column{{"Terraform", "1.11.4", results}, {"OpenTofu", "1.12.6", results}}
	}
	return []table{
		{"Requests of a plan", "a machine", both(result{what: "A", unit: "requests", target: 2, measured: 2, objects: 5}, result{what: "None", objects: 1})},
		{"Waiting for the limit", "a machine", both(result{what: "B", unit: unitTimes, target: 1, measured: 2})},
	}
}

func TestWriteTable_replacesWhatWasMeasured(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	expect.NoError(t, os.WriteFile(page, []byte("# Before\n\n"+tableBegin+"\nold\n\n"+tableEnd+"\nAfter\n"), 0o600))
	for _, made := range [][]table{measured(), measured()[1:], measured()} { // Beside what stands there already.
		expect.NoError(t, writeTable(page, made))
	}
	raw, err := os.ReadFile(page)
	expect.NoError(t, err)
	want := "# Before\n\n" + tableBegin + "\n" + measured()[0].markdown(false) + "\n" + measured()[1].markdown(false) + "\n" +
		tableEnd + "\nAfter\n"
	expect.Same(t, want, string(raw))
	expect.NoError(t, os.WriteFile(page, []byte(tableEnd+tableBegin), 0o600))
	if err := writeTable(page, measured()); err == nil || !strings.Contains(err.Error(), tableBegin) {
		t.Errorf("got %v", err)
	}
}

// The guide predicts by the formula that the bench asks for, and what was measured is
// on the page that it names.
func TestGuide_showsTheFormulaAndThePlot(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	for file, wanted := range map[string][]string{
		guideFile: {predicted(), filepath.Base(tableFile), "https://raw.githubusercontent.com/einvoice-br/terraform-provider-einvoice/main/" + plotFile},
		tableFile: {tableBegin, tableEnd},
	} {
		raw, err := os.ReadFile(filepath.Join(root, file))
		expect.NoError(t, err)
		for _, want := range wanted {
			expect.Contains(t, string(raw), want, "%s", file)
		}
	}
	if _, err := os.Stat(filepath.Join(root, plotFile)); err != nil {
		t.Error(err)
	}
}

func TestChart_hasTheFormulaAndWhatWasMeasured(t *testing.T) {
	t.Parallel()
	c := newChart(measured())
	expect.Same(t, []point{{5, 2}}, c.Measured, "what was measured, in which zero has no place on a logarithmic axis")
	for name, want := range map[string][2]point{
		"one read each":                       {{1, 1}, {10_000, 10_000}},
		"at most, in an account of no others": {{1, 1}, {10_000, 200}},
		"at most, in an account of 50,000":    {{1, 1}, {10_000, 1000}},
	} {
		i := slices.IndexFunc(c.Lines, func(l line) bool { return l.Name == name })
		if i < 0 {
			t.Errorf("there is no line %q", name)
			continue
		}
		if points := c.Lines[i].Points; points[0] != want[0] || points[len(points)-1] != want[1] {
			t.Errorf("%s goes from %v to %v, want %v", name, points[0], points[len(points)-1], want)
		}
	}
}
