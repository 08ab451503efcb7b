package product_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestProduct(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "products.json")
}
