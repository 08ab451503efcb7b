package customer_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestCustomer_inPlays(t *testing.T) {
	t.Parallel()
	testkit.Plays(t, "einvoice_customer")
}

func TestCustomer_refusesWrongValuesWhilePlanning(t *testing.T) {
	t.Parallel()
	testkit.WantRefusalsOf(t, "einvoice_customer", "customer_refuses_wrong_values_while_planning.json")
}
