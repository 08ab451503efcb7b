package e2e

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A statement of the specification that nothing meets any more, or that no test shows, is a row without its file or test.
func TestSpecification_eachStatementNamesWhereItIsMetAndItsTest(t *testing.T) {
	t.Parallel()
	root, tests := filepath.Join("..", ".."), map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.Open(filepath.Join("testdata", "specification.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	rows, err := csv.NewReader(table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if _, err := os.Stat(filepath.Join(root, row[2])); err != nil {
			t.Errorf("%s: %v", row[1], err)
		}
		if row[3] != "left out" && !tests[row[3]] {
			t.Errorf("%s: there is no test %s", row[1], row[3])
		}
	}
}
