package testkit

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// Run runs the steps one after the other on the CLI that is at hand, with the provider in process, beside other tests.
func Run(t *testing.T, steps []resource.TestStep) {
	t.Helper()
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: Factories(), Steps: steps})
}

// Address is that of a resource or a data source in a configuration.
type Address string

// Has checks an attribute in the state.
func (a Address) Has(name string, value knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(string(a), tfjsonpath.New(name), value)
}

// Plans checks what the plan of a step does, and more that is planned.
func (a Address) Plans(action plancheck.ResourceActionType, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(string(a), action))}
}

// Unknown checks that the plan does not know an attribute.
func (a Address) Unknown(name string) plancheck.PlanCheck {
	return plancheck.ExpectUnknownValue(string(a), tfjsonpath.New(name))
}
