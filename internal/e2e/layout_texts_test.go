package e2e_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A heredoc is how Terraform users write text. The layout of the NF-e has no line breaks.
func TestTexts_warnOfWhatTheLayoutRefuses(t *testing.T) {
	t.Parallel()
	const id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	letter := map[string]any{"invoice_id": id, "letter": "O peso bruto é 12 kg, e não 21 kg."}
	invoice := map[string]any{"model": "productInvoice", "integration_id": "a", "payload_json": "{}"}
	order := map[string]any{"transaction_id": "a", "customer": map[string]any{"name": "Maria"}}
	for _, test := range []struct {
		kind  string
		valid map[string]any
		at    string
		value string
		want  string // in the warning; "" for none
	}{
		{"einvoice_correction_letter", letter, "letter", "O peso bruto é 12 kg.\nO líquido é 11 kg.\n", "`letter` has a line break."},
		{"einvoice_correction_letter", letter, "letter", `O peso é 90º & 1/2" <bruto>, não 21 kg.`, ""},
		{"einvoice_invoice_issuance", invoice, "cancellation_reason", "Pedido “duplicado” por engano", "`cancellation_reason` has “ (U+201C) and ” (U+201D)."},
		{"einvoice_order", order, "cancellation_reason", "Pedido duplicado por engano ", "`cancellation_reason` has a space at its beginning or end."},
		{"einvoice_order", order, "customer.name", "M", "`customer.name` has a single letter."},
		{"einvoice_customer", map[string]any{"name": "Café Ltda"}, "name", " Café “Ltda”", "`name` has a space at its beginning or end and “ (U+201C) and ” (U+201D)."},
		{"einvoice_customer", map[string]any{"name": "Café Ltda"}, "address.street", "A", "`address.street` has a single letter."},
		{"einvoice_customer", map[string]any{"name": "Café Ltda"}, "address.number", "A", ""},
		{"einvoice_customer", map[string]any{"name": "Café Ltda"}, "email", "fiscal@cafe.example\t", "`email` has a tab."},
		{"einvoice_company", map[string]any{}, "name", "Café 🪑", "`name` has 🪑 (U+1FA91)."},
	} {
		o := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil).Object(test.kind)
		arguments := maps.Clone(test.valid)
		testkit.Set(arguments, test.at, test.value)
		_, diagnostics := o.Plan(o.Value(o.Type, arguments))
		var said string
		for _, d := range diagnostics {
			if strings.HasPrefix(d.Summary, "Text that an invoice may not carry") {
				said += d.Detail
			}
		}
		if (said != "") != (test.want != "") || !strings.Contains(said, test.want) {
			t.Errorf("%s.%s: %q is answered with %q, want %q", test.kind, test.at, test.value, said, test.want)
		}
	}
}
