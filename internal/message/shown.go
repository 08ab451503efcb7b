package message

import "github.com/hashicorp/terraform-plugin-framework/path"

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
