package product_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestProduct_inPlays(t *testing.T) {
	t.Parallel()
	testkit.Plays(t, "einvoice_product")
}
