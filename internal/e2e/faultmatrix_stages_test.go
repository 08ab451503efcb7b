package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

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
		p.object = p.Object(c.kind.resource)
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
		state, said := p.Read(strings.TrimPrefix(c.kind.resource, "data."), p.Arguments(c.arguments()))
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
	if run == noMore && action != plancheck.ResourceActionNoop {
		p.T.Errorf("%s: the next plan is to %s", c, action)
	}
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
