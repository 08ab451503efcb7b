package order_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// sellOutside records t-1 as no configuration did.
func sellOutside(t *testing.T, s *sandbox.Server, body string) {
	t.Helper()
	client := fixture.OwnerClient(t, s)
	if _, err := client.CreateOrder(t.Context(), einvoice.Order{TransactionID: "t-1"}, json.RawMessage(body)); err != nil {
		t.Fatal(err)
	}
}

const soldOutside = `{"amount":100,"sendEmailToCustomer":true,"autoIssueMode":"disabled","customer":{"name":"Maria","federalTaxNumber":"52998224725"},
"items":[{"quantity":4,"price":25,"amount":100,"product":{"code":"S1","name":"Consulta","invoiceModel":"serviceInvoice"}}]}`

func TestAccOrder_imports(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	sellOutside(t, s, soldOutside)
	imported := func(amount int) string {
		body := regexp.MustCompile(`= 100`).ReplaceAllString(acctest.OrderBody(`auto_issue_mode = "disabled"`), fmt.Sprint("= ", amount))
		return acctest.Config(s, regexp.MustCompile(`= 25`).ReplaceAllString(body, fmt.Sprint("= ", amount/4))+"\nimport {\n to = einvoice_order.test\n id = \"transaction_id=t-1\"\n}")
	}
	acctest.Run(t, []resource.TestStep{
		{Config: imported(200), ExpectError: regexp.MustCompile(`Imported another order(.|\n)*is\s+100\s+at\s+the\s+service(.|\n)*200`)},
		{
			Config:            imported(100),
			ConfigPlanChecks:  address.Plans(plancheck.ResourceActionNoop), // What the service filled in, such as the date, stays.
			ConfigStateChecks: []statecheck.StateCheck{invoicesWith(), address.Has("amount", knownvalue.Float64Exact(100)), address.Has("date", knownvalue.NotNull()), address.Has("status", knownvalue.StringExact("created"))},
		},
		{Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), PlanOnly: true},
		{
			Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), ResourceName: string(address), ImportState: true, ImportStateVerify: true,
			// Filled in by the service and not configured.
			ImportStateVerifyIgnore: []string{"date", "status"},
		},
		{
			Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), ResourceName: string(address), ImportState: true, ImportStateId: "transaction_id=t-2",
			ExpectError: regexp.MustCompile(`No\s+order\s+has\s+transaction_id\s+"t-2"`),
		},
		{
			Config: acctest.Config(s, acctest.OrderBody(`auto_issue_mode = "disabled"`)), ResourceName: string(address), ImportState: true, ImportStateId: "id=t-2",
			ExpectError: regexp.MustCompile(`Invalid import ID`),
		},
	})
	if n := fixture.CountWrites(s); n != 1 {
		t.Errorf("%d writes, want the one that was made outside", n)
	}
}

// shownBody configures all that the service fills in by itself.
var shownBody = acctest.OrderBody("date = \"2026-03-10T09:00:00-03:00\"\nstatus = \"created\"\nauto_issue_mode = \"disabled\"")

func TestAccOrder_importOfWhatIsConfiguredPlansNothing(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	acctest.Run(t, []resource.TestStep{
		{Config: acctest.Config(s, shownBody)},
		{ResourceName: string(address), ImportState: true, ImportStateVerify: true},
		{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithID, Config: acctest.Config(s, shownBody)},
	})
}

func TestAccOrder_importsByIdentity(t *testing.T) {
	s := sandbox.Start(t, sandbox.Options{})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{Config: acctest.Config(s, shownBody)},
			{ResourceName: string(address), ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity, Config: acctest.Config(s, shownBody)},
		},
	})
}
