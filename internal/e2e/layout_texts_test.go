package e2e_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A heredoc is how Terraform users write text. The layout of the NF-e has no line breaks.
func TestTexts_warnOfWhatTheLayoutRefuses(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for kind, of := range rows.Read[map[string]struct {
		Valid  object
		Values []struct{ At, Value, Want string } // what the warning says; "" for none
	}](t, "texts_warn_of_what_the_layout_refuses.json") {
		for _, test := range of.Values {
			arguments, o := maps.Clone(of.Valid), p.Object(kind)
			testkit.Set(arguments, test.At, test.Value)
			_, diagnostics := o.Plan(o.Value(o.Type, arguments))
			said := ""
			for _, d := range diagnostics {
				if strings.HasPrefix(d.Summary, "Text that an invoice may not carry") {
					said += d.Detail
				}
			}
			if (said != "") != (test.Want != "") || !strings.Contains(said, test.Want) {
				t.Errorf("%s.%s: %q is answered with %q, want %q", kind, test.At, test.Value, said, test.Want)
			}
		}
	}
}
