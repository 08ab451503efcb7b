package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// The page "Coverage tables" says of every endpoint, field, state and event
// where it is in this provider. It is made of the rows in
// coverage_rows_test.go, which are compared here with what the sandbox lists,
// with the schemas, and with what a run requests and brings into the state.

// component is one part of the provider, by a name such as
// "resource einvoice_customer".
type component string

func (c component) kind() string { return string(c)[:strings.LastIndex(string(c), " ")] }
func (c component) name() string { return string(c)[strings.LastIndex(string(c), " ")+1:] }

// link shows a component in the guide.
func (c component) link() string {
	page := strings.TrimPrefix(c.name(), "einvoice_") + ".md"
	switch c.kind() {
	case "resource":
		return "[`" + c.name() + "`](../resources/" + page + ")"
	case "data source":
		return "[data source `" + c.name() + "`](../data-sources/" + page + ")"
	case "ephemeral resource":
		return "[ephemeral resource `" + c.name() + "`](../ephemeral-resources/" + page + ")"
	default:
		return "[" + c.kind() + " `" + c.name() + "`](../" + strings.ReplaceAll(c.kind(), " ", "-") + "s/" + page + ")"
	}
}

// isTest says whether this package has a test function. The acceptance tests are
// run on both CLIs.
func isTest(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "\nfunc "+name+"(t *testing.T) {") {
			return true
		}
	}
	return false
}

func serviceRoutes(t *testing.T) []sandbox.Route {
	t.Helper()
	s := sandbox.New(sandbox.Options{})
	t.Cleanup(s.Close)
	return s.Routes()
}

func TestCoverage_hasARowForEveryEndpointAndNoOther(t *testing.T) {
	t.Parallel()
	known := components(t)
	listed := map[string]bool{}
	for _, route := range serviceRoutes(t) {
		listed[route.Pattern()] = true
		row, ok := endpointRows[route.Pattern()]
		switch {
		case !ok:
			t.Errorf("%s has no row", route.Pattern())
		case (len(row.in) == 0) == (row.why == ""):
			t.Errorf("%s must say either where it is in the provider or why it is not", route.Pattern())
		}
		for _, c := range row.in {
			if _, ok := known[c]; !ok {
				t.Errorf("%s: there is no %s", route.Pattern(), c)
			}
		}
	}
	for pattern := range endpointRows {
		if !listed[pattern] {
			t.Errorf("the row %s is of no endpoint", pattern)
		}
	}
}

func TestCoverage_namesEveryComponent(t *testing.T) {
	t.Parallel()
	named := map[component]bool{}
	for _, row := range endpointRows {
		for _, c := range row.in {
			named[c] = true
		}
	}
	for _, row := range computedRows {
		named[row.in] = true
	}
	for c := range components(t) {
		if !named[c] {
			t.Errorf("%s is in no row", c)
		}
	}
}

func TestCoverage_namesTestsThatExist(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for at, row := range endpointRows {
		if row.test != "" {
			names[at] = row.test
		}
	}
	for _, row := range slices.Concat(codeRows, limitRows, ruleRows) {
		names[row.what] = row.test
	}
	for tr, row := range transitionRows {
		names[tr.From+" to "+tr.To] = row.test
	}
	for at, row := range wordRows {
		if row.test != "" {
			names[at] = row.test
		}
	}
	for at, name := range names {
		if !strings.HasPrefix(name, "Test") || !isTest(t, name) {
			t.Errorf("%s: there is no test %q in this package", at, name)
		}
	}
}

// leaves are the attributes of a schema that hold values, by path; sensitive and
// write-only ones too.
func leaves(s *tfprotov6.Schema) map[string]bool {
	found := map[string]bool{}
	everyAttribute("", s.Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
		if a.NestedType == nil {
			found[at] = true
		}
	})
	return found
}

// fieldAt is where a field is: an attribute, below the components that have it.
type fieldAt struct {
	field     string
	assumed   bool
	attribute string // without the path of the list that the component shows
	in        []shapePlace
	everyone  bool // all components of the shape have it
}

// fieldsOf puts the fields of a shape beside the attributes.
func fieldsOf(t *testing.T, shape sandbox.Shape) []fieldAt {
	t.Helper()
	row, known := shapeRows[shape.Name], components(t)
	var out []fieldAt
	for i, field := range slices.Concat(shape.Fields, shape.Assumed) {
		at := fieldAt{field: field, assumed: i >= len(shape.Fields), attribute: row.renamed[field], everyone: true}
		if at.attribute == "" {
			at.attribute = message.SnakeCase(field)
		}
		for _, place := range row.in {
			schema := known[place.component]
			if schema == nil {
				t.Fatalf("%s: there is no %s", shape.Name, place.component)
			}
			if leaves(schema)[place.under+at.attribute] {
				at.in = append(at.in, place)
			} else {
				at.everyone = false
			}
		}
		out = append(out, at)
	}
	return out
}

func TestCoverage_hasAnAttributeForEveryField(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, shape := range sandbox.Shapes() {
		named[shape.Name] = true
		fields := map[string]bool{}
		for _, at := range fieldsOf(t, shape) {
			fields[at.field] = true
			if len(at.in) == 0 {
				t.Errorf("%s: nothing has an attribute %s for %s", shape.Name, at.attribute, at.field)
			}
		}
		for field := range shapeRows[shape.Name].renamed {
			if !fields[field] {
				t.Errorf("%s has no field %s", shape.Name, field)
			}
		}
	}
	for name := range shapeRows {
		if !named[name] {
			t.Errorf("there is no object %s", name)
		}
	}
}

func TestCoverage_hasARowForEveryEnumAndTransition(t *testing.T) {
	t.Parallel()
	enums := map[string]bool{}
	for _, words := range sandbox.Vocabulary() {
		enums[words.Name] = true
		row := wordRows[words.Name]
		if row.where == "" {
			t.Errorf("%s has no row", words.Name)
		}
		for word := range row.meaning {
			if !slices.Contains(words.Words, word) {
				t.Errorf("%s has no value %s", words.Name, word)
			}
		}
		for _, word := range words.Words {
			if len(row.meaning) > 0 && row.meaning[word] == "" {
				t.Errorf("%s: nothing is said of %s", words.Name, word)
			}
		}
	}
	for name := range wordRows {
		if !enums[name] {
			t.Errorf("there is no enum %s", name)
		}
	}
	for _, tr := range sandbox.Transitions() {
		if transitionRows[tr].text == "" {
			t.Errorf("the transition %v has no row", tr)
		}
	}
	if got, want := len(transitionRows), len(sandbox.Transitions()); got != want {
		t.Errorf("%d rows of transitions, want %d", got, want)
	}
}

// reached is what a run brought into the state: values by component and path.
type reached map[component]map[string]map[string]bool

func (r reached) add(c component, at string, value any) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for name, v := range value {
			r.add(c, strings.TrimPrefix(at+"."+name, "."), v)
		}
	case []any:
		for _, v := range value {
			r.add(c, at, v)
		}
	default:
		if value == "" {
			return
		}
		if r[c] == nil {
			r[c] = map[string]map[string]bool{}
		}
		if r[c][at] == nil {
			r[c][at] = map[string]bool{}
		}
		r[c][at][fmt.Sprint(value)] = true
	}
}

// read adds what is in the state of a workspace.
func (r reached) read(t *testing.T, w *acctest.Workspace) {
	t.Helper()
	var shown struct {
		Values struct {
			Root struct {
				Resources []struct {
					Mode   string         `json:"mode"`
					Type   string         `json:"type"`
					Values map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	w.MustDecode(&shown, "show", "-json")
	for _, one := range shown.Values.Root.Resources {
		kind := map[string]string{"managed": "resource ", "data": "data source "}[one.Mode]
		r.add(component(kind+one.Type), "", one.Values)
	}
}

// coverageWorkspace holds the configuration that has everything, for an account
// that holds everything.
func coverageWorkspace(t *testing.T, s *sandbox.Server) *acctest.Workspace {
	t.Helper()
	w := acctest.ExampleWorkspace(t, s, filepath.Join("testdata", "coverage"))
	if !w.Cli.AtLeast(1, 11) {
		removeFile(t, filepath.Join(w.Dir, "certificate.tf"))
	}
	received, err := json.Marshal(seedEverything(s))
	if err != nil {
		t.Fatal(err)
	}
	w.Environ = append(w.Environ, "TF_VAR_company="+s.OwnerCompanyID(), "TF_VAR_received="+string(received))
	return w
}

// reachedByRuns says which endpoints only something newer than this CLI, or
// nothing that a run does by itself, requests: their rows name a test instead.
func (r endpointRow) reachedByRuns() bool {
	return slices.ContainsFunc(r.in, func(c component) bool { return c.kind() == "resource" || c.kind() == "data source" })
}

func TestCoverage_rowsThatARunDoesNotReachNameTheirTest(t *testing.T) {
	t.Parallel()
	for at, row := range endpointRows {
		if named := row.test != ""; len(row.in) > 0 && !row.reachedByRuns() && !named {
			t.Errorf("%s: which test exercises it?", at)
		}
	}
}

func TestAccCoverage_everyRowIsExercised(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := coverageWorkspace(t, s)
	state := reached{}
	for step := 1; step <= 2; step++ {
		w.MustRun("apply", "-auto-approve", "-input=false", fmt.Sprintf("-var=step=%d", step))
		state.read(t, w)
		for _, model := range []string{einvoice.ModelProduct, einvoice.ModelConsumer} {
			// Drafts of these are not documented; the service may have them all the same.
			s.SetInvoiceStatus(fmt.Sprint(s.InvoicesByIntegrationID("draft-" + model)[0]["id"]), "created")
		}
	}
	w.MustRun("apply", "-auto-approve", "-input=false", "-var=step=2")
	w.MustRun("destroy", "-auto-approve", "-input=false", "-var=step=2")

	t.Run("every endpoint is requested", func(t *testing.T) {
		t.Parallel()
		answered := map[string]bool{}
		for _, r := range s.Requests() {
			if r.Status/100 == 2 {
				answered[s.RouteOf(r.Method, r.Path)] = true
			}
		}
		for _, at := range slices.Sorted(maps.Keys(endpointRows)) {
			row := endpointRows[at]
			if strings.HasSuffix(at, "/certificates") && !w.Cli.AtLeast(1, 11) {
				continue
			}
			if reaches := row.reachedByRuns(); reaches != answered[at] {
				t.Errorf("%s was requested: %t, and the guide says %t", at, answered[at], reaches)
			}
		}
	})
	t.Run("every field reaches the state", func(t *testing.T) {
		t.Parallel()
		for _, shape := range sandbox.Shapes() {
			if shape.Kind == sandbox.KindCertificates && !w.Cli.AtLeast(1, 11) {
				continue
			}
			for _, at := range fieldsOf(t, shape) {
				for _, place := range at.in {
					if path := place.under + at.attribute; len(state[place.component][path]) == 0 && shapeRows[shape.Name].unfilled[at.field] != place.component {
						t.Errorf("%s: %s never came to %s in %s", shape.Name, at.field, path, place.component)
					}
				}
			}
		}
	})
	t.Run("every value of an enum reaches the state", func(t *testing.T) {
		t.Parallel()
		for _, words := range sandbox.Vocabulary() {
			row := wordRows[words.Name]
			for _, word := range words.Words {
				if row.test == "" && !state[row.in][row.attribute][word] {
					t.Errorf("%s: %s never came to %s in %s", words.Name, word, row.attribute, row.in)
				}
			}
		}
	})
	for _, field := range s.UnknownFields() {
		t.Errorf("the service does not know %v", field)
	}
}

func TestCoverage_isInTheGuide(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(coverageGuide)
	if err != nil {
		t.Fatal(err)
	}
	want := coverageTables(t)
	if *coverageOut != "" {
		head, tail, err := aroundTables(string(content))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*coverageOut, []byte(head+coverageBegin+"\n"+want+"\n"+coverageEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !strings.Contains(string(content), coverageBegin+"\n"+want+"\n"+coverageEnd) {
		t.Errorf("the tables in %s are not those of the tests; the line before them says how to write them", coverageGuide)
	}
}
