package settings_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func TestCompanySettings_csrtsAreWriteOnly(t *testing.T) {
	t.Parallel()
	const unreadable = "holds a `csrts` in it, or may.*Set `secrets.csrts_wo` with `secrets.csrts_wo_version` to the value that is in use"
	for reads, lost := range map[string]string{ // What is said when the block is to be written without them.
		sandbox.SecretsMasked: unreadable, sandbox.SecretsHidden: unreadable, sandbox.SecretsAbsent: unreadable, sandbox.SecretsNull: unreadable, sandbox.SecretsCut: unreadable, sandbox.SecretsClear: "",
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
					if n := fixture.CountWrites(s); n != writes {
						t.Errorf("%d writes by now, want %d", n, writes)
					}
				}
			}
			runSteps(t, s,
				acctest.Step{Arguments: general("FIRST-CODE", "1", 3), State: map[string]any{"secrets.csrts_wo": nil, "secrets.csrts_wo_version": "1"}},
				acctest.Step{Before: holds("FIRST-CODE", 1), Arguments: general("OTHER-CODE", "1", 3)},
				acctest.Step{Before: holds("FIRST-CODE", 1), Arguments: general("OTHER-CODE", "2", 3), Plans: update},
				acctest.Step{Before: holds("OTHER-CODE", 2), Arguments: general("OTHER-CODE", "2", 4), Plans: update},
				acctest.Step{Before: holds("OTHER-CODE", 3), Arguments: "general = { decimal_precision = 5 }", Fails: lost},
			)
			if lost == "" {
				holds("OTHER-CODE", 4)()
			} else {
				holds("OTHER-CODE", 3)()
			}
		})
	}
}

func TestCompanySettings_csrtsThatAreGoneAreSentAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	const configured = `secrets = { csrts_wo = "[\"ANY-CODE\"]", csrts_wo_version = "1" }`
	runSteps(t, s,
		acctest.Step{Arguments: configured},
		acctest.Step{Before: func() { set(s, "general", "technicalResponsible", nil) }, Arguments: configured, Plans: update},
		acctest.Step{Arguments: configured, Before: func() {
			if responsible, _ := held(s, "general", "technicalResponsible").(map[string]any); fmt.Sprint(responsible["csrts"]) != "[ANY-CODE]" {
				t.Errorf("the service holds %v", responsible)
			}
		}},
	)
	if n := fixture.CountWrites(s); n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}

// Codes that somebody else set go back as they were read, or nothing is sent.
func TestCompanySettings_csrtsOfOthersAreNotLost(t *testing.T) {
	t.Parallel()
	for reads, fails := range map[string]string{sandbox.SecretsMasked: "holds a `csrts`", sandbox.SecretsCut: "holds a `csrts`", sandbox.SecretsClear: ""} {
		t.Run(reads, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{SecretReads: reads})
			set(s, "general", "technicalResponsible", map[string]any{"csrts": []any{map[string]any{"id": 1, "code": "THEIR-CODE"}}})
			runSteps(t, s, acctest.Step{Arguments: `general = { decimal_precision = 5 }`, Fails: fails})
			if responsible, _ := held(s, "general", "technicalResponsible").(map[string]any); fmt.Sprint(responsible["csrts"]) != "[map[code:THEIR-CODE id:1]]" {
				t.Errorf("the service holds %v", responsible)
			}
		})
	}
}

func TestCompanySettings_refusesWrongCSRTs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ arguments, want string }{
		"no list":         {`secrets = { csrts_wo = "{}", csrts_wo_version = "1" }`, "must be a JSON list"},
		"no JSON":         {`secrets = { csrts_wo = "[", csrts_wo_version = "1" }`, "must be a JSON list"},
		"no version":      {`secrets = { csrts_wo = "[1]" }`, "csrts_wo_version"},
		"another way":     {"secrets = { csrts_wo = \"[1]\", csrts_wo_version = \"1\" }\nextra_json = \"{\\\"general\\\":{\\\"technicalResponsible\\\":{\\\"csrts\\\":[2]}}}\"", "Take it out of `extra_json`"},
		"null, a version": {`secrets = { csrts_wo_version = "1" }`, "sends `secrets.csrts_wo`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			runSteps(t, s, acctest.Step{Arguments: test.arguments, PlanOnly: true, Fails: test.want})
			if n := fixture.CountWrites(s); n != 0 {
				t.Errorf("%d writes, want none", n)
			}
		})
	}
}
