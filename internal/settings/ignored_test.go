package settings_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

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
