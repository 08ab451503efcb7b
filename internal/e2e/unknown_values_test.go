package e2e_test

import (
	_ "embed" // The table.
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A value that is not known while planning may turn out to be anything that a configuration can say, also null. What
// was planned as known beside it must be true for each of these, or the CLI ends the apply as a bug of the provider.

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
},
) {
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
			rows.Case(t, name+"/"+at, func(t *testing.T) {
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

// Every attribute that may be configured and is computed otherwise is in the table.
func TestUnknownValues_areOfEveryAttribute(t *testing.T) {
	t.Parallel()
	for kind, schema := range served(t).ResourceSchemas {
		everyAttribute("", schema.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			_, isTested := unknownValues[kind].Attributes[at]
			expect.False(t, a.Optional && a.Computed && !isTested, "%s: %s is not tested", kind, at)
		})
	}
}

// becomes plans an object with what is not known, and applies with what it turns out to be. The second plan must keep
// what the first said, and the object what the second said.
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

// Core applies ignore_changes to the configuration that a plan sees, and not to the one that an apply sees. So an apply
// that reads its configuration sends what no plan has shown.

// ignorable is a resource that is changed, with another value for each of its attributes, by their paths.
type ignorable struct {
	Arguments object    // each attribute has a value
	Change    [2]object // sends something; the second one where the attribute is in the first
	Others    object
	Local     []string // what no request depends on
	Lists     []string // are one value: what is in them is not ignored alone
}

func ignorables(t *testing.T) map[string]ignorable {
	t.Helper()
	return rows.Read[map[string]ignorable](t, "ignored.json")
}

// An apply sends what its plan has shown, whatever the configuration says about what is ignored.
func TestIgnored_isNotSent(t *testing.T) {
	t.Parallel()
	for name, row := range ignorables(t) {
		kind, _, _ := strings.Cut(name, " ")
		for at, other := range row.Others {
			rows.Case(t, name+"/"+at, func(t *testing.T) {
				change := row.Change[0]
				for path := range change {
					if path == at || strings.HasPrefix(path, at+".") {
						change = row.Change[1]
						break
					}
				}
				asPlanned := row.sent(t, kind, at, nil, change, true)
				expect.Same(t, asPlanned, row.sent(t, kind, at, other, change, true), "what is ignored changes what is sent")
				hasEffect := !cmp.Equal(asPlanned, row.sent(t, kind, at, other, change, false))
				if isLocal := slices.Contains(row.Local, at); hasEffect == isLocal {
					t.Errorf("where it is not ignored, it changes what is sent: %t", hasEffect)
				}
			})
		}
	}
}

// sent is what an update sends while an attribute is configured as other, which is nil for what it was before, and
// whether that is ignored.
func (row ignorable) sent(t *testing.T, kind, at string, other any, change object, isIgnored bool) (sent []string) {
	t.Helper()
	s, arguments, set := aConfiguration(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	for _, path := range slices.Sorted(maps.Keys(row.Arguments)) {
		set(path, row.Arguments[path])
	}
	settings := object{"company_keys": object{fixture.BranchNumber: key}}
	o := testkit.Serve(t, s, settings).Object(kind)
	o.MustCreate(arguments)
	o.Protocol = testkit.Serve(t, s, settings) // Another run.
	o.MustNotFail(o.Refresh())
	for path, value := range change {
		set(path, value)
	}
	shown := o.Ignoring(at, o.Value(o.Type, arguments))
	if other != nil {
		set(at, other)
	}
	if !isIgnored {
		shown = o.Value(o.Type, arguments)
	}
	planned, said := o.Plan(shown)
	failed := testkit.ErrorsIn(said)
	if failed == "" && len(planned.RequiresReplace) > 0 {
		failed = "it is replaced"
	}
	before := len(s.Requests())
	if failed == "" {
		failed = testkit.ErrorsIn(o.Apply(o.Value(o.Type, arguments), planned))
	}
	if isIgnored && failed != "" {
		t.Fatal(failed)
	}
	if failed != "" {
		sent = append(sent, failed)
	}
	for _, r := range s.Requests()[before:] {
		if r.Method != "GET" {
			text := fmt.Sprintf("%s %s as %s: %s", r.Method, r.Path, r.Key, r.Body)
			for _, varies := range []*regexp.Regexp{uuids, times} {
				text = varies.ReplaceAllString(text, "(varies)")
			}
			sent = append(sent, text)
		}
	}
	expect.False(t, len(sent) == 0 && len(change) > 0, "the change sends nothing")
	return sent
}

// What differs between two runs: ids and keys, and when the sandbox has made or changed an object.
var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"(apiKey|concurrencyStamp)":"[^"]*"`)
	times = regexp.MustCompile(`"(creationTime|lastModificationTime)":"[^"]*"`)
)

// Every attribute that can be configured is in the table.
func TestIgnored_isEveryAttribute(t *testing.T) {
	t.Parallel()
	table := ignorables(t)
	for kind, schema := range served(t).ResourceSchemas {
		row := table[kind]
		others := with(row.Others, table[kind+" with secrets in state"].Others)
		everyAttribute("", schema.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			isWhole := slices.ContainsFunc(append(row.Lists, "secrets"), func(list string) bool { return strings.HasPrefix(at, list+".") })
			_, isTested := others[at]
			isLeftOut := !isTested && !isWhole && !a.WriteOnly && (a.Optional || a.Required)
			expect.False(t, isLeftOut, "%s: %s is not in the table", kind, at)
		})
	}
}
