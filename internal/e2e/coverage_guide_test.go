package e2e_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

var coverageOut = flag.String("coverage-out", "", "write the coverage tables into this page, between its marks")

// The guide shows the tables between these lines.
const (
	coverageGuide = "../../templates/guides/coverage-tables.md"
	coverageBegin = "<!-- The tables are written by: go test ./internal/e2e -run TestCoverage_isInTheGuide -coverage-out=../../templates/guides/coverage-tables.md -->\n"
	coverageEnd   = "<!-- End of the tables. -->\n"
)

func aroundTables(guide string) (head, tail string, err error) {
	head, rest, begun := strings.Cut(guide, coverageBegin)
	_, tail, ended := strings.Cut(rest, coverageEnd)
	if !begun || !ended {
		return "", "", fmt.Errorf("%s lacks the lines between which the tables stand:\n%s%s", coverageGuide, coverageBegin, coverageEnd)
	}
	return head, tail, nil
}

// components are all parts of the provider, by a name such as
// "resource einvoice_customer". A function has no schema.
func components(t *testing.T) map[component]*tfprotov6.Schema {
	t.Helper()
	found := map[component]*tfprotov6.Schema{}
	for name, schema := range servedSchemas(t) {
		if name != "provider" {
			found[component(name)] = schema
		}
	}
	for _, name := range registeredNewKinds(t)["functions"] {
		found[component("function "+name)] = nil
	}
	return found
}

// coverageTables are the rows as Markdown.
func coverageTables(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	writeEndpoints(t, &b)
	b.WriteString("\n## Functions\n\nThese send nothing.\n\n| Function | What it does |\n|---|---|\n")
	for _, row := range computedRows {
		fmt.Fprintf(&b, "| %s | %s |\n", row.in.link(), row.what)
	}
	b.WriteString("\n## Fields\n\nA field that is marked ◦ is assumed: the specification does not show it.\n")
	for _, shape := range sandbox.Shapes() {
		writeFields(t, &b, shape)
	}
	b.WriteString("\n## States, events and other values\n\nA value that the specification does not have is read as it is, and never an error.\n")
	writeWords(&b)
	b.WriteString("\n## Transitions of an invoice\n\n| From | What happens | To | In the provider |\n|---|---|---|---|\n")
	for _, tr := range sandbox.Transitions() {
		from, to := "`"+tr.From+"`", "`"+tr.To+"`"
		if tr.From == "" {
			from = "(new)"
		}
		if strings.Contains(tr.To, " ") {
			to = tr.To
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", from, tr.Trigger, to, transitionRows[tr].text)
	}
	b.WriteString("\nHow an invoice comes to `received`, `denied`, `removed` or `disabled` is not shown; each is met wherever it appears.\n")
	for _, table := range []struct {
		heading string
		rows    []testedRow
	}{
		{"Errors and rejection codes\n\n| Status or code |", codeRows},
		{"Limits\n\n| Limit |", limitRows},
		{"Rules\n\n| Rule |", ruleRows},
	} {
		fmt.Fprintf(&b, "\n## %s In the provider |\n|---|---|\n", table.heading)
		for _, row := range table.rows {
			fmt.Fprintf(&b, "| %s | %s |\n", row.what, row.text)
		}
	}
	return b.String()
}

func writeEndpoints(t *testing.T, b *strings.Builder) {
	t.Helper()
	sources := map[sandbox.Source]string{sandbox.SourceShown: "shown", sandbox.SourceNamed: "named", sandbox.SourceAssumed: "assumed"}
	counts := map[sandbox.Source]int{}
	routes := serviceRoutes(t)
	for _, route := range routes {
		counts[route.Source]++
	}
	fmt.Fprintf(b, "## Endpoints\n\n%d endpoints: %d that the specification shows, %d that it names without their shapes, and %d that are assumed.\n\n",
		len(routes), counts[sandbox.SourceShown], counts[sandbox.SourceNamed], counts[sandbox.SourceAssumed])
	b.WriteString("| Endpoint | Specification | In the provider | What for, or why not |\n|---|---|---|---|\n")
	for _, route := range routes {
		row := endpointRows[route.Pattern()]
		links, text := []string{"–"}, row.what
		if len(row.in) > 0 {
			links = nil
		}
		for _, c := range row.in {
			links = append(links, c.link())
		}
		switch {
		case row.why != "":
			text = row.why
		case text == "":
			text = "read"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", route.Pattern(), sources[route.Source], strings.Join(links, ", "), text)
	}
	b.WriteString("\nThree more are mentioned without a path: the preview PDF of a draft, and PDF and XML of a correction letter. They are not offered, because a path cannot be guessed. " +
		"The cancellation is mentioned without a path too; `DELETE` of the invoice is what integrations use.\n")
}

func writeFields(t *testing.T, b *strings.Builder, shape sandbox.Shape) {
	t.Helper()
	row := shapeRows[shape.Name]
	var places []string
	for _, place := range row.in {
		text := place.component.link()
		if place.under != "" {
			text += " (each of `" + strings.TrimSuffix(place.under, ".") + "`)"
		}
		places = append(places, text)
	}
	fmt.Fprintf(b, "\n### %s\n\nIn %s.\n\n| Field | Attribute |\n|---|---|\n", shape.Name, strings.Join(places, ", "))
	for _, at := range fieldsOf(t, shape) {
		field, attribute := "`"+at.field+"`", "`"+at.attribute+"`"
		if at.assumed {
			field += " ◦"
		}
		if !at.everyone {
			var only []string
			for _, place := range at.in {
				only = append(only, "the "+place.component.kind())
			}
			attribute += ", only in " + strings.Join(only, " and ")
		}
		fmt.Fprintf(b, "| %s | %s |\n", field, attribute)
	}
	if row.text != "" {
		fmt.Fprintf(b, "\n%s\n", row.text)
	}
}

func writeWords(b *strings.Builder) {
	var plain strings.Builder
	for _, words := range sandbox.Vocabulary() {
		row := wordRows[words.Name]
		if row.meaning == nil {
			fmt.Fprintf(&plain, "| %s | `%s` | %s of %s |\n", words.Name, strings.Join(words.Words, "`, `"), row.where, row.in.link())
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n%s of %s.\n\n| Value | In the provider |\n|---|---|\n", words.Name, row.where, row.in.link())
		for _, word := range words.Words {
			fmt.Fprintf(b, "| `%s` | %s |\n", word, row.meaning[word])
		}
	}
	fmt.Fprintf(b, "\n### Other values\n\n| Field | Values | In the provider |\n|---|---|---|\n%s", plain.String())
}
