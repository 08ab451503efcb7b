package customer

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestCreation_answers(t *testing.T) {
	t.Parallel()
	sent := einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11222333000181"}
	unnumbered := einvoice.Customer{Name: "Padaria"}
	for _, test := range []struct {
		name     string
		sent     einvoice.Customer
		answered einvoice.Customer
		want     bool
	}{
		{"the same", sent, sent, true},
		{"the number with punctuation", sent, einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11.222.333/0001-81"}, true},
		{"the name as the service writes it", sent, einvoice.Customer{Name: "PADARIA LTDA", FederalTaxNumber: "11222333000181"}, true},
		{"an id and nothing else", sent, einvoice.Customer{}, true},
		{"another number", sent, einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11444777000161"}, false},
		{"without numbers the same name", unnumbered, einvoice.Customer{Name: "PADARIA"}, true},
		{"without numbers another name", unnumbered, einvoice.Customer{Name: "Confeitaria"}, false},
	} {
		expect.Is(t, creation(nil, test.sent, nil).Answers(&test.answered), test.want, "%s: Answers", test.name)
	}
}
