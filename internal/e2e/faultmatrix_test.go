package e2e_test

import (
	"encoding/json"
	"flag"
	"strings"
	"sync"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// The fault matrix: every kind of request that the provider sends, times every
// way in which an exchange can go wrong. Each kind is one workspace for a CLI,
// and each fault in it has a provider alias and a service of its own.
//
// What is to become of a cell follows from the rule in meets and from what a
// kind says otherwise, never from what was seen. For each cell it is checked
// what the user reads, what is in state, and what reached the service; then the
// run is repeated without the fault, and must end well with nothing done twice.

var matrixOut = flag.String("matrix-out", "", "write the tables of the fault matrix into this guide, when every cell is as it should be")

// matrixRuns is how many runs of a CLI there may be at once. They mostly wait.
const matrixRuns = 10

// matrix is what all kinds share.
type matrix struct {
	cli      *cli.CLI
	stranger *stranger
}

func TestAccFaultMatrix(t *testing.T) {
	t.Parallel()
	m := &matrix{cli: acctest.MustFindCLI(t), stranger: newStranger(t)}
	slots := make(chan struct{}, matrixRuns)
	var running sync.WaitGroup
	for i := range requestKinds {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			k := &requestKinds[i]
			// At once without t.Parallel, which would let fewer of them run.
			t.Run(k.title(), func(t *testing.T) { k.run(t, m) })
		})
	}
	running.Wait()
	if n := m.stranger.asked.Load(); n > 0 {
		t.Errorf("the host that redirects lead to was asked %d times", n)
	}
	if *matrixOut == "" || t.Failed() {
		return
	}
	if err := writeMatrix(*matrixOut); err != nil {
		t.Error(err)
	}
}

// Run takes one kind of request through all faults.
func (k *requestKind) run(t *testing.T, m *matrix) {
	if k.writeOnly && !m.cli.AtLeast(1, 11) {
		t.Skip("needs write-only arguments")
	}
	cells := k.start(t, m)
	w := acctest.NewAttached(t, "")
	configure := func(body string) {
		var config strings.Builder
		config.WriteString("terraform {\n  required_providers {\n    einvoice = { source = \"einvoice-br/einvoice\" }\n  }\n}\n")
		for _, c := range cells {
			config.WriteString(c.block(body))
		}
		w.Write(config.String())
	}
	if k.given != "" {
		configure(k.given)
		if said, ok := execute(w, cells, "apply"); !ok {
			t.Fatalf("what is given cannot be applied: %v", said)
		}
	}
	if k.wanted != "" || k.given == "" {
		configure(k.wanted)
	}

	before := w.State()
	for _, c := range cells {
		c.begin()
	}
	said, _ := execute(w, cells, k.command()...)
	after := w.State()
	for _, c := range cells {
		c.end(t)
	}
	for _, c := range cells {
		c.checkRun(t, said[c.address()], before[c.address()], after[c.address()])
	}

	if k.person {
		said, _ = execute(w, cells, k.command()...)
		for _, c := range cells {
			if c.inDoubt() {
				c.look(t, said[c.address()])
			}
		}
		configure(k.wanted)
	}
	again := k.command()
	if k.planOnly {
		again = []string{"apply"}
	}
	ok := false
	for range 2 {
		if said, ok = execute(w, cells, again...); ok {
			break
		}
	}
	if !ok {
		t.Errorf("running again twice does not help: %v", said)
	}
	if !k.destroy {
		w.MustRun("plan", "-detailed-exitcode", "-input=false", "-parallelism=40") // Succeeds only when it is empty.
	}
	after = w.State()
	for _, c := range cells {
		c.checkSettled(t, after[c.address()])
	}
}

// command is what a person runs when the fault happens.
func (k *requestKind) command() []string {
	switch {
	case k.destroy:
		return []string{"apply", "-destroy"}
	case k.planOnly:
		return []string{"plan"}
	}
	return []string{"apply"}
}

// report is a message that the CLI shows.
type report struct {
	Severity, Summary, Detail, Address string
}

// execute runs a command and returns its messages by the object they are about.
func execute(w *acctest.Workspace, cells []*cell, command ...string) (map[string][]report, bool) {
	w.T.Helper()
	known := w.State()
	arguments := append(command, "-json", "-input=false", "-parallelism=40")
	if command[0] == "apply" {
		arguments = append(arguments, "-auto-approve")
	}
	output, ok := w.Run(arguments...)
	said := map[string][]report{}
	for line := range strings.Lines(output) {
		var message struct {
			Type       string
			Diagnostic report
		}
		if json.Unmarshal([]byte(line), &message) != nil || message.Type != "diagnostic" {
			continue
		}
		r := message.Diagnostic
		if r.Address == "" { // The CLIs do not say at which object a destroy failed.
			r.Address = named(known, r.Detail)
		}
		said[r.Address] = append(said[r.Address], r)
	}
	strange := len(said)
	for _, c := range cells {
		if len(said[c.address()]) > 0 {
			strange--
		}
		for _, secret := range c.secrets() {
			if strings.Contains(output, secret) {
				w.T.Errorf("%s: a secret is shown:\n%s", c, output)
			}
		}
	}
	if strange > 0 {
		w.T.Errorf("messages about something else:\n%s", output)
	}
	return said, ok
}

// named is the address of the object whose id is in a text, or that of an invoice of it.
func named(objects map[string]*acctest.StateObject, text string) string {
	for address, object := range objects {
		ids := []any{object.Attributes["id"]}
		invoices, _ := object.Attributes["invoices"].([]any)
		for _, invoice := range invoices {
			shown, _ := invoice.(map[string]any)
			ids = append(ids, shown["id"])
		}
		for _, id := range ids {
			if id, _ := id.(string); id != "" && strings.Contains(text, id) {
				return address
			}
		}
	}
	return ""
}
