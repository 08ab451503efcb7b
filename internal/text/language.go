package text

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// EnvLanguage names the language where the provider block does not, and for what comes before that block is read.
const EnvLanguage = "EINVOICE_LANGUAGE"

// Language is one that the provider speaks.
type Language string

// The languages. English is that of who names none.
const (
	English    Language = "en"
	Portuguese Language = "pt-BR"
)

// Languages are all of them.
var Languages = []Language{English, Portuguese}

// Form is what the reader of a text has run.
type Form string

// The forms. A plan includes what comes before it and what only reads.
const (
	Plan    Form = "plan"
	Apply   Form = "apply"
	Destroy Form = "destroy"
	Action  Form = "action"
)

// Speaker has the language of one server of the provider. All of its requests carry it in their context.
type Speaker struct{ chosen atomic.Value }

type (
	speakerKey struct{}
	formKey    struct{}
)

// Speaking is the context of a request to a server, whose answer has a form.
func (s *Speaker) Speaking(ctx context.Context, form Form) context.Context {
	return InForm(context.WithValue(ctx, speakerKey{}, s), form)
}

// InForm is a context whose texts have a form.
func InForm(ctx context.Context, form Form) context.Context {
	return context.WithValue(ctx, formKey{}, form)
}

// InLanguage is a context whose texts are in a language, whatever the provider block and the environment say.
func InLanguage(ctx context.Context, l Language) context.Context {
	s := &Speaker{}
	s.chosen.Store(l)
	return context.WithValue(ctx, speakerKey{}, s)
}

// FormOf is the form of the context, [Apply] where it has none.
func FormOf(ctx context.Context) Form {
	if form, ok := ctx.Value(formKey{}).(Form); ok {
		return form
	}
	return Apply
}

// Choose sets the language of the server that a request came to, for this request and those after it.
func Choose(ctx context.Context, l Language) {
	if s, ok := ctx.Value(speakerKey{}).(*Speaker); ok {
		s.chosen.Store(l)
	}
}

// LanguageOf is the language of a request: that of the provider block, else that of the environment, else English.
func LanguageOf(ctx context.Context) Language {
	if s, ok := ctx.Value(speakerKey{}).(*Speaker); ok {
		if l, ok := s.chosen.Load().(Language); ok {
			return l
		}
	}
	return ofEnvironment()
}

func ofEnvironment() Language {
	l, _ := Named(os.Getenv(EnvLanguage))
	return l
}

// Named finds a language by its name, in any case. No name is English.
func Named(name string) (l Language, ok bool) {
	i := slices.IndexFunc(Languages, func(l Language) bool { return strings.EqualFold(name, string(l)) })
	if i < 0 {
		return English, name == ""
	}
	return Languages[i], true
}

// reasons puts what the rooms below say of a failure into a language: each of the entries "reason." in English by that
// of the language. What has none, such as an error of the operating system, stays.
func reasons(l Language) *strings.Replacer {
	in := map[string]string{}
	for _, entry := range catalogOf(English).Templates() {
		if strings.HasPrefix(entry.Name(), "reason.") {
			in[Of(entry.Name(), nil).render(English, Apply)] = Of(entry.Name(), nil).render(l, Apply)
		}
	}
	var pairs []string
	for _, english := range slices.Backward(slices.Sorted(maps.Keys(in))) { // A longer one before its beginning.
		pairs = append(pairs, english, in[english])
	}
	return strings.NewReplacer(pairs...)
}

// Sentence ends a text with a period.
func Sentence(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// functions are those that an entry may use beside those of text/template. Each writes as its language does.
func functions(l Language) template.FuncMap {
	tag := language.MustParse(string(l))
	printer := message.NewPrinter(tag)
	replacer := sync.OnceValue(func() *strings.Replacer { return reasons(l) })
	and := map[Language]string{English: " and ", Portuguese: " e "}[l]
	return template.FuncMap{
		"quote":  strconv.Quote,
		"reason": func(s string) string { return replacer().Replace(s) },
		// word is the entry of a name under a prefix, and the name where there is none.
		"word": func(prefix, name string) string {
			if key := prefix + "." + name; catalogOf(l).Lookup(key) != nil {
				return Of(key, nil).render(l, Apply)
			}
			return name
		},
		"join": func(separator string, of []string) string { return strings.Join(of, separator) },
		"and": func(of []string) string { // "a, b and c"
			if len(of) < 2 {
				return strings.Join(of, "")
			}
			return strings.Join(of[:len(of)-1], ", ") + and + of[len(of)-1]
		},
		"plural": func(n int, one, many string) string {
			if plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0) == plural.One {
				return one
			}
			return many
		},
		// decimal is a number of a payload, with all its digits.
		"decimal": func(plain string) string {
			return map[Language]string{English: plain, Portuguese: strings.ReplaceAll(plain, ".", ",")}[l]
		},
		"number": func(n any) string { return printer.Sprint(number.Decimal(n)) },
		// money is an amount in reais.
		"money": func(amount float64) string {
			return "R$ " + printer.Sprint(number.Decimal(amount, number.Scale(2)))
		},
		"date": func(t time.Time) string {
			return t.Format(map[Language]string{English: time.DateOnly, Portuguese: "02/01/2006"}[l])
		},
		"seconds":  func(d time.Duration) string { return fmt.Sprint(d.Round(time.Second)) },
		"sentence": Sentence,
		"capital": func(s string) string {
			if s == "" {
				return s
			}
			first := []rune(s)[0]
			return strings.ToUpper(string(first)) + s[len(string(first)):]
		},
		"lower": func(s string) string {
			if s == "" {
				return s
			}
			first := []rune(s)[0]
			return strings.ToLower(string(first)) + s[len(string(first)):]
		},
	}
}
