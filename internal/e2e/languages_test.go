package e2e_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// languagePairs are the pages that exist in both languages, by their paths in the
// repository.
var languagePairs = []struct{ english, portuguese string }{
	{"README.md", "README.pt-BR.md"},
	{"templates/guides/frequent-rejections.md", "templates/guides/rejeicoes-frequentes.md"},
	{"templates/guides/getting-started.md", "templates/guides/primeiros-passos.md"},
	{"templates/guides/issuing-invoices.md", "templates/guides/emitir-notas.md"},
	{"templates/guides/pipelines.md", "templates/guides/esteiras.md"},
	{"templates/guides/secrets.md", "templates/guides/segredos.md"},
}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)
	anyCode     = regexp.MustCompile("(?ms)^( *)```(\\w*\n.*?)^ *```$")
	heading     = regexp.MustCompile(`(?m)^(#+) (.+)$`)
	anyLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeRow     = regexp.MustCompile("(?m)^\\| (`[^`|]+`) \\|")
)

// languageDifferences says where a page in Portuguese is not the page in English: in
// the levels of its headings, its code, the rows of its tables that are about a code,
// or what it links.
func languageDifferences(english, portuguese string) []string {
	var differences []string
	compare := func(what string, english, portuguese []string) {
		for i := range max(len(english), len(portuguese)) {
			switch {
			case i >= len(portuguese):
				differences = append(differences, fmt.Sprintf("the page in Portuguese lacks the %s %q", what, english[i]))
			case i >= len(english):
				differences = append(differences, fmt.Sprintf("the page in English lacks the %s %q", what, portuguese[i]))
			case english[i] != portuguese[i]:
				differences = append(differences, fmt.Sprintf("%s %d is %q in English and %q in Portuguese", what, i+1, english[i], portuguese[i]))
			default:
				continue
			}
			return // What follows is only moved.
		}
	}
	levels := func(text string) (levels []string) {
		for _, found := range heading.FindAllStringSubmatch(prose(text), -1) {
			levels = append(levels, found[1])
		}
		return levels
	}
	compare("level of heading", levels(english), levels(portuguese))
	compare("code", anyCode.FindAllString(english, -1), anyCode.FindAllString(portuguese, -1))
	compare("row", codeRow.FindAllString(english, -1), codeRow.FindAllString(portuguese, -1))

	links := func(text string, in func(string) string) (links []string) {
		for _, found := range anyLink.FindAllStringSubmatch(prose(text), -1) {
			links = append(links, in(found[1]))
		}
		slices.Sort(links) // A sentence has another order in another language.
		return links
	}
	compare("link", links(english, inPortuguese), links(portuguese, linkedPage))
	return differences
}

// prose is a page without its front matter and its code.
func prose(text string) string {
	return anyCode.ReplaceAllString(frontMatter.ReplaceAllString(text, ""), "")
}

// linkedPage is the target of a link without the heading, where the page has two
// languages and the heading another text in each.
func linkedPage(target string) string {
	file, _, _ := strings.Cut(target, "#")
	if file == "" || otherLanguage(file) != file {
		return file
	}
	return target
}

// inPortuguese is what the page in Portuguese links where the one in English links
// target.
func inPortuguese(target string) string {
	return otherLanguage(linkedPage(target))
}

// otherLanguage is the page in the other language, or file itself where there is
// none. A guide may be linked from any directory, and by the address of a registry.
func otherLanguage(file string) string {
	for _, pair := range languagePairs {
		for from, to := range map[string]string{pair.english: pair.portuguese, pair.portuguese: pair.english} {
			if file == from {
				return to
			}
			if path.Dir(from) == "." { // Many directories have a README.md.
				continue
			}
			name, other := path.Base(from), path.Base(to)
			if path.Base(file) == name {
				return strings.TrimSuffix(file, name) + other
			}
			if name, other = strings.TrimSuffix(name, ".md"), strings.TrimSuffix(other, ".md"); path.Base(file) == name {
				return strings.TrimSuffix(file, name) + other
			}
		}
	}
	return file
}

// isPortuguese tells of a guide by its name.
func isPortuguese(name string) bool {
	for _, pair := range languagePairs {
		if path.Base(pair.portuguese) == name {
			return true
		}
	}
	return false
}

func TestLanguages_saySoTogether(t *testing.T) {
	t.Parallel()
	for _, pair := range languagePairs {
		t.Run(path.Base(pair.portuguese), func(t *testing.T) {
			t.Parallel()
			english, portuguese := readPage(t, pair.english), readPage(t, pair.portuguese)
			for _, difference := range languageDifferences(english, portuguese) {
				t.Errorf("%s and %s: %s", pair.english, pair.portuguese, difference)
			}
			if !strings.Contains(english, "]("+path.Base(pair.portuguese)+")") {
				t.Errorf("%s does not link %s", pair.english, path.Base(pair.portuguese))
			}
		})
	}
}

func TestLanguageDifferences(t *testing.T) {
	t.Parallel()
	const (
		english    = "---\npage_title: \"A\"\n---\n\n# A\n\nSee [that](other.md#there), and [this](#b).\n\n## B\n\n```shell\n# no heading\nls\n```\n\n| `204` | x |\n"
		portuguese = "# Á\n\n[Isto](#bê), e [aquilo](other.md#there).\n\n## Bê\n\n```shell\n# no heading\nls\n```\n\n| `204` | y |\n"
	)
	for name, tt := range map[string]struct{ from, to, want string }{
		"the same":               {"", "", ""},
		"a heading less":         {"## Bê\n", "", `lacks the level of heading "##"`},
		"another level":          {"## Bê", "# Bê", "level of heading 2"},
		"another code":           {"ls\n", "ls -l\n", "code 1"},
		"a block too many":       {"| `204`", "```shell\nls\n```\n\n| `204`", "the page in English lacks the code"},
		"a row less":             {"| `204` | y |\n", "", "the page in Portuguese lacks the row"},
		"another page":           {"other.md", "another.md", "link 2"},
		"another heading of one": {"#there", "#here", "link 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(languageDifferences(english, strings.Replace(portuguese, tt.from, tt.to, 1)), "\n")
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestGlossary_hasBothDirections compares the table by the Portuguese word with the
// one by the English word, and looks for the names that it shows.
func TestGlossary_hasBothDirections(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`(?m)^\| ([^|]+?) \| ([^|]+?) \|(?: ([^|]+) \| ([^|]+) \|)?$`)
	portuguese, english, ok := strings.Cut(readPage(t, "templates/guides/glossary.md"), "\n## English → Português\n")
	if !ok {
		t.Fatal("the glossary lacks the way from English to Portuguese")
	}
	known := shownNames(t)
	byEnglish := map[string]string{}
	for _, found := range row.FindAllStringSubmatch(english, -1)[1:] {
		byEnglish[found[1]] = found[2]
	}
	rows := row.FindAllStringSubmatch(portuguese, -1)[1:]
	if len(rows) < 60 || len(byEnglish) != len(rows) {
		t.Errorf("%d words by Portuguese and %d by English, want the same, and 60", len(rows), len(byEnglish))
	}
	for _, found := range rows {
		if byEnglish[found[2]] != found[1] {
			t.Errorf("%q is %q, and %q is %q", found[1], found[2], found[2], byEnglish[found[2]])
		}
		if found[3] == "" {
			t.Errorf("%q has no meaning", found[1])
		}
		for _, code := range regexp.MustCompile("`[^`]+`").FindAllString(found[4], -1) {
			for _, name := range regexp.MustCompile(`\w+`).FindAllString(code, -1) {
				if !known[name] {
					t.Errorf("%q is said to be in %s, and there is no %s", found[1], code, name)
				}
			}
		}
	}
}

// shownNames are the words of the pages about resources, data sources and functions,
// of the guides about payloads, and of the rules for payloads.
func shownNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"../../docs/[^g]*/*.md", "../../docs/guides/payloads.md", "../../docs/guides/frequent-rejections.md", "../fiscal/payload_shape.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range regexp.MustCompile(`\w+`).FindAllString(string(text), -1) {
				names[name] = true
			}
		}
	}
	return names
}
