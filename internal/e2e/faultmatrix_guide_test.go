package e2e_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

const matrixGuide = "../../templates/guides/fault-matrix.md"

var updateMatrix = flag.Bool("update-matrix", false, "write the table of the fault matrix into its guide")

// matrixTable shows how each kind of request meets each fault: kinds that meet all
// of them in the same way share a row, and faults that are alike a column.
func matrixTable() string {
	var columns, rows []string
	for i := range faults {
		if !slices.Contains(columns, faults[i].row()) {
			columns = append(columns, faults[i].row())
		}
	}
	kinds := map[string][]string{}
	for i := range requestKinds {
		k := &requestKinds[i]
		met := map[string]string{}
		for j := range faults {
			met[faults[j].row()] = string(k.meets(&faults[j]))
		}
		row := ""
		for _, column := range columns {
			row += " " + met[column] + " |"
		}
		if kinds[row] == nil {
			rows = append(rows, row)
		}
		group, text := k.group+": ", k.name
		if slices.ContainsFunc(kinds[row], func(other string) bool { return strings.HasPrefix(other, group) }) {
			group = ""
		}
		kinds[row] = append(kinds[row], group+text)
	}
	var b strings.Builder
	b.WriteString("| Requests | " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", 1+len(columns)) + "|\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(kinds[row], ", ") + " |" + row + "\n")
	}
	return b.String()
}

// TestFaultMatrix_isInTheGuide compares the table, which ends the guide, with what
// the tests check.
func TestFaultMatrix_isInTheGuide(t *testing.T) {
	t.Parallel()
	guide := fileText(t, matrixGuide)
	head, _, _ := strings.Cut(guide, "| Requests |")
	want := head + matrixTable()
	if *updateMatrix {
		if err := os.WriteFile(matrixGuide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if guide != want {
		t.Errorf("%s is not what the tests check: go test ./internal/e2e -run TestFaultMatrix_isInTheGuide -update-matrix, then make generate", matrixGuide)
	}
}

// Faults that are alike are one column, and take turns in the tests.
func TestFaultMatrix_alikeIsAlike(t *testing.T) {
	t.Parallel()
	for i := range requestKinds {
		met := map[string]meeting{}
		for j := range faults {
			f := &faults[j]
			if m := requestKinds[i].meets(f); met[f.row()] != "" && met[f.row()] != m {
				t.Errorf("%s meets %s as %q, and others of its row as %q", requestKinds[i].title(), f.name, m, met[f.row()])
			} else {
				met[f.row()] = m
			}
		}
	}
}
