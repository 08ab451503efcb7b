package e2e_test

import (
	"encoding/csv"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// A statement of the specification that nothing meets any more, or that no test shows, is a row without its file or test.
func TestSpecification_eachStatementNamesWhereItIsMetAndItsTest(t *testing.T) {
	t.Parallel()
	const leftOut = "left out"
	root, tests := filepath.Join("..", ".."), map[string]bool{leftOut: true}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(source, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	expect.NoError(t, err)
	table, err := csv.NewReader(strings.NewReader(fileText(t, filepath.Join("testdata", "specification.csv")))).ReadAll()
	expect.NoError(t, err)
	var sections []string
	seen := map[string]bool{}
	for _, row := range table[1:] {
		section, statement, met, shown := row[0], row[1], row[2], row[3]
		if _, err := os.Stat(filepath.Join(root, met)); err != nil || (shown == leftOut) != strings.HasSuffix(met, "interface-coverage.md") {
			t.Errorf("%s: it is not met in %s: %v", statement, met, err)
		}
		expect.True(t, tests[shown], "%s: there is no test %s", statement, shown)
		expect.False(t, seen[statement], "%s: it is there twice", statement)
		seen[statement] = true
		sections = append(sections, section)
	}
	specified := fileText(t, filepath.Join("testdata", "specification_sections.txt"))
	expect.Same(t, specified, strings.Join(slices.Compact(sections), "\n")+"\n", "the sections, in their order")
}

// Each field that the specification shows is an attribute of the same name, with the value that the service shows.
func TestSpecification_eachFieldReachesTheState(t *testing.T) {
	t.Parallel()
	var held map[string]object
	expect.NoError(t, json.Unmarshal([]byte(fileText(t, filepath.Join("testdata", "coverage", "account.json"))), &held))
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSyncStatus(s.OwnerCompanyID(), held["sync"])
	p := testkit.Serve(t, s, nil)
	seed := func(kind, name string) object { return object{"id": s.Seed(kind, held[name])} }
	received := func(model string) object {
		return object{"id": s.SeedInbound(s.OwnerCompanyID(), held[model]), "model": model}
	}
	s.Seed(sandbox.KindDisablements, held["disablement"])
	for name, test := range map[string]struct {
		source    string
		arguments object
		below     string
	}{
		"customer":       {"customer", seed(sandbox.KindCustomers, "customer"), ""},
		"company":        {"company", seed(sandbox.KindCompanies, "company"), ""},
		"invoice":        {"invoice", with(seed(sandbox.KindProductInvoices, "invoice"), object{"model": "productInvoice"}), ""},
		"productInvoice": {"inbound_invoice", received("productInvoice"), ""},
		"serviceInvoice": {"inbound_invoice", received("serviceInvoice"), ""},
		"sync":           {"inbound_sync_status", nil, ""},
		"disablement":    {"disablements", nil, "disablements"},
	} {
		state, failed := p.ReadData("einvoice_"+test.source, test.arguments)
		if failed != "" {
			t.Fatal(failed)
		}
		if list, _ := state[test.below].([]any); len(list) > 0 {
			state, _ = list[0].(object)
		}
		wantAttributes(t, name, held[name], state)
	}
}

// inCamel are the borders of words in the service's names.
var inCamel = regexp.MustCompile(`([a-z])([A-Z])`)

// wantAttributes compares each value of the service with the attribute of its name; a code may be a number there.
func wantAttributes(t *testing.T, at string, fields, attributes object) {
	t.Helper()
	for name, want := range fields {
		got := attributes[strings.ToLower(inCamel.ReplaceAllString(name, "${1}_$2"))]
		if inner, ok := want.(object); ok {
			below, _ := got.(object)
			wantAttributes(t, at+"."+name, inner, below)
			continue
		}
		shown, err := json.Marshal(got)
		expect.NoError(t, err)
		sent, _ := json.Marshal(want)
		expect.Is(t, strings.Trim(string(shown), `"`), strings.Trim(string(sent), `"`), "%s.%s", at, name)
	}
}

// The nouns, which provider registers. None imports another: what several of them share is in a room below.
const nouns = "certificate company customer inbound invoice letter month order product reference rotation settings webhook"

// The rooms that compute and neither read nor wait.
var pure = []string{"fiscal", "functions", "jsontree", "plain"}

func TestArrows(t *testing.T) {
	t.Parallel()

	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, ".", "./internal/...")
	list.Dir = "../.."
	said, err := cli.Output(list)
	expect.NoError(t, err)
	imports := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(said), "github.com/einvoice-br/terraform-provider-einvoice", ".")) {
		fields := strings.Fields(strings.ReplaceAll(line, "./internal/", ""))
		imports[fields[0]] = fields[1:]
	}

	tabled := map[string]bool{}
	for line := range strings.Lines(fileText(t, filepath.Join("testdata", "arrows.txt"))) {
		rooms, modules, _ := strings.Cut(line, ":")
		fields := strings.Fields(rooms)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		room := strings.Trim(fields[0], "()")
		unused := slices.Clone(fields[1:])
		got, there := imports[room]
		expect.True(t, there, "there is no room %q", room)
		tabled[room] = true
		for _, name := range got {
			first, _, nested := strings.Cut(name, "/")
			outside := nested && strings.Contains(first, ".")
			_, own := imports[name]
			if all := strings.Fields(nouns); slices.Contains(all, room) && slices.Contains(all, name) {
				t.Errorf("%s imports %s: no noun imports another", room, name)
			}
			switch {
			case own || slices.Contains(fields[1:], name):
				expect.True(t, slices.Contains(fields[1:], name),
					"%s imports %s, which its line does not name", room, name)
				unused = slices.DeleteFunc(unused, func(used string) bool { return used == name })
			case outside && strings.HasPrefix(fields[0], "(") && !slices.ContainsFunc(strings.Fields(modules), func(module string) bool { return strings.HasPrefix(name, module) }):
				t.Errorf("%s imports %s", room, name)
			case slices.Contains(pure, room) && slices.Contains([]string{"net", "net/http", "os", "time"}, name):
				t.Errorf("%s imports %s: it only computes", room, name)
			}
		}
		expect.False(t, len(unused) > 0, "the line of %s names what it does not import: %v", room, unused)
	}
	for room := range imports {
		expect.True(t, tabled[room], "%s has no line", room)
	}
}
