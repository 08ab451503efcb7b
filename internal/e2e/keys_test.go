package e2e_test

import (
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestKeys_withoutOneNothingIsPlannedOrRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	held := testkit.Serve(t, s, nil).Object("einvoice_customer")
	_, said := held.Create(object{"name": "Padaria"})
	held.MustNotFail(said)
	s.ResetRequests()
	for key, want := range map[any]string{"": "Empty API key", nil: "Missing API key"} {
		p := testkit.Serve(t, s, map[string]any{"api_key": key})
		for name, row := range unknownValues {
			arguments := object{}
			for path, value := range row.arguments {
				testkit.Set(arguments, path, value)
			}
			o := p.Object(name)
			_, said := o.Plan(o.Value(o.Type, arguments))
			wantKeyError(t, "a plan of "+name, testkit.ErrorsIn(said), want)
		}
		_, failed := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
		wantKeyError(t, "a data source", failed, want)
		held.Protocol = p
		wantKeyError(t, "a refresh", testkit.ErrorsIn(held.Refresh()), want)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

func wantKeyError(t *testing.T, what, said, want string) {
	t.Helper()
	if !strings.Contains(said, want) || !strings.Contains(said, message.EnvAPIKey) {
		t.Errorf("%s says %q, want %q", what, said, want)
	}
}

func TestKeys_aWrongOneSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	const wrong = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e"
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, map[string]any{"api_key": wrong})
	_, read := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
	_, customer := p.Object("einvoice_customer").Create(object{"name": "Padaria"})
	_, invoice := p.Object("einvoice_invoice_issuance").Create(unknownValues["einvoice_invoice_issuance"].arguments)
	for summary, said := range map[string]string{
		"Cannot read invoices": read, "Cannot create customer": testkit.ErrorsIn(customer),
		"Cannot look up invoice": testkit.ErrorsIn(invoice), // Issuing looks up at first.
	} {
		for _, part := range []string{
			summary, "HTTP 403", "`company_keys`) belongs to this environment", "main company's key",
		} {
			if !strings.Contains(said, part) || strings.Contains(said, wrong) {
				t.Errorf("the error does not say %q, or shows the key: %s", part, said)
			}
		}
	}
	if n := len(s.Objects(sandbox.KindCustomers)) + len(s.Invoices("")); n != 0 {
		t.Errorf("%d objects were created with a wrong key", n)
	}
}
