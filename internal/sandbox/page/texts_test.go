package page

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// words are the kinds of text whose keys end in a word of the service.
var words = regexp.MustCompile(`^(state|order|mode|delivery|signature|environment|number)\.`)

func TestTexts_areAllThereInBothLanguages(t *testing.T) {
	t.Parallel()
	holes := regexp.MustCompile(`%(\[\d\])?[a-z]`)
	used := usedTexts(t)
	for key, text := range texts {
		var verbs [len(languages)][]string
		for l, words := range text {
			if strings.TrimSpace(words) == "" {
				t.Errorf("%s is missing in %s", key, languages[l].Name)
			}
			for _, hole := range holes.FindAllString(words, -1) {
				verbs[l] = append(verbs[l], hole[len(hole)-1:])
			}
			slices.Sort(verbs[l])
		}
		if !slices.Equal(verbs[English], verbs[Portuguese]) {
			t.Errorf("%s takes %q in English and %q in Portuguese", key, verbs[English], verbs[Portuguese])
		}
		if !used[key] && !words.MatchString(key) {
			t.Errorf("%s is used nowhere", key)
		}
	}
	for key := range used {
		if _, ok := texts[key]; !ok {
			t.Errorf("%s is used and is no text", key)
		}
	}
}

// usedTexts are the keys that the layouts name.
func usedTexts(t *testing.T) map[string]bool {
	t.Helper()
	names, err := fs.Glob(os.DirFS("."), "*.html")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	used := map[string]bool{}
	for _, name := range names {
		layout, err := os.ReadFile(name)
		expect.NoError(t, err)
		for _, found := range regexp.MustCompile(`say "([^"]+)"`).FindAllStringSubmatch(string(layout), -1) {
			used[found[1]] = true
		}
		for _, found := range regexp.MustCompile(`count \S+ "([^"]+)"`).FindAllStringSubmatch(string(layout), -1) {
			used[found[1]+".one"], used[found[1]+".many"] = true, true
		}
	}
	return used
}

func TestLanguage_isTheChosenOneOrTheBrowsers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		query, header string
		want          Language
	}{
		{"", "", English},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", Portuguese},
		{"", "en-US,en;q=0.9,pt;q=0.8", English},
		{"", "de-DE,pt;q=0.7,en;q=0.3", Portuguese},
		{"", "fr", English},
		{"?lang=pt", "en-US", Portuguese},
		{"?lang=EN", "pt-BR", English},
		{"?lang=xx", "pt", Portuguese},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+tt.query, nil)
		r.Header.Set("Accept-Language", tt.header)
		if got := asked(r).Language; got != tt.want {
			t.Errorf("%q with Accept-Language %q: %s, want %s", tt.query, tt.header, languages[got].Name, languages[tt.want].Name)
		}
	}
}

func TestQuery_linksKeepTheRestOfTheAddress(t *testing.T) {
	t.Parallel()
	q := asked(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?q=a%26b&status=rejected&lang=pt&reload&unknown=1&invoice=7", nil))
	for got, want := range map[string]string{
		q.Link("status", "created"): "/?invoice=7&lang=pt&q=a%26b&reload=on&status=created",
		q.Link("invoice", ""):       "/?lang=pt&q=a%26b&reload=on&status=rejected",
		q.At("orders"):              "/?lang=pt&q=a%26b&reload=on&status=rejected#orders",
		q.Document("7/8"):           "/_sandbox/documents/7%2F8?lang=pt",
		q.XML("7"):                  "/_sandbox/documents/7.xml",
		q.Back("7"):                 "/?invoice=7&lang=pt",
	} {
		if got != want {
			t.Errorf("link %s, want %s", got, want)
		}
	}
	if long := asked(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?q="+strings.Repeat("x", 500), nil)); len(long.Search) != longestSearch {
		t.Errorf("a search of %d letters counts", len(long.Search))
	}
}
