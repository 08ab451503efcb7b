package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// The markers between which the tables stand in the page "Interface coverage".
const (
	tablesBegin = "<!-- The tables are written by `make generate`. -->\n"
	tablesEnd   = "<!-- The tables end here. -->\n"
)

// writeTables puts the tables between the markers of a page.
func writeTables(path string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	current, err := withTables(string(page))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(current), 0o644) //nolint:gosec // As every page is.
}

func withTables(page string) (string, error) {
	before, rest, found := strings.Cut(page, tablesBegin)
	_, after, ended := strings.Cut(rest, tablesEnd)
	if !found || !ended {
		return "", fmt.Errorf("the page lacks %q or %q", tablesBegin, tablesEnd)
	}
	return before + tablesBegin + tables() + tablesEnd + after, nil
}

func tables() string {
	var b strings.Builder
	b.WriteString("\n## Operations\n\n`shown`: the specification gives method, path and shape. " +
		"`named`: it gives method and path. `assumed`: it has neither.\n\n")
	b.WriteString("| Operation | Method and path | Basis | Evidence |\n|---|---|---|---|\n")
	for _, o := range einvoice.Operations {
		basis := string(o.Basis)
		if o.Differ != "" {
			basis += " (" + strings.Replace(o.Differ, " ", ": ", 1) + ")"
		}
		fmt.Fprintf(&b, "| `%s` | `%s %s` | %s | %s |\n", o.Name, o.Method, o.Path, basis, evidenceOf(o))
	}
	b.WriteString("\n## Assumptions\n\nThe last column says where `einvoice-check` sees it.\n\n")
	b.WriteString("| Id | What is assumed | Evidence | What happens otherwise | Seen in |\n|---|---|---|---|---|\n")
	for _, a := range assumptions {
		fmt.Fprintf(&b, "| `%s` |", a.ID)
		for _, text := range []string{a.Text, a.Evidence, a.Otherwise, seenBy[a.ID].how} {
			b.WriteString(" " + cell(text) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

// cell escapes the characters that end a cell or are markup.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(text)
}
