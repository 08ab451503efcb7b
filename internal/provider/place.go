package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A CLI looks for the attribute of a message among those at the root of a block only.
// For `address.city.name` it shows the line of `name`, which is another attribute. So a
// message about something inside a root attribute is shown at that one; its text
// names the whole path.

// placeMessages does so for all messages of a response about a configuration.
func placeMessages(response any) {
	switch r := response.(type) {
	case *tfprotov6.ValidateResourceConfigResponse:
		place(r.Diagnostics)
	case *tfprotov6.PlanResourceChangeResponse:
		place(r.Diagnostics)
	case *tfprotov6.ApplyResourceChangeResponse:
		place(r.Diagnostics)
	case *tfprotov6.ValidateDataResourceConfigResponse:
		place(r.Diagnostics)
	case *tfprotov6.ReadDataSourceResponse:
		place(r.Diagnostics)
	}
}

func place(messages []*tfprotov6.Diagnostic) {
	for _, m := range messages {
		m.Attribute = shownPath(m.Attribute)
	}
}

// shownPath is the root attribute of a path, with the index of an element, which a CLI finds.
func shownPath(at *tftypes.AttributePath) *tftypes.AttributePath {
	steps := at.Steps()
	if len(steps) < 2 || mayHoldSecrets(steps[0]) {
		return at
	}
	if _, isName := steps[1].(tftypes.AttributeName); isName {
		return tftypes.NewAttributePathWithSteps(steps[:1])
	}
	return tftypes.NewAttributePathWithSteps(steps[:2])
}

// mayHoldSecrets tells of a block of settings in which somebody may have written a secret:
// a CLI prints all lines of the attribute that it finds. These have no names in common with
// attributes at the root, so that for what is inside it shows the head of the resource.
func mayHoldSecrets(root tftypes.AttributePathStep) bool {
	switch root {
	case tftypes.AttributeName("secrets"), tftypes.AttributeName("consumer_invoice"), tftypes.AttributeName("service_invoice"):
		return true
	}
	return false
}
