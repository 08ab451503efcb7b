package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var writeTables = flag.Bool("write-tables", false, `write the tables of the page "Interface coverage"`)

// The markers between which the tables stand in the page.
const (
	tablesBegin = "<!-- The tables are written by `make generate`. -->\n"
	tablesEnd   = "<!-- The tables end here. -->\n"
)

func TestTables_areInThePage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "templates", "guides", "interface-coverage.md")
	raw, err := os.ReadFile(path)
	expect.NoError(t, err)
	page := string(raw)
	before, rest, found := strings.Cut(page, tablesBegin)
	_, after, ended := strings.Cut(rest, tablesEnd)
	current := before + tablesBegin + tables(t) + tablesEnd + after
	if !found || !ended || current != page && !*writeTables {
		t.Error("the tables of the page are not current: run make generate")
	} else if err := os.WriteFile(path, []byte(current), 0o644); *writeTables && err != nil {
		t.Error(err)
	}
}

// tables are those of the page, which is in English.
func tables(t *testing.T) string {
	t.Helper()
	evidence := map[string]string{"shown": "Endpoints", "named": "Endpoints, other operations", "assumed": "the vendor's texts"}
	for _, row := range rowsOf(t, "testdata/operations.csv") {
		evidence[row[0]] = row[1]
	}
	var b strings.Builder
	b.WriteString("\n## Statements\n\nHow many statements the specification makes, and how many are met. " +
		"The file\n`internal/e2e/testdata/specification.csv` names where each is met, and the test that shows it.\n\n")
	b.WriteString("| Section | Statements | Met | Left out |\n|---|---|---|---|\n")
	var sections []string
	stated, leftOut := map[string]int{}, map[string]int{}
	for _, row := range rowsOf(t, "../../e2e/testdata/specification.csv")[1:] {
		section, _, _ := strings.Cut(row[0], ",")
		if stated[section]++; stated[section] == 1 {
			sections = append(sections, section)
		}
		if row[3] == "left out" {
			leftOut[section]++
		}
	}
	for _, section := range sections {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", section, stated[section], stated[section]-leftOut[section], leftOut[section])
	}
	b.WriteString("\n## Operations\n\n`shown`: the specification gives method, path and shape. " +
		"`named`: it gives method and path. `assumed`: it has neither.\n\n")
	b.WriteString("| Operation | Method and path | Basis | Evidence |\n|---|---|---|---|\n")
	for _, o := range einvoice.Operations {
		basis, from := string(o.Basis), evidence[o.Name]
		if from == "" {
			from = evidence[basis]
		}
		if o.Differ != "" {
			basis += " (" + strings.Replace(o.Differ, " ", ": ", 1) + ")"
		}
		fmt.Fprintf(&b, "| `%s` | `%s %s` | %s | %s |\n", o.Name, o.Method, o.Path, basis, from)
	}
	b.WriteString("\n## Assumptions\n\nThe last column says where `einvoice-check` sees it.\n\n")
	b.WriteString("| Id | What is assumed | Evidence | What happens otherwise | Seen in |\n|---|---|---|---|---|\n")
	english := text.InLanguage(context.Background(), text.English)
	for line := range strings.Lines(assumptionsFile) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		assumed, otherwise, _ := strings.Cut(text.Of("assumption."+columns[0], nil).In(english), "\n\n")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", columns[0], escaped(assumed), columns[1], escaped(otherwise), columns[2])
	}
	return b.String() + "\n"
}

func rowsOf(t *testing.T, file string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(file)
	expect.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	expect.NoError(t, err)
	return rows
}

// escaped replaces the characters that end a cell or are markup.
func escaped(cell string) string { return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(cell) }
