package page

import (
	"slices"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	at := func(l Language, at time.Time) string { return l.moment(Moment{At: at, Now: now}) }
	for _, tt := range []struct{ name, got, want string }{
		{"an amount", Portuguese.reais("1234567.5"), "R$\u00a01.234.567,50"},
		{"no centavo is rounded away", Portuguese.reais("0.1250"), "R$\u00a00,125"},
		{"a large amount is exact", Portuguese.reais("900719925474099.31"), "R$\u00a0900.719.925.474.099,31"},
		{"a negative amount", Portuguese.reais("-100"), "R$\u00a0-100,00"},
		{"what is no amount", Portuguese.reais(`{"a":1}`), `{"a":1}`},
		{"no amount", Portuguese.reais(""), ""},
		{"a quantity", Portuguese.number("4.000", 0), "4"},
		{"an amount in English", English.reais("1234567.5"), "R$\u00a01,234,567.50"},
		{"a count in English", English.whole(1234), "1,234"},
		{"a count", Portuguese.whole(1234), "1.234"},
		{"a CNPJ", taxNumber("98765432000198"), "98.765.432/0001-98"},
		{"a CNPJ with letters", taxNumber("12ABC34501DE35"), "12.ABC.345/01DE-35"},
		{"a CPF", taxNumber("52998224725"), "529.982.247-25"},
		{"no tax number", taxNumber("<b>"), "<b>"},
		{"an access key", fours("123456789"), "1234 5678 9"},
		{"no access key", fours(""), ""},
		{"a model", modelName("consumerInvoice"), "NFC-e"},
		{"today", at(English, now), "09:00:00 -03"},
		{"another day", at(English, now.AddDate(0, 0, -1)), "2026-03-09 09:00:00 -03"},
		{"another day in Brazil", at(Portuguese, now.AddDate(0, 0, -1)), "09/03/2026 09:00:00 -03"},
		{"the day is that of Brasília", at(English, time.Date(2026, 3, 11, 2, 0, 0, 0, time.UTC)), "23:00:00 -03"},
		{"a total with a name on paper", label("issRate"), "Alíquota do ISS"},
		{"one state in Portuguese", Portuguese.states(1, "authorized"), "autorizada"},
		{"several states", Portuguese.states(2, "authorized"), "autorizadas"},
		{"a phrase", Portuguese.states(2, "enqueued"), "na fila"},
		{"several states in English", English.states(2, "authorized"), "authorized"},
		{"a state that is not known", Portuguese.states(2, "lost"), "lost"},
		{"a total without one", label("otherThingAmount"), "other thing amount"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestDocument_printsEachTaxAfterItsBaseAndRate(t *testing.T) {
	t.Parallel()
	d := Document{Totals: []Setting{
		{Name: "aNewAmount"},
		{Name: "issAmount"},
		{Name: "issBaseTax"},
		{Name: "issRate"},
		{Name: "netAmount"},
		{Name: "productAmount"},
	}}
	var got []string
	for _, sum := range d.Sums() {
		got = append(got, sum.Name)
	}
	if want := []string{"productAmount", "issBaseTax", "issRate", "issAmount", "netAmount", "aNewAmount"}; !slices.Equal(got, want) {
		t.Errorf("the totals are %q, want %q", got, want)
	}
}

func TestAdvice_isInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	advice := Advice{text.Of("law.726.remedy", nil)} // with code
	for l, want := range map[Language][]string{
		English: {"Set ", "receiver.address", "."}, Portuguese: {"Preencha ", "receiver.address", "."},
	} {
		if got := l.tell(advice); !slices.Equal(got, want) {
			t.Errorf("%s: %q", languages[l].Name, got)
		}
	}
}
