package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	if err := os.WriteFile(page, []byte("# Before\n\n"+tableBegin+"\nold\n\n"+tableEnd+"\nAfter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // The second time on what the first has written.
		if err := writeTable(page, measured()); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "# Before\n\n" + tableBegin + "\nMeasured with Terraform 1.11.4 and OpenTofu 1.12.6, a machine.\n\n| What | Targets that are met |\n|---|---:|\n" +
		"| Requests of a plan | 2 of 2 |\n| Waiting for the limit | 0 of 1 |\n\n" + tableEnd + "\nAfter\n"
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteTable_needsItsLines(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte(tableEnd+tableBegin), 0o600); err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wanted {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%s lacks:\n%s", file, want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(root, plotFile)); err != nil {
		t.Error(err)
	}
}

func TestChart_hasTheFormulaAndWhatWasMeasured(t *testing.T) {
	t.Parallel()
	c := newChart(measured())
	if diff := cmp.Diff([]point{{5, 2}}, c.Measured); diff != "" {
		t.Errorf("what was measured differs, in which zero has no place on a logarithmic axis (-want +got):\n%s", diff)
	}
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
