package e2e_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The guide shows the tables of the matrix between these lines.
const (
	matrixGuide = "../../templates/guides/fault-matrix.md"
	matrixBegin = "<!-- The tables are written by: go run ./internal/cmd/clis -want any go test ./internal/e2e -run TestAccFaultMatrix -matrix-out=../../templates/guides/fault-matrix.md -->\n"
	matrixEnd   = "<!-- End of the tables. -->\n"
)

// matrixTables are the kinds of request and the faults that the tests run, and
// how each is met, as Markdown.
func matrixTables() string {
	var groups []string
	columns := map[string][]*requestKind{}
	cells := 0
	for i := range requestKinds {
		k := &requestKinds[i]
		if columns[k.group] == nil {
			groups = append(groups, k.group)
		}
		columns[k.group] = append(columns[k.group], k)
		cells += len(k.cells())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d kinds of request and %d faults make %d cases, those that outlast the repetitions included.\n", len(requestKinds), len(faults), cells)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n### %s\n\n| What goes wrong |", group)
		for _, k := range columns[group] {
			fmt.Fprintf(&b, " %s |", k.name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(columns[group])) + "\n")
		for i := range faults {
			fmt.Fprintf(&b, "| %s |", faults[i].name)
			for _, k := range columns[group] {
				fmt.Fprintf(&b, " %s |", k.meets(&faults[i]))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// guideParts are a guide before and after its tables, and the tables.
func guideParts(file string) (head, tables, tail string, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", "", "", fmt.Errorf("read the guide: %w", err)
	}
	head, rest, begun := strings.Cut(string(raw), matrixBegin)
	tables, tail, ended := strings.Cut(rest, matrixEnd)
	if !begun || !ended {
		return "", "", "", fmt.Errorf("%s lacks the lines between which the tables stand:\n%s%s", file, matrixBegin, matrixEnd)
	}
	return head, strings.TrimSpace(tables), tail, nil
}

// writeMatrix puts the tables into a guide.
func writeMatrix(file string) error {
	head, _, tail, err := guideParts(file)
	if err != nil {
		return err
	}
	guide := head + matrixBegin + "\n" + matrixTables() + "\n" + matrixEnd + tail
	if err := os.WriteFile(file, []byte(guide), 0o644); err != nil {
		return fmt.Errorf("write the guide: %w", err)
	}
	return nil
}

func TestFaultMatrix_isInTheGuide(t *testing.T) {
	t.Parallel()
	_, shown, _, err := guideParts(matrixGuide)
	if err != nil {
		t.Fatal(err)
	}
	if shown != strings.TrimSpace(matrixTables()) {
		t.Errorf("the tables in %s are not those of the tests; the line before them says how to write them", matrixGuide)
	}
}
