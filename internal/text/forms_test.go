package text

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
)

// use is how an entry uses a placeholder.
type use struct {
	isPrinted bool // also where it was not asked whether it is set
	isAsked   bool
	isList    bool
	isTime    bool
	isNumber  bool     // a whole number
	isAmount  bool     // with decimals
	isFor     bool     // a duration
	words     []string // that it is compared with
}

// uses are the placeholders of an entry and of those that it includes.
type uses map[string]*use

func usesOf(catalog *template.Template, key string) uses {
	u := uses{}
	u.read(catalog, catalog.Lookup(key).Root, nil)
	return u
}

func (u uses) of(name string) *use {
	if u[name] == nil {
		u[name] = &use{}
	}
	return u[name]
}

// read notes what a node uses. asked are the placeholders that are known to be set here.
func (u uses) read(catalog *template.Template, node parse.Node, asked []string) {
	switch node := node.(type) {
	case *parse.ListNode:
		if node == nil {
			return
		}
		for _, n := range node.Nodes {
			u.read(catalog, n, asked)
		}
	case *parse.ActionNode:
		u.pipe(node.Pipe, asked, "")
	case *parse.IfNode:
		u.branch(catalog, &node.BranchNode, asked)
	case *parse.WithNode:
		u.branch(catalog, &node.BranchNode, asked)
	case *parse.RangeNode:
		for _, name := range fieldsOf(node.Pipe) {
			u.of(name).isList = true
		}
		u.branch(catalog, &node.BranchNode, asked)
	case *parse.TemplateNode:
		u.read(catalog, catalog.Lookup(node.Name).Root, asked)
	}
}

func (u uses) branch(catalog *template.Template, node *parse.BranchNode, asked []string) {
	u.pipe(node.Pipe, asked, "if")
	u.read(catalog, node.List, append(slices.Clone(asked), fieldsOf(node.Pipe)...))
	u.read(catalog, node.ElseList, asked)
}

// pipe notes the placeholders of a pipeline. For "if" they are asked for.
func (u uses) pipe(pipe *parse.PipeNode, asked []string, for_ string) {
	for _, command := range pipe.Cmds {
		function := ""
		if identifier, ok := command.Args[0].(*parse.IdentifierNode); ok {
			function = identifier.Ident
		}
		for i, argument := range command.Args {
			switch argument := argument.(type) {
			case *parse.PipeNode:
				u.pipe(argument, asked, for_)
			case *parse.FieldNode:
				name := argument.Ident[0]
				field := u.of(name)
				switch function {
				case "join", "and":
					field.isList = field.isList || for_ == ""
				case "plural":
					field.isNumber = field.isNumber || i == 1
				case "number", "gt", "lt":
					field.isNumber = true
				case "money":
					field.isAmount = true
				case "date":
					field.isTime = true
				case "seconds":
					field.isFor = true
				case "eq", "ne":
					for _, other := range command.Args[1:] {
						if word, ok := other.(*parse.StringNode); ok {
							field.words = append(field.words, word.Text)
						}
						if _, ok := other.(*parse.NumberNode); ok {
							field.isNumber = true
						}
					}
				}
				if for_ == "if" {
					field.isAsked = true
				} else if !slices.Contains(asked, name) {
					field.isPrinted = true
				}
			}
		}
	}
}

// fieldsOf are the placeholders of a pipeline.
func fieldsOf(pipe *parse.PipeNode) (names []string) {
	for _, command := range pipe.Cmds {
		for _, argument := range command.Args {
			switch argument := argument.(type) {
			case *parse.FieldNode:
				names = append(names, argument.Ident[0])
			case *parse.PipeNode:
				names = append(names, fieldsOf(argument)...)
			}
		}
	}
	return names
}

var included = regexp.MustCompile(`\{\{template "([^"]+)"`)

// includes are the keys of the entries that an entry includes.
func includes(entry *template.Template) (names []string) {
	if entry.Tree != nil {
		for _, name := range included.FindAllStringSubmatch(entry.Root.String(), -1) {
			names = append(names, name[1])
		}
	}
	return names
}

// values are those that a placeholder has in the forms of an entry; the first in all of them.
func (u *use) values(name string) []any {
	shown := "‹" + name + "›"
	var all []any
	switch {
	case u.isList:
		all = []any{[]string{shown, shown}, []string{shown}}
	case u.isTime:
		all = []any{time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)}
	case u.isFor:
		all = []any{90 * time.Second}
	case u.isAmount:
		all = []any{1234.5}
	case u.isNumber:
		all = []any{2, 1, 0}
	case len(u.words) > 0:
		for _, word := range slices.Compact(slices.Sorted(slices.Values(u.words))) {
			all = append(all, word)
		}
		all = append(all, shown)
	default:
		all = []any{shown}
	}
	if u.isAsked && len(u.words) == 0 && !u.isNumber {
		all = append(all, nil)
	}
	return all
}

// rendered are the forms of an entry: all placeholders set, and each of them once otherwise.
func rendered(l Language, key string) (forms []string) {
	u := usesOf(catalogOf(l), key)
	names := slices.Sorted(maps.Keys(u))
	which := []Form{Apply}
	if u["form"] != nil {
		which = []Form{Apply, Plan, Destroy, Action}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "form" })
	}
	base := With{}
	for _, name := range names {
		base[name] = u[name].values(name)[0]
	}
	variants := []With{base}
	for _, name := range names {
		for _, value := range u[name].values(name)[1:] {
			other := maps.Clone(base)
			other[name] = value
			variants = append(variants, other)
		}
	}
	for _, with := range variants {
		for _, form := range which {
			if text := Of(key, with).render(l, form); !slices.Contains(forms, text) {
				forms = append(forms, text)
			}
		}
	}
	return forms
}

// golden has all texts of a language in all their forms.
func golden(l Language) string {
	var b strings.Builder
	for _, key := range keys(l) {
		b.WriteString("### " + key + "\n" + strings.Join(rendered(l, key), "\n\n--- or\n") + "\n\n")
	}
	return b.String()
}
