package settings_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// What the back office has set stays, although the configuration says otherwise, also where its block is written for
// another reason. The plan does not show it: that is what ignore_changes is for.
func TestCompanySettings_whatIsIgnoredStaysAsTheServiceHasIt(t *testing.T) {
	t.Parallel()
	for ignored, test := range map[string]struct {
		before, after string // configurations
		at            string // what the back office sets between them
		held          any    // its value
	}{
		"service_invoice.environment_type": {
			`service_invoice = { environment_type = "production", series = "1" }`,
			`service_invoice = { environment_type = "production", series = "2" }`, "serviceInvoice.environmentType", "development",
		},
		"service_invoice": {
			`service_invoice = { series = "1" }` + "\n" + series3,
			`service_invoice = { series = "9", environment_type = "production" }`, "serviceInvoice.series", "3",
		},
		"product_invoice.next_number": {
			`product_invoice = { next_number = 5, series = "1" }`,
			`product_invoice = { next_number = 500, series = "2" }`, "productInvoice.nextNumber", json.Number("7"),
		},
		"extra_json": {
			`extra_json = jsonencode({ general = { roundingTolerance = 1 } })` + "\n" + `general = { decimal_precision = 2 }`,
			`extra_json = jsonencode({ general = { roundingTolerance = 9 } })` + "\n" + `general = { decimal_precision = 3 }`,
			"general.roundingTolerance", json.Number("2"),
		},
		"secrets": {
			`secrets = { csc_wo = "SECRET-CSC", csc_wo_version = "1" }` + "\n" + `consumer_invoice = { series = "1" }`,
			`secrets = { csc_wo = "NEVER-SENT", csc_wo_version = "2" }` + "\n" + `consumer_invoice = { series = "2" }`,
			"consumerInvoice.csc", "OTHER-CSC",
		},
		"consumer_invoice.csc": {
			`consumer_invoice = { csc = "SECRET-CSC", series = "1" }`,
			`consumer_invoice = { csc = "NEVER-SENT", series = "2" }`, "consumerInvoice.csc", "OTHER-CSC",
		},
	} {
		t.Run(ignored, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{SecretReads: sandbox.SecretsClear})
			o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
			if errors, _ := create(s, o, test.before); errors != "" {
				t.Fatal(errors)
			}
			block, field, _ := strings.Cut(test.at, ".")
			set(s, block, field, test.held)
			o.MustNotFail(o.Refresh())
			_, failed := ignoring(s, o, ignored, test.after)
			if failed != "" {
				t.Fatal(failed)
			}
			wantHeld(t, s, map[string]any{test.at: test.held})
		})
	}
}

// ignoring plans and applies a configuration in which a path is ignored.
func ignoring(s *sandbox.Server, o *testkit.Object, at, arguments string) (planned bool, failed string) {
	config := o.Value(o.Type, o.Arguments(fmt.Sprintf("company_id = %q\n%s", s.OwnerCompanyID(), arguments)))
	plan, said := o.Plan(o.Ignoring(at, config))
	if failed = testkit.ErrorsIn(said); failed != "" {
		return false, failed
	}
	return true, testkit.ErrorsIn(o.Apply(config, plan))
}

// Core hands a null beside the version of a secret that is ignored. So a block that needs the secret is refused in plan,
// and everything else goes on.
func TestCompanySettings_ignoredSecretsRefuseOnlyABlockThatNeedsThem(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	arguments := func(csc, version, consumer, product string) string {
		return fmt.Sprintf("secrets = { csc_wo = %q, csc_wo_version = %q }\nconsumer_invoice = { series = %q, token_id = \"1\" }\n"+
			"product_invoice = { series = %q }", csc, version, consumer, product)
	}
	if errors, _ := create(s, o, arguments("SECRET-CSC", "1", "1", "1")); errors != "" {
		t.Fatal(errors)
	}
	for _, step := range []struct{ version, consumer, product, fails string }{
		{"1", "1", "1", ""}, // Only ignored.
		{"2", "1", "1", ""},
		{"2", "1", "2", ""}, // Another block.
		{"2", "2", "2", "Secret that the service does not show.*`consumer_invoice`.*ignore_changes"},
	} {
		o.MustNotFail(o.Refresh())
		isPlanned, failed := ignoring(s, o, "secrets", arguments("NEVER-SENT", step.version, step.consumer, step.product))
		if (step.fails == "") != isPlanned || !regexp.MustCompile("(?s)^"+step.fails).MatchString(failed) || failed != "" && step.fails == "" {
			t.Errorf("%v: planned is %v, failed with %q", step, isPlanned, failed)
		}
	}
	_, destroyed := o.PlanDestroy()
	o.MustNotFail(destroyed)
	wantHeld(t, s, map[string]any{"consumerInvoice.csc": "SECRET-CSC", "consumerInvoice.series": "1", "productInvoice.series": "2"})
}

// A secret in state that is ignored is not sent either: what the service holds in its place cannot be read.
func TestCompanySettings_anIgnoredSecretIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	o := testkit.Serve(t, s, nil).Object("einvoice_company_settings")
	if errors, _ := create(s, o, `consumer_invoice = { csc = "SECRET-CSC", series = "1" }`); errors != "" {
		t.Fatal(errors)
	}
	set(s, "consumerInvoice", "csc", "SECOND-CSC")
	_, failed := ignoring(s, o, "consumer_invoice.csc", `consumer_invoice = { csc = "NEVER-SENT", series = "2" }`)
	if !strings.Contains(failed, "Secret that the service does not show") || !strings.Contains(failed, "ignore_changes") {
		t.Errorf("the apply fails with %q", failed)
	}
	wantHeld(t, s, map[string]any{"consumerInvoice.csc": "SECOND-CSC", "consumerInvoice.series": "1"})
	if state := o.State(); testkit.At(state, "consumer_invoice.series") != "1" {
		t.Errorf("the state is %v", state)
	}
}
