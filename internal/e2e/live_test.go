package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// The tests named TestAccLive run against a real account: they tell whether the sandbox tells the truth. They issue
// nothing, run one after another inside the rate limit, mark all they make with a prefix and delete it again.

const livePrefix = "tfacc-"

// liveConfig skips the test when there is no account.
func liveConfig(t *testing.T, body string) string {
	t.Helper()
	if testkit.Live.BaseURL == "" || testkit.Live.APIKey == "" {
		t.Skipf("no real account: set %s and %s to run this", message.EnvBaseURL, message.EnvAPIKey)
	}
	return fmt.Sprintf(`
terraform {
  required_providers {
    einvoice = {
      source = "einvoice-br/einvoice"
    }
  }
}

provider "einvoice" {
  base_url = %q
  api_key  = %q
}

%s
`, testkit.Live.BaseURL, testkit.Live.APIKey, body)
}

func TestAccLive_masterDataLivesAndGoes(t *testing.T) {
	name := livePrefix + uuid.NewString()[:8]
	body := func(price string) string {
		return liveConfig(t, fmt.Sprintf(`
resource "einvoice_customer" "test" {
  name               = %[1]q
  federal_tax_number = "529.982.247-25"
  address            = { street = "Avenida Paulista", number = "1000", district = "Bela Vista", postal_code = "01310-100", city = { code = "3550308" } }
}

resource "einvoice_product" "test" {
  name  = %[1]q
  code  = %[1]q
  price = %[2]s
}

resource "einvoice_webhook" "test" {
  event = "invoice.authorized"
  url   = "https://example.com/%[1]s"
}
`, name, price))
	}
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testkit.Factories(),
		CheckDestroy:             func(*terraform.State) error { return nothingLeft(t, name) },
		Steps: []resource.TestStep{
			{Config: body("10.50"), ConfigPlanChecks: empty},
			{Config: body("11"), ConfigPlanChecks: empty},
			{ResourceName: "einvoice_product.test", ImportState: true, ImportStateVerify: true},
		},
	})
}

// nothingLeft walks the account for what the test made.
func nothingLeft(t *testing.T, name string) error {
	t.Helper()
	client, err := einvoice.New(einvoice.Config{
		BaseURL: testkit.Live.BaseURL, APIKey: testkit.Live.APIKey, RequestsPerMinute: provider.DefaultRequestsPerMinute, RequestsPerSecond: provider.DefaultRequestsPerSecond,
		MaxRetries: provider.DefaultMaxRetries, RequestTimeout: 30 * time.Second, Budget: journal.OpenFiles(session.CacheDir()),
	})
	if err != nil {
		return err
	}
	customers, err := einvoice.Matching(client.Customers(t.Context()), func(c *einvoice.Customer) bool { return string(c.Name) == name })
	if err != nil {
		return err
	}
	products, err := einvoice.Matching(client.Products(t.Context()), func(p *einvoice.Product) bool { return string(p.Code) == name })
	if err != nil {
		return err
	}
	webhooks, err := einvoice.Matching(client.Webhooks(t.Context()), func(w *einvoice.Webhook) bool { return strings.HasSuffix(string(w.URL), name) })
	if err != nil {
		return err
	}
	if n := len(customers) + len(products) + len(webhooks); n != 0 {
		return fmt.Errorf("%d objects named %s are left in the account", n, name)
	}
	return nil
}

func TestAccLive_readsWhatTheAccountHas(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testkit.Factories(),
		Steps: []resource.TestStep{{
			Config: liveConfig(t, `
data "einvoice_invoices" "test" {
  model = "serviceInvoice"
  limit = 5
}
data "einvoice_payload_examples" "test" {
  city_code = "3550308"
}
data "einvoice_inbound_sync_status" "test" {}
`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.einvoice_inbound_sync_status.test", tfjsonpath.New("advice"), knownvalue.NotNull()),
			},
		}},
	})
}
