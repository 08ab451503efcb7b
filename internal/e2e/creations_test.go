package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestCreations_sayHowToImportWhatExists(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const url, block = "https://erp.example/hooks?token=s3cr3t", `import \{\s+to = einvoice_%s\.NAME\s+id = "%s"\s+\}`
	for kind, test := range rows.Read[map[string]struct {
		Arguments, Held map[string]any
		Title           string
	}](t, "creations_say_how_to_import_what_exists.json") {
		want := func(status int, advice, id string) {
			t.Helper()
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "POST", Path: "/v1/" + kind + "s", Status: status, Message: "It exists."})
			_, said := testkit.Serve(t, s, nil).Object("einvoice_" + kind).Create(test.Arguments)
			text := testkit.ErrorsIn(said)
			pattern := `(?s)` + test.Title + `API message: It exists\..*` + advice + `.*` + fmt.Sprintf(block, kind, id)
			if !regexp.MustCompile(pattern).MatchString(text) || strings.Contains(text, "s3cr3t") {
				t.Errorf("the error is %q, want %s", text, pattern)
			}
		}
		want(409, "Look up its id", "ID")
		id := s.Seed(kind+"s", test.Held)
		want(409, "Import it instead of creating it:", id)
		want(422, "Import it instead of creating it:", id)
		second := s.Seed(kind+"s", test.Held)
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
