package testkit

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Twins are two new objects of one run, and what the plan of the second one warns of.
type Twins struct {
	Name          string
	First, Second map[string]any // arguments beside the name
	Want          string         // how the warning begins; none where it is empty
}

// WantTwins checks what the plans say of new objects that are alike, without asking
// the service.
func WantTwins(t *testing.T, kind string, pairs []Twins) {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	for _, pair := range pairs {
		t.Run(pair.Name, func(t *testing.T) {
			p := Serve(t, s, nil)
			first, second := p.Object(kind), p.Object(kind)
			pair.First["name"], pair.Second["name"] = "First", "Second"
			first.MustPlan(first.Value(first.Type, pair.First))
			_, said := second.Plan(second.Value(second.Type, pair.Second))
			text := TextsOf(said)
			if len(said) != min(1, len(pair.Want)) || !strings.HasPrefix(text, pair.Want) || ErrorsIn(said) != "" {
				t.Errorf("the plan says %q, want a warning that begins with %q", text, pair.Want)
			}
		})
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent while planning creations", n)
	}
}
