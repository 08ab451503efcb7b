package invoice

import (
	"strings"
	"testing"
)

func TestChangedMembers_areNamed(t *testing.T) {
	t.Parallel()
	const prior = `{"description":"Aluguel","receiver":{"federalTaxNumber":"45.997.418/0001-53"},"total":{"invoiceAmount":100}}`
	for planned, want := range map[string]string{
		prior: "",
		`{"description":"Aluguel","receiver":{"federalTaxNumber":"45997418000153"},"total":{"invoiceAmount":100.0}}`: "",
		`{"description":"Aluguel","receiver":{"federalTaxNumber":"45997418000153"},"total":{"invoiceAmount":101}}`:   "`total`",
		`{"description":"Venda","serviceCode":"1","total":{"invoiceAmount":100}}`:                                    "`description` `receiver` `serviceCode`",
		"":     "", // It is not known yet.
		"[]":   "",
		"null": "`description` `receiver` `total`",
	} {
		if got := strings.Join(changedMembers(planned, prior), " "); got != want {
			t.Errorf("of %s it names %q, want %q", planned, got, want)
		}
	}
}
