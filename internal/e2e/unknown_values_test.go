package e2e_test

import (
	_ "embed" // The table.
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// A value that is not known while planning may turn out to be anything that a
// configuration can say, also null. What was planned as known beside it must be
// true for each of these, or the CLI ends the apply as a bug of the provider.

// turnsOut are the values that an attribute turns out to have, one after the other, and what has to be configured
// beside it, by path; null takes a part of the common arguments out. A list ends where it began, unless not every
// change can be undone.
type turnsOut struct {
	As        []any
	Arguments object
}

type object = map[string]any

//go:embed testdata/unknown_values.json
var unknownValuesJSON []byte

// unknownValues are, for each resource, its arguments and the values of each attribute, by their paths.
var unknownValues = func() (values map[string]struct {
	Arguments  object
	Attributes map[string]turnsOut
}) {
	if err := json.Unmarshal(unknownValuesJSON, &values); err != nil {
		panic(err)
	}
	return values
}()

// ownCompany stands for the id of the main company.
const ownCompany = "(own)"

// correctedInvoice is an authorized NF-e that each of these tests finds.
const correctedInvoice = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// receivedInvoice is an NF-e that was issued against the company.
const receivedInvoice = "0f14d0ab-9605-4a62-a9e4-5ed26688389b"

// nested are arguments by their paths as a configuration has them.
func nested(byPath object) object {
	arguments := object{}
	for path, value := range byPath {
		testkit.Set(arguments, path, value)
	}
	return arguments
}

// aConfiguration is of an object of any kind: a service that has what objects refer to, the arguments, and what sets one
// of them by its path.
func aConfiguration(t *testing.T) (s *sandbox.Server, arguments object, set func(path string, value any)) {
	t.Helper()
	s = sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
	s.Seed(sandbox.KindProductInvoices, object{"id": correctedInvoice, "status": "authorized"})
	s.SeedInbound(s.OwnerCompanyID(), object{"id": receivedInvoice})
	fixture.ExpectConfiguredPFX(s)
	arguments = object{}
	return s, arguments, func(path string, value any) {
		if value == ownCompany {
			value = s.OwnerCompanyID()
		}
		testkit.Set(arguments, path, value)
	}
}

func TestUnknownValues_makeNothingKnownThatMayChange(t *testing.T) {
	t.Parallel()
	for name, row := range unknownValues {
		for at, test := range row.Attributes {
			t.Run(name+"/"+at, func(t *testing.T) {
				t.Parallel()
				s, arguments, set := aConfiguration(t)
				for path, value := range row.Arguments {
					set(path, value)
				}
				for path, value := range test.Arguments {
					set(path, value)
				}
				o := testkit.Serve(t, s, nil).Object(name)
				set(at, tftypes.UnknownValue)
				unknown := o.Value(o.Type, arguments)
				// A creation, and updates from each value to the next.
				for _, value := range test.As {
					set(at, value)
					becomes(o, fmt.Sprintf("%v", value), unknown, o.Value(o.Type, arguments))
				}
			})
		}
	}
}

// Every attribute that may be configured and is computed otherwise is in the
// table.
func TestUnknownValues_areOfEveryAttribute(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, schema := range p.Schemas.ResourceSchemas {
		var check func(at string, attributes []*tfprotov6.SchemaAttribute)
		check = func(at string, attributes []*tfprotov6.SchemaAttribute) {
			for _, a := range attributes {
				if _, tested := unknownValues[name].Attributes[at+a.Name]; a.Optional && a.Computed && !tested {
					t.Errorf("%s: %s%s is not tested", name, at, a.Name)
				}
				if a.NestedType != nil {
					check(at+a.Name+".", a.NestedType.Attributes)
				}
			}
		}
		check("", schema.Block.Attributes)
	}
}

// becomes plans an object with what is not known, and applies with what it turns
// out to be. The second plan must keep what the first said, and the object what
// the second said.
func becomes(o *testkit.Object, what string, unknown, known tftypes.Value) {
	o.T.Helper()
	first := o.MustPlan(unknown)
	if len(first.RequiresReplace) > 0 {
		o.Forget()
		first = o.MustPlan(unknown)
	}
	second := o.MustPlan(known)
	o.Agree("planned again as "+what, o.Unpack(first.PlannedState, o.Type), o.Unpack(second.PlannedState, o.Type))
	if o.T.Failed() {
		o.T.FailNow()
	}
	o.MustNotFail(o.Apply(known, second))
}
