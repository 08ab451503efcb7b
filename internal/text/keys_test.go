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
)

// constructors of diagnostics are called in this package alone, so that no literal reaches one.
var constructors = []string{
	"AddError", "AddWarning", "AddAttributeError", "AddAttributeWarning",
	"NewErrorDiagnostic", "NewWarningDiagnostic", "NewAttributeErrorDiagnostic", "NewAttributeWarningDiagnostic",
	"NewFuncError", "NewArgumentFuncError",
}

// unconverted are the packages whose texts are still in their code.
var unconverted = []string{
	"attribute", "certificate", "company", "customer", "functions", "inbound", "letter", "message",
	"month", "order", "product", "provider", "reference", "rotation", "session", "settings", "webhook",
}

// site is a place that names a text.
type site struct {
	key  string
	with []string // the placeholders that it fills; nil where no literal shows them
	at   token.Position
}

// program reads the shipped code beside this package.
func program(t *testing.T) (sites []site, words map[string]bool) {
	t.Helper()
	words = map[string]bool{}
	files := token.NewFileSet()
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		isSkipped := entry.IsDir() && slices.Contains([]string{"testdata", "testkit", "sandbox", "tools", "text", "e2e"}, entry.Name())
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
				isConverted := !slices.Contains(unconverted, filepath.Base(filepath.Dir(name)))
				if isConverted && slices.Contains(constructors, called.Sel.Name) {
					t.Errorf("%s: %s is called here; use a text of the catalog", files.Position(node.Pos()), called.Sel.Name)
				}
				if of, ok := called.X.(*ast.Ident); ok && of.Name == "text" {
					if s, ok := siteOf(node); ok {
						s.at = files.Position(node.Pos())
						sites = append(sites, s)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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
	s.key, _ = strconv.Unquote(key.Value)
	switch with := call.Args[len(call.Args)-1].(type) {
	case *ast.Ident:
		if with.Name == "nil" {
			s.with = []string{}
		}
	case *ast.CompositeLit:
		s.with = []string{}
		for _, element := range with.Elts {
			pair, _ := element.(*ast.KeyValueExpr)
			name, _ := pair.Key.(*ast.BasicLit)
			text, _ := strconv.Unquote(name.Value)
			s.with = append(s.with, text)
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
			if use[name] == nil {
				t.Errorf("%s: the text %q has no placeholder %q", s.at, s.key, name)
			}
		}
		for name, u := range use {
			if name != "form" && u.isPrinted && !slices.Contains(s.with, name) {
				t.Errorf("%s: the text %q needs the placeholder %q", s.at, s.key, name)
			}
		}
	}
	included := map[string]bool{}
	for _, entry := range catalog.Templates() {
		for _, name := range includes(entry) {
			included[name] = true
		}
	}
	for _, key := range keys(English) {
		isNamed := words[key] || words[strings.TrimPrefix(key, "task.")] || words[strings.TrimPrefix(key, "noun.")]
		if !isNamed && !included[key] {
			t.Errorf("nothing says the text %q", key)
		}
	}
}

func TestCatalogs_haveTheSameKeysAndPlaceholders(t *testing.T) {
	t.Parallel()
	if en, pt := keys(English), keys(Portuguese); !slices.Equal(en, pt) {
		for _, key := range en {
			if !slices.Contains(pt, key) {
				t.Errorf("pt-BR lacks %s", key)
			}
		}
		for _, key := range pt {
			if !slices.Contains(en, key) {
				t.Errorf("en lacks %s", key)
			}
		}
	}
	for _, key := range keys(English) {
		if catalogOf(Portuguese).Lookup(key) == nil {
			continue
		}
		en, pt := usesOf(catalogOf(English), key), usesOf(catalogOf(Portuguese), key)
		delete(en, "form")
		delete(pt, "form")
		e, p := slices.Sorted(maps.Keys(en)), slices.Sorted(maps.Keys(pt))
		if !slices.Equal(e, p) {
			t.Errorf("%s: en has the placeholders %q, pt-BR %q", key, e, p)
		}
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
