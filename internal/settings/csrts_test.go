package settings_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCompanySettings_csrtsAreWriteOnly(t *testing.T) {
	t.Parallel()
	const unreadable = "holds, or may hold, a `csrts` in it.*Set `secrets.csrts_wo` with `secrets.csrts_wo_version` to the value that is in use"
	for reads, lost := range map[string]string{ // What is said when the block is to be written without them.
		sandbox.SecretsMasked: unreadable, sandbox.SecretsHidden: unreadable, sandbox.SecretsAbsent: unreadable, sandbox.SecretsCut: unreadable, sandbox.SecretsClear: "",
	} {
		t.Run(reads, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{SecretReads: reads})
			general := func(code, version string, precision int) string {
				return fmt.Sprintf("general = {\n decimal_precision = %d\n technical_responsible = { contact_name = \"Ana\" }\n}\n"+
					"secrets = { csrts_wo = \"[{\\\"id\\\":1,\\\"code\\\":\\\"%s\\\"}]\", csrts_wo_version = %q }", precision, code, version)
			}
			holds := func(code string, writes int) func() {
				return func() {
					t.Helper()
					responsible, _ := held(s, "general", "technicalResponsible").(map[string]any)
					if diff := cmp.Diff(fmt.Sprintf("[map[code:%s id:1]]", code), fmt.Sprint(responsible["csrts"])); diff != "" || responsible["contactName"] != "Ana" {
						t.Errorf("the responsible is %v, the codes (-want +got):\n%s", responsible, diff)
					}
					fixture.WantWrites(t, s, writes)
				}
			}
			runSteps(t, s,
				testkit.Step{Arguments: general("FIRST-CODE", "1", 3), State: map[string]any{"secrets.csrts_wo": nil, "secrets.csrts_wo_version": "1"}},
				testkit.Step{Before: holds("FIRST-CODE", 1), Arguments: general("OTHER-CODE", "1", 3)},
				testkit.Step{Before: holds("FIRST-CODE", 1), Arguments: general("OTHER-CODE", "2", 3), Plans: update},
				testkit.Step{Before: holds("OTHER-CODE", 2), Arguments: general("OTHER-CODE", "2", 4), Plans: update},
				testkit.Step{Before: holds("OTHER-CODE", 3), Arguments: "general = { decimal_precision = 5 }", Fails: lost},
			)
			if lost == "" {
				holds("OTHER-CODE", 4)()
			} else {
				holds("OTHER-CODE", 3)()
			}
		})
	}
}
