package e2e_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// The nouns, which provider registers. None imports another: what several of them share
// is in a room below.
const nouns = "certificate company customer inbound invoice letter month order product reference rotation settings webhook"

// The arrows between the rooms, from the top to the bottom: a room imports the
// rooms beside it and no other. A room that is not here, or an arrow that nobody
// uses any more, fails too. In parentheses stand the rooms that know no Terraform:
// they import the modules that follow and none else.
const arrows = `
.          provider
provider   ` + nouns + ` attribute einvoice fiscal functions journal message pace poll session text say

inbound    issuance engine session shown attribute message text once journal einvoice fiscal poll say
letter     session attribute message text once journal einvoice say
order      issuance engine session attribute message text einvoice jsontree say
invoice    issuance engine session shown attribute message einvoice fiscal jsontree text say
rotation   session attribute message text once journal einvoice say

certificate session shown attribute message einvoice poll text say
company    object session attribute message einvoice fiscal text say
customer   object session attribute message einvoice
month      session attribute message einvoice text say
product    object session attribute message einvoice
reference  session shown attribute message einvoice text say
settings   session attribute message einvoice jsontree text say
webhook    object session shown attribute message einvoice text say

issuance   engine session attribute message journal einvoice fiscal poll text say
object     session attribute einvoice
session    attribute message once journal einvoice fiscal poll text say
shown      attribute einvoice
attribute  message einvoice fiscal jsontree text say
message    journal einvoice fiscal plain text say
functions  fiscal jsontree text say

(engine)   once journal einvoice fiscal jsontree poll : github.com/hashicorp/terraform-plugin-log/tflog
(once)     journal poll
(einvoice) fiscal jsontree pace plain poll : github.com/google/uuid github.com/hashicorp/go-cleanhttp golang.org/x/net golang.org/x/text
(journal)  plain poll : github.com/gofrs/flock github.com/jackc/pgx
(fiscal)   jsontree text : github.com/agext/levenshtein golang.org/x/text
(jsontree) text : golang.org/x/text
(pace)     poll
(poll)
(plain)

say        text
text

(sandbox)  fiscal sandbox/page : github.com/google/uuid github.com/standard-webhooks/standard-webhooks software.sslmate.com/src/go-pkcs12
(sandbox/page) text

cli
testkit    cli testkit/fixture message provider sandbox
testkit/fixture testkit/fixture/postgres einvoice poll sandbox
testkit/fixture/postgres cli
testkit/expect
testkit/rows
pace/pacetest
once/oncetest once journal einvoice poll
cmd/check  einvoice fiscal poll text
cmd/clis   cli
cmd/demo   cli sandbox text
cmd/install cli
cmd/release
cmd/sandbox sandbox sandbox/page text
cmd/schema provider
tools/compare fiscal
e2e
`

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
	for line := range strings.Lines(arrows) {
		rooms, modules, _ := strings.Cut(line, ":")
		fields := strings.Fields(rooms)
		if len(fields) == 0 {
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
				if !slices.Contains(fields[1:], name) {
					t.Errorf("%s imports %s, which its line does not name", room, name)
				}
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
