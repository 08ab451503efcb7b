package e2e_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

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
