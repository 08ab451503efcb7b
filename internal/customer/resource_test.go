package customer_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestCustomer(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "customers.json")
}
