package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// constructors of diagnostics are called in package say alone, so that no literal reaches one.
var constructors = []string{
	"AddError", "AddWarning", "AddAttributeError", "AddAttributeWarning",
	"NewErrorDiagnostic", "NewWarningDiagnostic", "NewAttributeErrorDiagnostic", "NewAttributeWarningDiagnostic",
	"NewFuncError", "NewArgumentFuncError",
}

// unconverted is the package whose texts are still in its code.
const unconverted = "settings"

// speakers are the functions whose last arguments are a key and what fills its placeholders.
var speakers = []string{"Error", "ErrorAt", "Warning", "WarningAt", "FuncError", "Of", "Report"}

// site is a place that names a text.
type site struct {
	key   string
	with  []string // the placeholders that it fills; nil where no literal shows them
	given []string // those that are filled besides
	at    token.Position
}

// program reads the shipped code beside this package.
func program(t *testing.T) (sites []site, words map[string]bool) {
	t.Helper()
	words = map[string]bool{}
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		isSkipped := entry.IsDir() && slices.Contains([]string{"testdata", "testkit", "sandbox", "tools", "text", "say", "e2e"}, entry.Name()) &&
			name != filepath.Join("..", "cmd", "sandbox")
		switch {
		case err != nil:
			return err
		case isSkipped:
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil {
					words[text] = true
				}
			case *ast.CallExpr:
				called, ok := node.Fun.(*ast.SelectorExpr)
				if !ok {
					break
				}
				isConverted := filepath.Base(filepath.Dir(name)) != unconverted
				expect.False(t, isConverted && slices.Contains(constructors, called.Sel.Name),
					"%s: %s is called here; use a text of the catalog", files.Position(node.Pos()), called.Sel.Name)
				if s, ok := siteOf(node); ok && slices.Contains(speakers, called.Sel.Name) {
					s.at = files.Position(node.Pos())
					if of, ok := called.X.(*ast.Ident); ok && !slices.Contains([]string{"text", "say"}, of.Name) && called.Sel.Name != "Report" {
						s.given = []string{"name", "path", "given"} // by attribute.Checked
					}
					sites = append(sites, s)
				}
			}
			return true
		})
		return nil
	})
	expect.NoError(t, err)
	return sites, words
}

// siteOf reads a call whose last two arguments are a key and what fills its placeholders.
func siteOf(call *ast.CallExpr) (s site, ok bool) {
	if len(call.Args) < 2 {
		return s, false
	}
	key, isLiteral := call.Args[len(call.Args)-2].(*ast.BasicLit)
	if !isLiteral || key.Kind != token.STRING {
		return s, false
	}
	if s.key, _ = strconv.Unquote(key.Value); !strings.Contains(s.key, ".") && catalogOf(English).Lookup(s.key) == nil {
		return s, false // It is another function.
	}
	switch with := call.Args[len(call.Args)-1].(type) {
	case *ast.Ident:
		if with.Name == "nil" {
			s.with = []string{}
		}
	case *ast.CompositeLit:
		s.with = []string{}
		for _, element := range with.Elts {
			pair, isPair := element.(*ast.KeyValueExpr)
			if !isPair {
				return s, false
			}
			if name, isText := pair.Key.(*ast.BasicLit); isText {
				text, _ := strconv.Unquote(name.Value)
				s.with = append(s.with, text)
			}
		}
	}
	return s, true
}

func TestCatalogs_haveEachTextThatTheProgramNames(t *testing.T) {
	t.Parallel()
	sites, words := program(t)
	catalog := catalogOf(English)
	for _, s := range sites {
		if catalog.Lookup(s.key) == nil {
			t.Errorf("%s: no text has the key %q", s.at, s.key)
			continue
		}
		use := usesOf(catalog, s.key)
		if s.with == nil {
			continue
		}
		for _, name := range s.with {
			expect.False(t, use[name] == nil, "%s: the text %q has no placeholder %q", s.at, s.key, name)
		}
		for name, u := range use {
			isFilled := name == "form" || slices.Contains(s.with, name) || slices.Contains(s.given, name)
			expect.False(t, u.isPrinted && !isFilled, "%s: the text %q needs the placeholder %q", s.at, s.key, name)
		}
	}
	for _, entry := range catalog.Templates() {
		for _, name := range includes(entry) {
			words[name] = true
		}
	}
	for _, key := range keys(English) {
		expect.False(t, !words[key] && !isComposed(key, words), "nothing says the text %q", key)
	}
}

// isComposed reports whether the program makes a key of a prefix and one of its words, or quotes a reason.
func isComposed(key string, words map[string]bool) bool {
	if strings.HasPrefix(key, "law.") || key == "bug" {
		return true // By package fiscal, whose tests compare them with its table, or here.
	}
	if prefix, _, _ := strings.Cut(key, "."); slices.Contains([]string{"assumption", "check", "flag", "label", "lacks", "without"}, prefix) {
		return true // By the check program, whose tests compare them with its list of questions.
	}
	if prefix, word, ok := strings.Cut(key, "."); ok && slices.Contains([]string{"task", "noun", "object", "instead", "provider", "step"}, prefix) {
		verb, _, _ := strings.Cut(word, "_")
		return words[word] || words[strings.TrimSuffix(word, "s")] || prefix == "instead" && verb != word
	}
	if !strings.HasPrefix(key, "reason.") {
		return words[strings.ReplaceAll(key, "import.by_", "")] || strings.HasPrefix(key, "import.by_")
	}
	reason := Of(key, nil).render(English, Apply)
	return slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(w string) bool { return strings.Contains(w, reason) })
}

func TestCatalogs_haveTheSameKeysAndPlaceholders(t *testing.T) {
	t.Parallel()
	expect.Same(t, keys(English), keys(Portuguese), "the keys in English and in Portuguese")
	for _, key := range keys(English) {
		if catalogOf(Portuguese).Lookup(key) == nil {
			continue
		}
		en, pt := usesOf(catalogOf(English), key), usesOf(catalogOf(Portuguese), key)
		delete(en, "form")
		delete(pt, "form")
		expect.Same(t, slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(pt)), "the placeholders of %s", key)
	}
}

// keys are those of a language.
func keys(l Language) (all []string) {
	for _, entry := range catalogOf(l).Templates() {
		if entry.Name() != "" {
			all = append(all, entry.Name())
		}
	}
	slices.Sort(all)
	return all
}
