package invoice

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestChangedMembers_areNamed(t *testing.T) {
	t.Parallel()
	const prior = `{"description":"Aluguel","receiver":{"federalTaxNumber":"45.997.418/0001-53"},"total":{"invoiceAmount":100}}`
	for planned, want := range rows.Read[map[string]string](t, "changed_members_are_named.json") {
		if got := changedMembers(planned, prior); got != want {
			t.Errorf("of %s it names %q, want %q", planned, got, want)
		}
	}
}
