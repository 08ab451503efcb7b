package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

var rejectionsOut = flag.String("rejections-out", "", "write the table of the known rejections into this guide")

const (
	rejectionsGuide = "../../templates/guides/frequent-rejections.md"
	rejectionsBegin = "<!-- The table is written by: go test ./internal/e2e -run TestRejectionsGuide -rejections-out=../../templates/guides/frequent-rejections.md -->\n"
	rejectionsEnd   = "<!-- End of the table. -->\n"
)

// rejectionsTable is what the provider knows of the codes, as Markdown.
func rejectionsTable() string {
	var b strings.Builder
	b.WriteString("| Code | Of | Kind | Why | What to do | Source |\n|---|---|---|---|---|---|\n")
	for _, r := range fiscal.KnownRejections() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Code, r.Of, r.Kind, r.Cause, r.Action, r.Source)
	}
	return b.String()
}

func TestRejectionsGuide_showsEachKnownCode(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(rejectionsGuide)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(raw), rejectionsBegin)
	table, tail, ended := strings.Cut(rest, rejectionsEnd)
	if !begun || !ended {
		t.Fatalf("%s lacks the lines between which the table stands", rejectionsGuide)
	}
	if *rejectionsOut != "" {
		if err := os.WriteFile(*rejectionsOut, []byte(head+rejectionsBegin+"\n"+rejectionsTable()+"\n"+rejectionsEnd+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if strings.TrimSpace(table) != strings.TrimSpace(rejectionsTable()) {
		t.Errorf("the table in %s is not what the provider knows; the line before it says how to write it", rejectionsGuide)
	}
}
