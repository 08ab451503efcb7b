package text

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writeTexts = flag.Bool("write-texts", false, "write the texts of all languages to testdata")

// mostWords is the length of the longest text: what is longer is a page, and a link to it.
const mostWords = 110

func TestTexts_areThoseOfTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		file, got := filepath.Join("testdata", string(l)+".txt"), golden(l)
		if *writeTexts {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("the texts are not those of %s; if that is meant, write it with -write-texts:\n%s", file, diff)
		}
	}
}

func TestTexts_areCompleteAndShort(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		for _, key := range keys(l) {
			for _, form := range rendered(l, key) {
				if n := len(strings.Fields(form)); n > mostWords {
					t.Errorf("%s, %s: %d words: %s", l, key, n, form)
				}
				for _, fault := range []string{"<no value>", "%!", "<nil>", key + ": map[", "..  ", " . ", " .\n", " ,", "  ‹", ".  "} {
					if strings.Contains(form, fault) {
						t.Errorf("%s, %s: %q in %q", l, key, fault, form)
					}
				}
			}
		}
	}
}
