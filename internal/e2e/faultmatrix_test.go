package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The fault matrix: every kind of request that the provider sends, times every
// way in which an exchange can go wrong.
//
// What is to become of a cell follows from the rule in meets and from what a
// kind says otherwise, never from what was seen. For each cell it is checked
// what the user reads, what is in state, and what reached the service; then the
// run is repeated without the fault, and must end well with nothing done twice.

// TestFaultMatrix takes every cell over the protocol, on a clock of its own: no
// wait takes time, and no verdict depends on how fast the machine is.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	for i := range requestKinds {
		k := &requestKinds[i]
		rows.Case(t, k.title(), func(t *testing.T) {
			today := time.Now().Round(0)
			for _, c := range k.cells(i) {
				synctest.Test(t, func(t *testing.T) {
					<-time.After(time.Until(today)) // The journal is in files, whose times are real.
					network := testkit.NewNetwork(t)
					c.start(t, network)
					play(t, newOverProtocol(t, network, c), []*cell{c}, k.command())
					expect.False(t, network.Strays() > 0, "%s: another host was asked %d times", c, network.Strays())
				})
			}
		})
	}
}

// TestAccFaultMatrix takes one cell of each kind that meets every fault on a CLI: all that are met
// by the same command in one run, each with a provider alias and a service of its own.
func TestAccFaultMatrix(t *testing.T) {
	t.Parallel()
	found := testkit.MustFindCLI(t)
	cells := map[command][]*cell{}
	for i := range requestKinds {
		k := &requestKinds[i]
		if k.meetsAll() && (!k.WriteOnly || found.AtLeast(1, 11)) {
			cells[k.command()] = append(cells[k.command()], k.draw(i))
		}
	}
	for command, cells := range cells {
		rows.Case(t, string(command), func(t *testing.T) {
			network := testkit.NewNetwork(t)
			for _, c := range cells {
				c.start(t, network)
			}
			play(t, &onCLI{network.Attach(t)}, cells, command)
			expect.False(t, network.Strays() > 0, "another host was asked %d times", network.Strays())
		})
	}
}

// command is what a person runs.
type command string

const (
	apply   command = "apply"
	destroy command = "destroy"
	plan    command = "plan"
	noMore  command = "plan that is to be empty"
)

// command is the one that meets the fault.
func (k *requestKind) command() command {
	switch {
	case k.Destroy:
		return destroy
	case k.PlanOnly:
		return plan
	}
	return apply
}

// report is a message about an object.
type report struct {
	Severity, Summary, Detail, Address string
}

// stage runs commands on what is configured of cells, and has their states.
type stage interface {
	run(cells []*cell, run command) (said map[*cell][]report, ok bool)
	state(cells []*cell) map[*cell]*testkit.StateObject
}

// play takes cells through a run with their faults, and through runs without them until all is well.
func play(t *testing.T, on stage, cells []*cell, run command) {
	t.Helper()
	for _, c := range cells {
		c.configured = c.kind.given
	}
	if slices.ContainsFunc(cells, func(c *cell) bool { return c.configured != "" }) {
		if said, ok := on.run(cells, apply); !ok {
			t.Fatalf("what is given cannot be applied: %v", said)
		}
	}
	if slices.ContainsFunc(cells, func(c *cell) bool { return c.held != nil && c.configured != "" }) {
		on.run(cells, plan) // The first refresh shows settings that nobody manages.
	}
	for _, c := range cells {
		if c.kind.wanted != "" || c.kind.given == "" {
			c.configured = "\n" + c.kind.wanted
		}
		c.begin()
	}
	before := on.state(cells)
	said, ok := on.run(cells, run)
	after := on.state(cells)
	for _, c := range cells {
		c.end(t)
		c.checkRun(t, said[c], before[c], after[c])
	}

	if slices.ContainsFunc(cells, (*cell).inDoubt) {
		said, ok = on.run(cells, run)
		for _, c := range cells {
			if c.inDoubt() {
				c.look(t, said[c])
			}
		}
	}
	isData := func(c *cell) bool { return c.kind.isData() }
	isManaged := func(c *cell) bool { return !c.kind.isData() }
	if run == plan { // Which leaves nothing of data sources in state.
		run, ok = apply, !slices.ContainsFunc(cells, isData)
	}
	for n := 0; n < 2 && !ok; n++ {
		said, ok = on.run(cells, run)
	}
	expect.True(t, ok, "running again twice does not help: %v", said)
	if run != destroy && slices.ContainsFunc(cells, isManaged) {
		if said, ok = on.run(cells, noMore); !ok {
			t.Errorf("the next plan is not empty: %v", said)
		}
	}
	after = on.state(cells)
	for _, c := range cells {
		c.checkSettled(t, after[c])
	}
}

// meetsAll tells whether the kind meets every fault: each write and each wait does, and one read of
// each family. The other reads go through the same code of the client.
func (k *requestKind) meetsAll() bool { return k.Method != "GET" || k.First }

// cells are the faults at a kind of request: one for each column of the guide, and two
// where repetitions may or may not get over it. Where a kind does not meet all, it meets one fault
// of each nature and outcome, and one that lasts. Faults that are alike take turns from kind to kind.
func (k *requestKind) cells(number int) []*cell {
	var cells []*cell
	takes, lasts := map[string]bool{}, map[nature]bool{}
	for i := range faults {
		f := &faults[(number+i)%len(faults)]
		c := cell{kind: k, fault: f, want: k.meets(f), timeout: "4s"}
		alike, lasting := f.row(), f.Nature
		if !k.meetsAll() {
			lasting = natureLost
			if alike != faultNotFound && alike != faultOther { // Those are for the noun to judge.
				alike = fmt.Sprint(f.Nature, c.want)
			}
		}
		if c.want == meetNone || takes[alike] {
			continue
		}
		takes[alike] = true
		cells = append(cells, &c)
		if (c.want == meetRepeated || c.want == meetSentAgain) && !lasts[lasting] {
			again := c
			again.lasting, lasts[lasting] = true, true
			cells = append(cells, &again)
		}
	}
	return cells
}

// draw is the cell of a kind that a CLI takes: not one after which there is a long look for what became of the request.
func (k *requestKind) draw(number int) *cell {
	cells := slices.DeleteFunc(k.cells(number), func(c *cell) bool {
		return c.lasting || k.Class == classCreation && c.fault.Nature == natureLost && !c.fault.Processed
	})
	c := cells[0]
	c.number, c.timeout = number, "10s" // Real time, and more than an honest answer takes on any machine.
	return c
}

// start gives the cell its service.
func (c *cell) start(t *testing.T, network *testkit.Network) {
	t.Helper()
	k := c.kind
	c.service = sandbox.New(k.Options)
	t.Cleanup(c.service.Close)
	c.host = network.Serve(t, c.service)
	c.seed()
}

// overProtocol is a provider in this process, with one object.
type overProtocol struct {
	*testkit.Protocol

	object *testkit.Object // nil of a data source
	data   map[string]any
}

func newOverProtocol(t *testing.T, network *testkit.Network, c *cell) *overProtocol {
	t.Helper()
	p := &overProtocol{Protocol: network.Protocol(t)}
	if !c.kind.isData() {
		p.object = p.Object(c.kind.Resource)
	}
	return p
}

func (p *overProtocol) run(cells []*cell, run command) (map[*cell][]report, bool) {
	c := cells[0]
	p.Configure(c.settings())
	said := p.doing(c, run)
	var reports []report
	for _, d := range said {
		r := report{Severity: "error", Summary: d.Summary, Detail: d.Detail}
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			r.Severity = "warning"
		}
		reports = append(reports, r)
		c.checkSecrets(p.T, r.Summary+r.Detail)
	}
	return map[*cell][]report{c: reports}, testkit.ErrorsIn(said) == ""
}

// doing does what a CLI does on a command, and returns all that is said.
func (p *overProtocol) doing(c *cell, run command) []*tfprotov6.Diagnostic {
	if c.configured == "" && p.State() == nil {
		return nil
	}
	if p.object == nil {
		state, said := p.Read(strings.TrimPrefix(c.kind.Resource, "data."), p.Arguments(c.arguments()))
		if run != plan && state != nil {
			p.data = state
		}
		return said
	}
	said := p.object.Refresh()
	if testkit.ErrorsIn(said) != "" {
		return said
	}
	config := tftypes.NewValue(p.object.Type, nil)
	if run != destroy && c.configured != "" {
		config = p.Value(p.object.Type, p.Arguments(c.arguments()))
	} else if p.State() == nil {
		return said
	}
	planned, more := p.object.Plan(config)
	said = append(said, more...)
	if testkit.ErrorsIn(said) != "" || run == plan {
		return said
	}
	action := p.object.Action(planned)
	expect.False(p.T, run == noMore && action != plancheck.ResourceActionNoop, "%s: the next plan is to %s", c, action)
	if action == plancheck.ResourceActionNoop {
		return said
	}
	return append(said, p.object.Apply(config, planned)...)
}

func (p *overProtocol) State() map[string]any {
	if p.object == nil {
		return p.data
	}
	return p.object.State()
}

func (p *overProtocol) state(cells []*cell) map[*cell]*testkit.StateObject {
	attributes := p.State()
	if attributes == nil {
		return nil
	}
	return map[*cell]*testkit.StateObject{cells[0]: {Attributes: attributes}}
}

// onCLI is a directory in which a CLI runs.
type onCLI struct{ *testkit.Workspace }

func (w *onCLI) run(cells []*cell, run command) (map[*cell][]report, bool) {
	var config strings.Builder
	config.WriteString("terraform {\n  required_providers {\n    einvoice = { source = \"einvoice-br/einvoice\" }\n  }\n}\n")
	for _, c := range cells {
		config.WriteString(c.block())
	}
	w.Write(config.String())
	arguments := map[command][]string{
		apply: {"apply", "-auto-approve"}, destroy: {"apply", "-destroy", "-auto-approve"}, plan: {"plan"}, noMore: {"plan", "-detailed-exitcode"},
	}[run]
	known := w.state(cells)
	output, ok := w.Run(append(arguments, "-json", "-input=false", "-parallelism=100")...)
	said := map[*cell][]report{}
	for line := range strings.Lines(output) {
		var message struct {
			Type       string
			Diagnostic report
		}
		if json.Unmarshal([]byte(line), &message) != nil || message.Type != "diagnostic" {
			continue
		}
		if c := about(cells, known, message.Diagnostic); c != nil {
			said[c] = append(said[c], message.Diagnostic)
		} else {
			w.T.Errorf("a message about something else: %s", line)
		}
	}
	for _, c := range cells {
		c.checkSecrets(w.T, output)
	}
	return said, ok
}

// about is the cell at whose object a message is. The CLIs do not say at which
// object a destroy failed; then the id is in the text.
func about(cells []*cell, known map[*cell]*testkit.StateObject, r report) *cell {
	for _, c := range cells {
		if r.Address == c.address() || r.Address == "" && known[c] != nil && c.isNamed(r.Detail, known[c].Attributes) {
			return c
		}
	}
	return nil
}

func (w *onCLI) state(cells []*cell) map[*cell]*testkit.StateObject {
	objects, held := w.State(), map[*cell]*testkit.StateObject{}
	for _, c := range cells {
		if object := objects[c.address()]; object != nil {
			held[c] = object
		}
	}
	return held
}
