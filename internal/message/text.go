package message

import (
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/plain"
)

// OneLine is a text of the service or the authority on one line: in a message, other lines
// would look like the provider's own words.
func OneLine(text string) string { return plain.Line(text) }

// SnakeCase turns a field name of the service into an attribute name.
func SnakeCase(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// LastStep is the name of the attribute at the end of a path.
func LastStep(at path.Path) string {
	steps := at.Steps()
	for i := len(steps) - 1; i >= 0; i-- {
		if name, ok := steps[i].(path.PathStepAttributeName); ok {
			return string(name)
		}
	}
	return "value"
}

// ShownAt returns the path at which a CLI shows a message about an attribute. A CLI looks at
// the root of a block only: for `address.city.name` it would show the line of `name`. So the
// path is that of the root attribute, with the index of an element.
func ShownAt(at path.Path) path.Path {
	steps := at.Steps()
	if len(steps) < 2 || mayHoldSecrets(steps[0]) {
		return at
	}
	length := 2
	if _, isName := steps[1].(path.PathStepAttributeName); isName {
		length = 1
	}
	for range len(steps) - length {
		at = at.ParentPath()
	}
	return at
}

// mayHoldSecrets reports whether a block of settings may have a secret. A CLI prints all lines
// of an attribute at the root. For the path of a name inside it shows the resource instead.
func mayHoldSecrets(root path.PathStep) bool {
	switch root {
	case path.PathStepAttributeName("secrets"), path.PathStepAttributeName("consumer_invoice"),
		path.PathStepAttributeName("service_invoice"):
		return true
	}
	return false
}
