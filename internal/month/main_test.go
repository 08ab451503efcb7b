package month_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
