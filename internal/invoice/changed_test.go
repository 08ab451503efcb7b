package invoice

import "testing"

func TestChangedMembers_areNamed(t *testing.T) {
	t.Parallel()
	const prior = `{"description":"Aluguel","receiver":{"federalTaxNumber":"45.997.418/0001-53"},"total":{"invoiceAmount":100}}`
	for planned, want := range map[string]string{
		prior: "",
		`{"description":"Aluguel","receiver":{"federalTaxNumber":"45997418000153"},"total":{"invoiceAmount":100.0}}`: "",
		`{"description":"Aluguel","receiver":{"federalTaxNumber":"45997418000153"},"total":{"invoiceAmount":101}}`:   " Changed in `payload_json`: `total`.",
		`{"description":"Venda","serviceCode":"1","total":{"invoiceAmount":100}}`:                                    " Changed in `payload_json`: `description`, `receiver` (removed), `serviceCode`.",
		"":     "", // It is not known yet.
		"[]":   "",
		"null": " Changed in `payload_json`: `description` (removed), `receiver` (removed), `total` (removed).",
	} {
		if got := changedMembers(planned, prior); got != want {
			t.Errorf("of %s it names %q, want %q", planned, got, want)
		}
	}
}
