// Package text renders what the provider says to a person. The words are data: a catalog for each language, in files.
// Code names a text by its key and fills its placeholders.
//
// An entry of a catalog begins with a line "### key". The lines of a paragraph are joined, but for those that begin
// with two spaces; paragraphs that come out empty are left out. In an error or a warning the first paragraph is the
// summary, and the others are the detail. Entries are templates of text/template, and include each other by their keys:
// {{template "again" .}}. Every entry knows .form, which is what the reader has run (see [Form]).
package text

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"
)

//go:embed en pt-BR
var files embed.FS

// With fills the placeholders of a text by their names. A [Text] is rendered in the same language.
type With map[string]any

// Text is something to say, in any language.
type Text struct {
	Key  string
	With With
}

// Of is the text of a key.
func Of(key string, with With) Text { return Text{key, with} }

// SpokenError is an error that is a text. Where it fills a placeholder, it is rendered in the same language.
type SpokenError struct{ Text }

// NewError is the error of a key.
func NewError(key string, with With) error { return SpokenError{Of(key, with)} }

func (e SpokenError) Error() string { return e.String() }

// In renders a text in the language and the form of the context.
func (t Text) In(ctx context.Context) string { return t.render(LanguageOf(ctx), FormOf(ctx)) }

// InLanguage renders a text of a program, which has no form.
func (t Text) InLanguage(l Language) string { return t.render(l, Apply) }

// String renders a text in the language of the environment.
func (t Text) String() string { return t.render(ofEnvironment(), Apply) }

// Has reports whether there is a text of this key.
func Has(key string) bool { return catalogOf(English).Lookup(key) != nil }

// IsZero reports whether there is nothing to say.
func (t Text) IsZero() bool { return t.Key == "" }

// render never fails: somebody waits for what happened, and a test has rendered each entry.
func (t Text) render(l Language, form Form) string {
	if t.IsZero() {
		return ""
	}
	with := map[string]any{"form": string(form)}
	for name, value := range t.With {
		switch value := value.(type) {
		case Text:
			with[name] = value.render(l, form)
		case SpokenError:
			with[name] = value.render(l, form)
		case []Text:
			var all []string
			for _, one := range value {
				all = append(all, one.render(l, form))
			}
			with[name] = all
		default:
			with[name] = value
		}
	}
	var b strings.Builder
	if err := catalogOf(l).ExecuteTemplate(&b, t.Key, with); err != nil {
		return fmt.Sprintf("%s: %v (%s)", t.Key, t.With, err)
	}
	var paragraphs []string
	for paragraph := range strings.SplitSeq(b.String(), "\n\n") {
		if paragraph = strings.Trim(paragraph, " \n"); paragraph != "" {
			paragraphs = append(paragraphs, paragraph)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// catalogOf is the catalog of a language, read when it is first needed. The files are part of the program.
func catalogOf(l Language) *template.Template {
	c := catalogs[l]
	c.read.Do(func() {
		var err error
		if c.entries, err = read(files, l); err != nil {
			panic(err)
		}
	})
	return c.entries
}

type catalog struct {
	read    sync.Once
	entries *template.Template
}

var catalogs = map[Language]*catalog{English: {}, Portuguese: {}}

// read reads the catalog of one language: a template for each key.
func read(from fs.FS, l Language) (*template.Template, error) {
	names, err := fs.Glob(from, path.Join(string(l), "*.txt"))
	if err != nil {
		return nil, err
	}
	catalog := template.New("").Funcs(functions(l))
	for _, name := range names {
		raw, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		entries := entriesOf(string(raw))
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if catalog.Lookup(key) != nil {
				return nil, fmt.Errorf("%s: the key %s is there twice", name, key)
			}
			if _, err := catalog.New(key).Parse(entries[key]); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return catalog, nil
}

// entriesOf are the texts of a file by their keys.
func entriesOf(file string) map[string]string {
	entries := map[string]string{}
	for entry := range strings.SplitSeq("\n"+file, "\n### ") {
		if key, source, ok := strings.Cut(entry, "\n"); ok && key != "" {
			entries[strings.TrimSpace(key)] = joinLines(source)
		}
	}
	return entries
}

// joinLines joins the lines of each paragraph, but for those that are indented.
func joinLines(source string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(source), "\n") {
		isEmpty, isIndented := line == "", strings.HasPrefix(line, "  ") || line == "}"
		switch {
		case isEmpty:
			b.WriteString("\n\n")
		case b.Len() == 0, strings.HasSuffix(b.String(), "\n\n"):
			b.WriteString(line)
		case isIndented:
			b.WriteString("\n" + line)
		default:
			b.WriteString(" " + line)
		}
	}
	return b.String()
}
