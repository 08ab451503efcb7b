package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A CLI that is killed after the answer to a creation has no state of it. The next
// run takes over what the journal remembers, until a state was seen that holds it.
func TestAccCreations_areTakenOverFromARunWithoutState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, aliasOf(s, "second", "")+`
resource "einvoice_customer" "test" {
  count = 2
  name  = "Padaria"
}
resource "einvoice_customer" "second" {
  provider = einvoice.second
  name     = "Padaria"
}`), "")
	state := filepath.Join(w.Dir, "terraform.tfstate")
	apply := func(when string, customers int, adopts bool) {
		t.Helper()
		if said := w.MustApply(); strings.Contains(said, "Adopted customer Padaria") != adopts {
			t.Errorf("%s says that something is taken over: %t\n%s", when, !adopts, said)
		}
		if n := len(s.Objects(sandbox.KindCustomers)); n != customers {
			t.Errorf("%s: %d customers, want %d", when, n, customers)
		}
	}
	apply("the first run, with equal blocks", 3, false)
	removeFile(t, state)
	apply("the run after a kill", 3, true)
	w.MustPlanNothing() // This tells the journal that a state holds them.
	removeFile(t, state)
	apply("the run after a lost state", 6, false)
}

// What names a product is its code, and a customer its tax number: all else may be corrected after a kill.
func TestAccCreations_areTakenOverAfterACorrection(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct{ killed, corrected, another, field string }{
		"product": {
			"name = \"Pao\"\ncode = \"P-1\"\nprice = 19.9", "name = \"Pão\"\ncode = \"P-1\"\nprice = 21", "name = \"Broa\"\ncode = \"P-2\"", "price",
		},
		"customer": {
			"name = \"Padaria\"\nfederal_tax_number = \"11222333000181\"\nemail = \"a@example.com\"",
			"name = \"Padaria Central\"\nfederal_tax_number = \"11.222.333/0001-81\"\nemail = \"b@example.com\"",
			"name = \"Padaria, filial\"\nfederal_tax_number = \"11222333000181\"", "email",
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			block := func(name, arguments string) string {
				return fmt.Sprintf("resource \"einvoice_%s\" %q {\n%s\n}\n", kind, name, arguments)
			}
			w := testkit.NewWorkspace(t, testkit.Config(s, block("test", test.killed)), "")
			testkit.KilledDuring(t, w, s, "POST", "/v1/"+kind+"s")
			killed := s.Objects(kind + "s")
			w.Write(testkit.Config(s, block("test", test.corrected)))
			w.MustApply()
			if now := s.Objects(kind + "s"); len(killed) != 1 || len(now) != 1 || now[0][test.field] == killed[0][test.field] {
				t.Errorf("the killed run has made %v, and the next one leaves %v", killed, now)
			}
			w.Write(testkit.Config(s, block("test", test.corrected)+block("another", test.another)))
			w.MustApply()
			if n := len(s.Objects(kind + "s")); n != 2 {
				t.Errorf("with another block there are %d", n)
			}
			w.MustPlanNothing()
		})
	}
}

func TestCreations_sayHowToImportWhatExists(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, block = "https://erp.example/hooks?token=s3cr3t", `import \{\s+to = einvoice_%s\.NAME\s+id = "%s"\s+\}`
	for kind, test := range map[string]struct {
		arguments, held map[string]any
		title           string
	}{
		"customer": {
			map[string]any{"name": "Padaria", "federal_tax_number": "11.222.333/0001-81"},
			map[string]any{"name": "Another name", "federalTaxNumber": "11222333000181"},
			`Customer Padaria \(11222333000181\) already exists: `,
		},
		"product": {map[string]any{"name": "Pão", "code": "P-1"}, map[string]any{"code": "P-1"}, `Product P-1 \(Pão\) already exists: `},
		"webhook": {
			map[string]any{"event": "invoice.authorized", "url": url},
			map[string]any{"event": "invoice.authorized", "url": url},
			`Webhook for invoice\.authorized to https://erp\.example/hooks\?\.\.\. already exists: `,
		},
	} {
		want := func(status int, advice, id string) {
			t.Helper()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: "/v1/" + kind + "s", Status: status, Message: "It exists."})
			_, said := testkit.Serve(t, s, nil).Object("einvoice_" + kind).Create(test.arguments)
			text := testkit.ErrorsIn(said)
			pattern := `(?s)` + test.title + `API message: It exists\..*` + advice + `.*` + fmt.Sprintf(block, kind, id)
			if !regexp.MustCompile(pattern).MatchString(text) || strings.Contains(text, "s3cr3t") {
				t.Errorf("the error is %q, want %s", text, pattern)
			}
		}
		want(409, "Look up its id", "ID")
		id := s.Seed(kind+"s", test.held)
		want(409, "Import it instead of creating it:", id)
		want(422, "Import it instead of creating it:", id)
		second := s.Seed(kind+"s", test.held)
		want(409, "has 2 that match: "+id+", "+second, id)
	}
}

// What is found again after a lost answer is as wanted, however its arguments are spelled.
func TestLostCreations_updateNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST"})
	created(testkit.Serve(t, s, nil), "customer", object{
		"name": "C 0", "phone": "(11) 91234-5678", "address": object{"postal_code": "01310-100"},
	})
	if n := s.Count("PUT", ""); n != 0 {
		t.Errorf("%d updates of what is as wanted already", n)
	}
}
