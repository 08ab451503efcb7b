package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
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
	config := tftypes.NewValue(p.object.Type, nil)
	if run != destroy && c.configured != "" {
		config = p.Value(p.object.Type, p.Arguments(c.arguments()))
	}
	action, said := p.object.Once(config, run == plan || run == noMore)
	expect.False(p.T, run == noMore && action != plancheck.ResourceActionNoop, "%s: the next plan is to %s", c, action)
	return said
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
	config.WriteString(testkit.ExampleVersions)
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

// cell is one fault at one kind of request, against a service of its own.
type cell struct {
	kind    *requestKind
	fault   *fault
	want    meeting
	lasting bool   // the fault outlasts the repetitions
	number  int    // among those of a run
	timeout string // of a request

	service    *sandbox.Server
	host       *testkit.Host
	configured string            // the arguments of the object; "" where there is none
	words      map[string]string // what stands for words in capitals

	bystander string         // its id
	untouched map[string]any // the bystander before
	secret    string         // the webhook secret before
	held      map[string]any // the settings of the main company before, where they are managed
}

// seed puts into the service what is there before, and takes note of it.
func (c *cell) seed() {
	k, owner := c.kind, c.service.OwnerCompanyID()
	c.words = map[string]string{"OWNER": owner}
	c.secret = c.service.WebhookSecret()
	if k.managesSettings() {
		c.held = c.service.SettingsClear(owner)
	}
	if k.Bystander != nil {
		c.bystander = c.service.Seed(k.Objects, k.Bystander)
		c.untouched, _ = c.service.Object(k.Objects, c.bystander)
	}
	fixture.ExpectConfiguredPFX(c.service)
	if k.title() == "Invoices: check the status" {
		c.service.ScriptInvoice("order-1", sandbox.TransientCode("SPD001", "Em processamento", sandbox.Authorize()).OnlyByCheck())
	}
	if k.Object != nil {
		there := maps.Clone(k.Object)
		for name, value := range there {
			if value == "OWNER" {
				there[name] = owner
			}
		}
		c.words["WANTED"] = c.service.Seed(k.Objects, there)
	}
}

func (c *cell) String() string {
	name := c.kind.title() + ", " + c.fault.Name
	if c.lasting {
		return name + ", lasting"
	}
	return name
}

func (c *cell) alias() string   { return fmt.Sprintf("c%02d", c.number) }
func (c *cell) address() string { return c.kind.Resource + "." + c.alias() }

// fails tells whether the faulty run ends with an error at this cell.
func (c *cell) fails() bool {
	// A deletion that is sent again is answered that there is nothing any more. The
	// status says so, whatever becomes of the body.
	if c.kind.Method == "DELETE" && c.kind.Class == classWrite && c.fault.Headed {
		return false
	}
	// A repetition reads the settings first, and sends nothing where they are as wanted.
	if c.kind.managesSettings() && c.kind.Class == classWrite && c.want == meetRepeated && c.fault.Processed {
		return false
	}
	return c.want == meetReported || (c.want == meetRepeated || c.want == meetSentAgain) && c.lasting
}

// made are the objects of the kind at the service that the runs made.
func (c *cell) made() []map[string]any {
	return slices.DeleteFunc(c.service.Objects(c.kind.Objects), func(o map[string]any) bool {
		return o["id"] == c.bystander || o["id"] == c.service.OwnerCompanyID()
	})
}

// otherObject is what another answer is about.
func (c *cell) otherObject() string {
	if strings.HasSuffix(c.kind.Path, "/settings") {
		other := object{"name": "Confeitaria", "legalName": "Confeitaria Ltda", "federalTaxNumber": fixture.OtherNumber}
		return string(c.service.SettingsJSON(c.service.Seed(sandbox.KindCompanies, other)))
	}
	shown := maps.Clone(c.untouched)
	if c.kind.Other != nil { // It is not at the service.
		shown = with(c.kind.Other, object{"id": "00000000-0000-4000-8000-000000000001"})
	}
	maps.DeleteFunc(shown, func(name string, _ any) bool { return strings.HasPrefix(name, "_") })
	raw, err := json.Marshal(shown)
	if err != nil {
		panic(err) // It came from JSON.
	}
	return string(raw)
}

// checkSecrets looks for what no output may hold.
func (c *cell) checkSecrets(t testing.TB, output string) {
	t.Helper()
	secrets := []string{c.secret, c.service.WebhookSecret()}
	for _, company := range c.service.Objects(sandbox.KindCompanies) {
		id, _ := company["id"].(string)
		secrets = append(secrets, c.service.KeyOf(id))
	}
	for _, secret := range secrets {
		expect.False(t, strings.Contains(output, secret), "%s: a secret is shown:\n%s", c, output)
	}
}

// isNamed tells whether the id of the object is in a text, or that of an invoice of it.
func (c *cell) isNamed(text string, attributes map[string]any) bool {
	ids := []any{attributes["id"]}
	invoices, _ := attributes["invoices"].([]any)
	for _, invoice := range invoices {
		shown, _ := invoice.(map[string]any)
		ids = append(ids, shown["id"])
	}
	return slices.ContainsFunc(ids, func(id any) bool {
		shown, _ := id.(string)
		return shown != "" && strings.Contains(text, shown)
	})
}

// settings are the arguments of the provider.
func (c *cell) settings() map[string]any {
	return map[string]any{
		"base_url": "http://" + c.host.Address + "/v1", "api_key": c.service.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0,
		"max_retries": 1, "request_timeout": c.timeout,
	}
}

// arguments are those of the object.
func (c *cell) arguments() string {
	text := c.configured
	for word, value := range c.words {
		text = strings.ReplaceAll(text, word, value)
	}
	return text
}

// block is the configuration of the cell for a CLI: its provider and its object.
func (c *cell) block() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nprovider \"einvoice\" {\n  alias = %q\n", c.alias())
	for name, value := range c.settings() {
		fmt.Fprintf(&text, "  %s = %#v\n", name, value)
	}
	text.WriteString("}\n")
	if c.configured != "" {
		form := "resource"
		if c.kind.isData() {
			form = "data"
		}
		fmt.Fprintf(&text, "%s %q %q {\n  provider = einvoice.%s\n%s\n}\n", form, strings.TrimPrefix(c.kind.Resource, "data."), c.alias(), c.alias(), c.arguments())
	}
	return text.String()
}

// begin lets the fault happen.
func (c *cell) begin() {
	c.service.ResetRequests()
	if c.fault.Nature == natureUnsent {
		c.host.RefuseAfter(c.kind.Before)
		return
	}
	f := c.fault.at(c)
	if c.lasting {
		f.Times = -1
		if c.fault.Nature == natureLimited {
			// What the limit refuses for two minutes is a matter of the client's tests.
			f = asking(f, "Retry-After", "1800")
		}
	}
	c.service.Inject(f)
}

// end takes the fault away.
func (c *cell) end(t *testing.T) {
	t.Helper()
	c.host.RefuseAfter(-1)
	expect.False(t, len(c.service.PendingFaults()) > 0, "%s: the fault never happened: %v", c, c.service.PendingFaults())
	c.service.ClearFaults()
}

// targets are the requests that the fault may hit, since the faulty run began.
func (c *cell) targets() []sandbox.Request {
	all := c.service.All(c.kind.Method, c.kind.Path)
	return all[min(c.kind.Skip, len(all)):]
}

// checkRun judges the run in which the fault happened: what the user read, what
// is in state, what the service holds, and what was sent.
func (c *cell) checkRun(t *testing.T, said []report, before, after *testkit.StateObject) {
	t.Helper()
	c.checkSaid(t, said)
	switch {
	case c.fails() || c.kind.PlanOnly:
		expect.True(t, reflect.DeepEqual(before, after), "%s: the state changed\nfrom %v\nto   %v", c, before, after)
	case c.kind.Destroy:
		expect.False(t, after != nil, "%s: still in state: %v", c, after)
	case after == nil:
		t.Errorf("%s: not in state", c)
	}
	expect.False(t, after != nil && after.Status != "", "%s: the object is %v", c, after)
	if c.kind.done != nil {
		done := c.kind.Acted || !c.fails() && c.want != meetWarned || c.kind.Class != classRead && c.fault.Processed
		expect.Is(t, c.kind.done(c), done, "%s: that the service has done it", c)
	}
	c.checkSent(t)
}

func (c *cell) checkSent(t *testing.T) {
	t.Helper()
	sent := c.targets()
	if c.kind.Class == classCreation {
		want := 1
		switch {
		case c.fault.Nature == natureUnsent:
			want = 0
		case c.want == meetRepeated && !c.lasting, c.want == meetSentAgain:
			want = 2
		}
		expect.Is(t, len(sent), want, "%s: sent times", c)
	}
	if len(sent) < 2 || c.want != meetRepeated && c.want != meetSentAgain {
		return
	}
	expect.False(t, sent[1].At.Sub(sent[0].At) < c.fault.hint(),
		"%s: sent again after %s, and the service asked to wait %s", c, sent[1].At.Sub(sent[0].At), c.fault.hint())
}

var (
	// advises finds what to do in a text.
	advises = regexp.MustCompile(`(?i)\b(run (apply|plan|destroy|again)|running apply again|check|set|correct|compare|import|generate|use|remove|wait|ask)\b`)
	// technical finds what is of no use to a user.
	technical = regexp.MustCompile(`\b[a-z]+\.[A-Z][A-Za-z]+\b|map\[|%!|0xc0|<nil>|&\{|(?i)unexpected|invalid character|unmarshal|deadline|\bEOF\b|panic`)
)

// checkSaid judges what the user read about the cell's object.
func (c *cell) checkSaid(t *testing.T, said []report) {
	t.Helper()
	errors, warnings, adopts := 0, 0, 0
	for _, r := range said {
		text := r.Summary + "\n" + r.Detail
		expect.False(t, r.Summary == "" || r.Detail == "", "%s: a message without summary or detail: %q", c, text)
		expect.Is(t, technical.FindString(text), "", "%s is no word for a user:\n%s", c, text)
		if r.Severity == "warning" {
			switch {
			case c.kind.Standing != "" && strings.Contains(r.Summary, c.kind.Standing):
			case c.kind.Adopts != "" && strings.Contains(r.Summary, c.kind.Adopts):
				adopts++
			default:
				warnings++
			}
			continue
		}
		errors++
		says := c.fault.Says
		if instead := c.kind.Says[c.fault.row()]; instead != "" {
			says = instead
		}
		expect.True(t, regexp.MustCompile("(?i)"+c.kind.Task).MatchString(r.Summary),
			"%s: the summary %q does not say %q", c, r.Summary, c.kind.Task)
		expect.True(t, regexp.MustCompile(says).MatchString(r.Detail),
			"%s: the message does not say %q:\n%s", c, says, text)
		expect.True(t, advises.MatchString(r.Detail), "%s: the message does not say what to do:\n%s", c, text)
	}
	switch {
	case c.fails() && errors != 1:
		t.Errorf("%s: %d errors, want 1: %v", c, errors, said)
	case !c.fails() && errors > 0:
		t.Errorf("%s: failed: %v", c, said)
	case c.want == meetWarned && warnings != 1:
		t.Errorf("%s: %d warnings, want 1: %v", c, warnings, said)
	case c.want == meetLookedUp && c.kind.Adopts != "" && adopts != 1:
		t.Errorf("%s: nothing is said about the look-up: %v", c, said)
	case c.want != meetWarned && warnings > 0, c.want != meetLookedUp && adopts > 0:
		t.Errorf("%s: warned although nothing is different: %v", c, said)
	}
}

// inDoubt tells that nobody but a person can know what became of the request.
func (c *cell) inDoubt() bool {
	isLost := c.fault.Nature == natureLost || c.fault.Nature == natureTooLarge || c.fault.Name == faultNotFound
	return c.kind.Person && c.fails() && isLost
}

var journalEntry = regexp.MustCompile(`remove (\S+)\. Run apply again`)

// look is what a person does who was told that the request may have been processed: looks at the service, and then
// takes the object out of the configuration, or the entry out of the journal.
func (c *cell) look(t *testing.T, said []report) {
	t.Helper()
	if len(said) != 1 || said[0].Severity != "error" || !strings.Contains(said[0].Summary, "may have been sent already") {
		t.Errorf("%s: the same run again is not refused: %v", c, said)
		return
	}
	expect.Is(t, len(c.targets()), 1, "%s: sent times", c)
	entry := journalEntry.FindStringSubmatch(said[0].Detail)
	switch {
	case c.kind.done(c):
		c.configured = ""
	case entry == nil:
		t.Errorf("%s: the way out is missing:\n%s", c, said[0].Detail)
	default:
		if err := os.Remove(entry[1]); err != nil {
			t.Error(err)
		}
	}
}

// checkSettled judges what is left when the run was repeated without the fault.
func (c *cell) checkSettled(t *testing.T, after *testkit.StateObject) {
	t.Helper()
	expect.False(t, c.kind.done != nil && !c.kind.done(c) && c.want != meetWarned,
		"%s: the service has not done it after all", c)
	if c.kind.Class == classCreation {
		processed := 0
		for _, r := range c.targets() {
			if r.Status == 200 || r.Status == 0 && c.fault.Processed {
				processed++
			}
		}
		expect.Is(t, processed, 1, "%s: the service did it times", c)
	}
	if c.kind.Objects != "" {
		want := 1
		if c.kind.Destroy && !c.kind.Keeps && c.want != meetWarned {
			want = 0
		}
		made := c.made()
		expect.False(t, len(made) != want, "%s: the service holds %d, want %d: %v", c, len(made), want, made)
	}
	if c.untouched != nil {
		if now, _ := c.service.Object(c.kind.Objects, c.bystander); !reflect.DeepEqual(now, c.untouched) {
			t.Errorf("%s: another object changed\nfrom %v\nto   %v", c, c.untouched, now)
		}
	}
	switch {
	case c.kind.Destroy || c.configured == "":
		expect.False(t, after != nil, "%s: still in state: %v", c, after)
	case after == nil:
		t.Errorf("%s: not in state", c)
	default:
		c.checkState(t, after.Attributes)
	}
	if check := settled[c.kind.Group]; check != nil {
		got, want := check(c)
		expect.Same(t, want, got, "%s: at the service", c)
	}
}
