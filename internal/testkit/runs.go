package testkit

import (
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// RunAnew runs each step with a provider of its own, which holds no list that an earlier step has read.
func (o *Object) RunAnew(s *sandbox.Server, steps ...Step) {
	o.T.Helper()
	for _, step := range steps {
		o.Protocol = Serve(o.T, s, nil)
		o.Run(step)
	}
}

// Crash leaves the object as a CLI does whose provider has died in an update: with the prior state, and without what
// the provider had noted beside it.
func (o *Object) Crash() { o.private = nil }

// PlanDestroy plans the end of the object, and returns all that is said.
func (o *Object) PlanDestroy() (planned *tfprotov6.PlanResourceChangeResponse, said []*tfprotov6.Diagnostic) {
	o.T.Helper()
	return o.Plan(tftypes.NewValue(o.Type, nil))
}

// Destroy ends the object as planned, or without a plan of its own where planned is
// nil, as the first half of a replacement does.
func (o *Object) Destroy(planned *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic {
	o.T.Helper()
	none := tftypes.NewValue(o.Type, nil)
	if planned == nil {
		planned = &tfprotov6.PlanResourceChangeResponse{PlannedState: o.Dynamic(none), PlannedPrivate: o.private}
	}
	return o.Apply(none, planned)
}

// End ends the object as planned, and returns the errors of that.
func (o *Object) End() (failed string) {
	o.T.Helper()
	planned, said := o.PlanDestroy()
	return ErrorsIn(append(said, o.Destroy(planned)...))
}

// BothAtOnce, TheNewOneFirst and TheOldOneFirst are what happens when a block is renamed
// without `moved`: one leaves and one comes.
const (
	BothAtOnce     = "both"
	TheNewOneFirst = "the new one first"
	TheOldOneFirst = "the old one first"
)

// RenameTo ends the object and makes another one of the same, in this order, and returns what the plan of the end says.
func (o *Object) RenameTo(renamed *Object, arguments, order string) (said []*tfprotov6.Diagnostic) {
	o.T.Helper()
	config := renamed.Value(renamed.Type, renamed.Arguments(arguments))
	comes := renamed.MustPlan(config)
	leaves, said := o.PlanDestroy()
	steps := []func(){func() { renamed.Apply(config, comes) }, func() { o.Destroy(leaves) }}
	if order == TheOldOneFirst {
		slices.Reverse(steps)
	}
	var running sync.WaitGroup
	for _, step := range steps {
		running.Go(step)
		if order != BothAtOnce {
			running.Wait()
		}
	}
	running.Wait()
	return said
}

// TextsOf are the texts of the diagnostics, a line each.
func TextsOf(said []*tfprotov6.Diagnostic) string {
	var texts []string
	for _, d := range said {
		texts = append(texts, d.Summary+": "+d.Detail)
	}
	return strings.Join(texts, "\n")
}
