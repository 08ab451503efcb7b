package text

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

var writeTexts = flag.Bool("write-texts", false, "write the texts of all languages to testdata")

// mostWords is the length of the longest text: what is longer is a page, and a link to it.
const mostWords = 110

func TestTexts_areThoseOfTheGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		file, got := filepath.Join("testdata", string(l)+".txt"), golden(l)
		if *writeTexts {
			expect.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(file)
		expect.NoError(t, err)
		expect.Same(t, string(want), got, "the texts are not those of %s; if that is meant, write it with -write-texts", file)
	}
}

func TestTexts_areCompleteAndShort(t *testing.T) {
	t.Parallel()
	for _, l := range Languages {
		for _, key := range keys(l) {
			for _, form := range rendered(l, key) {
				expect.False(t, len(strings.Fields(form)) > mostWords,
					"%s, %s: %d words: %s", l, key, len(strings.Fields(form)), form)
				for _, fault := range []string{"<no value>", "%!", "<nil>", key + ": map[", "..  ", " . ", " .\n", " ,", "  ‹", ".  "} {
					expect.False(t, strings.Contains(form, fault), "%s, %s: %q in %q", l, key, fault, form)
				}
			}
		}
	}
}
