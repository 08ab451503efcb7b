package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestTables_areInThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "guides", "interface-coverage.md"))
	expect.NoError(t, err)
	if current, err := withTables(string(page)); err != nil || current != string(page) {
		t.Errorf("the tables of the page are not current (%v): run make generate", err)
	}
}

func TestTables_replaceWhatStandsBetweenTheMarkers(t *testing.T) {
	t.Parallel()
	page, err := withTables("before\n" + tablesBegin + "obsolete\n" + tablesEnd + "after\n")
	if err != nil || !strings.HasPrefix(page, "before\n") || !strings.HasSuffix(page, "after\n") || strings.Contains(page, "obsolete") {
		t.Errorf("%v:\n%s", err, page)
	}
	for _, o := range einvoice.Operations {
		if !strings.Contains(page, "| `"+o.Name+"` | `"+o.Method+" "+o.Path+"` |") {
			t.Errorf("the page lacks %s", o.Name)
		}
	}
	for _, a := range assumptions {
		if !strings.Contains(page, "| `"+a.ID+"` |") {
			t.Errorf("the page lacks %s", a.ID)
		}
	}
	if _, err := withTables("no markers"); err == nil {
		t.Error("a page without markers is accepted")
	}
}
