package e2e_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	repositoryRoot = "../.."
	repositoryURL  = "https://github.com/einvoice-br/terraform-provider-einvoice/"
)

var (
	linkTarget   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fencedBlock  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	pageHeading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	pageAnchor   = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	linkText     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	frontSubject = regexp.MustCompile(`(?m)^subcategory: "(.*)"$`)
)

// pages are the texts of all pages that somebody reads, by their path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range []string{".", "docs", "examples"} {
		err := fs.WalkDir(os.DirFS(repositoryRoot), dir, func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && dir == "." && file != dir:
				return fs.SkipDir
			case strings.HasSuffix(file, ".md"):
				texts[file] = readPage(t, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// anchors are the places of a page that a link can name, as GitHub and the registries do.
func anchors(text string) []string {
	var found []string
	for _, id := range pageAnchor.FindAllStringSubmatch(text, -1) {
		found = append(found, id[1])
	}
	for _, heading := range pageHeading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		words := strings.ToLower(linkText.ReplaceAllString(heading[1], "$1"))
		found = append(found, strings.ReplaceAll(notInAnchor.ReplaceAllString(words, ""), " ", "-"))
	}
	return found
}

func TestPages_linkWhatIsThere(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for file, text := range all {
		for _, link := range linkTarget.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if ours, ok := strings.CutPrefix(target, repositoryURL); ok {
				_, inTree, ok := strings.Cut(ours, "/main/") // blob/main/FILE or tree/main/DIRECTORY
				if !ok {
					continue
				}
				target = inTree
			} else if strings.Contains(target, ":") {
				continue
			} else if target == "" {
				target = file
			} else {
				target = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join(repositoryRoot, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links %s, which is not there", file, link[1])
			}
			if other, ok := all[target]; ok && anchor != "" && !slices.Contains(anchors(other), anchor) {
				t.Errorf("%s links %s, and that page has no such heading", file, link[1])
			}
		}
	}
}

// Every guide is on the first page, or on one that is.
func TestGuides_areReachableFromTheFirstPage(t *testing.T) {
	t.Parallel()
	all := pages(t)
	reachable := []string{"docs/index.md"}
	for i := 0; i < len(reachable); i++ { // It grows on the way.
		for _, link := range linkTarget.FindAllStringSubmatch(all[reachable[i]], -1) {
			target, _, _ := strings.Cut(link[1], "#")
			target = path.Join(path.Dir(reachable[i]), target)
			if _, ok := all[target]; ok && strings.HasPrefix(target, "docs/guides/") && !slices.Contains(reachable, target) {
				reachable = append(reachable, target)
			}
		}
	}
	for file := range all {
		if strings.HasPrefix(file, "docs/guides/") && !slices.Contains(reachable, file) {
			t.Errorf("no way leads from the first page to %s", file)
		}
	}
}

// The registries show the pages by subcategory. What is about one noun stands
// together: its resource, data sources, actions and the rest.
func TestDocs_haveOneSubcategoryForEachNoun(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	for file, text := range pages(t) {
		dir, name := path.Split(file)
		found := frontSubject.FindStringSubmatch(text)
		switch {
		case !strings.HasPrefix(file, "docs/") || file == "docs/index.md":
			continue
		case found == nil:
			t.Errorf("%s has no subcategory", file)
			continue
		case dir == "docs/guides/":
			if !slices.Contains([]string{"", "Guias em português"}, found[1]) {
				t.Errorf("%s is in %q, which is no subcategory of guides", file, found[1])
			}
			continue
		case !slices.Contains([]string{"Account", "Catalog", "Invoices", "Received invoices", "Webhooks", "Reference"}, found[1]):
			t.Errorf("%s is in %q: give its noun a place in the templates", file, found[1])
		}
		noun, _, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "_")
		if stem, ok := strings.CutSuffix(noun, "ies"); ok {
			noun = stem + "y"
		}
		noun = strings.TrimSuffix(noun, "s")
		if before, ok := of[noun]; ok && before != found[1] {
			t.Errorf("%s is in %q, and another page about %s in %q", file, found[1], noun, before)
		}
		of[noun] = found[1]
	}
}

var (
	glossaryRow = regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| [^|]+ \| ([^|]+) \|$`)
	codeSpan    = regexp.MustCompile("`[^`]+`")
	nameInCode  = regexp.MustCompile(`\w+`)
)

func TestGlossary_namesWhatThereIs(t *testing.T) {
	t.Parallel()
	known, names := shownNames(t), 0
	for _, row := range glossaryRow.FindAllStringSubmatch(readPage(t, "templates/guides/glossary.md"), -1) {
		for _, code := range codeSpan.FindAllString(row[1], -1) {
			for _, name := range nameInCode.FindAllString(code, -1) {
				names++
				if !known[name] {
					t.Errorf("a word is said to be in %s, and there is no %s", code, name)
				}
			}
		}
	}
	if names < 60 {
		t.Errorf("%d names were found; there are more", names)
	}
}

var titlesCell = regexp.MustCompile("(?m)^\\| (`[^|]*?) \\|")

func TestTroubleshooting_hasTitlesThatTheProviderGives(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"sandbox", "e2e", "tools"}, entry.Name()):
			return fs.SkipDir
		case path == "../text/testdata/en.txt", strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			source.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	titles := 0
	for _, cell := range titlesCell.FindAllStringSubmatch(readPage(t, "templates/guides/troubleshooting.md"), -1) {
		if strings.Contains(cell[1], "(of the CLI)") {
			continue
		}
		for _, title := range codeSpan.FindAllString(cell[1], -1) {
			titles++
			for part := range strings.SplitSeq(strings.Trim(title, "`"), "…") {
				if !strings.Contains(source.String(), strings.Trim(part, " :")) {
					t.Errorf("no error has %q, a part of %s", part, title)
				}
			}
		}
	}
	if titles < 50 {
		t.Errorf("%d titles were found; there are more", titles)
	}
}

var fieldRow = regexp.MustCompile("(?m)^\\| ((?:[^|]*`)[^|]*)\\|.*$")

// Both guides about payloads have the same fields, and the same codes of rejections for each.
func TestPayloads_areTheSameInBothLanguages(t *testing.T) {
	t.Parallel()
	codes := func(page string) (rows []string) {
		for _, row := range fieldRow.FindAllString(readPage(t, page), -1) {
			rows = append(rows, strings.Join(codeSpan.FindAllString(row, -1), " "))
		}
		return rows
	}
	english, portuguese := codes("templates/guides/payloads.md"), codes("templates/guides/preencher-o-payload.md")
	if diff := cmp.Diff(english, portuguese); diff != "" || len(english) < 40 {
		t.Errorf("%d fields; English against Portuguese:\n%s", len(english), diff)
	}
}

// shownNames are the words of the pages about resources, data sources and functions,
// of the guides about payloads, and of the rules for payloads.
func shownNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, pattern := range []string{"../../docs/[^g]*/*.md", "../../docs/guides/payloads.md", "../../docs/guides/frequent-rejections.md", "../fiscal/shapes.csv"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s: %v", pattern, err)
		}
		for _, file := range files {
			text := fileText(t, file)
			for _, name := range nameInCode.FindAllString(text, -1) {
				names[name] = true
			}
		}
	}
	return names
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	return fileText(t, filepath.Join(repositoryRoot, filepath.FromSlash(name)))
}

// wantNoDoubt checks that an apply of what users copy warns of nothing in it.
func wantNoDoubt(t *testing.T, output string) {
	t.Helper()
	for _, doubt := range []string{
		"Problems in payload_json", "Return without ", "Not kept as sent", "Two new ",
	} {
		if strings.Contains(output, doubt) {
			t.Errorf("the apply warns %q:\n%s", doubt, output)
		}
	}
}
