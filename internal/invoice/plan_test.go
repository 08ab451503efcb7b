package invoice

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// inState is order-1 as a state has it.
func inState(model, status, reason string) *issuanceModel {
	number := einvoice.Int(7)
	m := &issuanceModel{
		Model: types.StringValue(model), IntegrationID: types.StringValue("order-1"),
		Issue: types.BoolValue(status != einvoice.StatusCreated), CancellationReason: types.StringNull(),
	}
	if reason != "" {
		m.CancellationReason = types.StringValue(reason)
	}
	m.fromAPI(&einvoice.Invoice{
		ID: "id-1", Number: &number, Status: einvoice.Enum(status), Authorization: &einvoice.Authorization{Date: "2026-11-20T12:00:00-03:00"},
		Cancellation: &einvoice.Cancellation{Justification: "Ordered twice"},
	})
	return m
}

const nfe, nfce, nfse = einvoice.ModelProduct, einvoice.ModelConsumer, einvoice.ModelService

func TestIssuance_whatCannotBeComparedIsNamed(t *testing.T) {
	t.Parallel()
	const sale, unnamed = `{"items":[{"totalAmount":10}]}`, `{"presenceType":"presence"}`
	amount := einvoice.Number(10)
	held := &einvoice.Invoice{ID: "id-1", Status: "authorized", Amount: &amount}
	for payload, want := range map[string]string{sale: "", unnamed: "Its amount could not be compared"} {
		m := inState(nfce, "authorized", "")
		m.PayloadJSON, m.Amount = attribute.JSONValue(payload), types.Float64Value(10)
		adopted := m.note(engine.Event{Kind: engine.Adopted, Model: nfce, Invoice: held})
		if strings.Contains(adopted.Detail(), "compared") != (want != "") || !strings.Contains(adopted.Detail(), want) {
			t.Errorf("%s is adopted with %q, want %q", payload, adopted.Detail(), want)
		}
		imported := m.refuseOtherImport(importedState(m), "")
		if (len(imported) > 0) != (want != "") || imported.HasError() || !strings.Contains(fixture.DiagnosticText(imported), want) {
			t.Errorf("%s is imported with %v, want %q", payload, imported, want)
		}
	}
	m := inState(nfce, "authorized", "")
	m.PayloadJSON, m.Amount = attribute.JSONValue(sale), types.Float64Value(1000)
	if diags := m.refuseOtherImport(importedState(m), ""); !diags.HasError() {
		t.Errorf("a hundred times the amount is imported: %v", diags)
	}
	m.Amount, m.Model = types.Float64Value(10), types.StringValue("productInvoice")
	expect.Contains(t, fixture.DiagnosticText(m.refuseOtherImport(inState(nfce, "authorized", ""), "")), "model: productInvoice in the configuration, consumerInvoice at the service")
}

// importedState is what an import has of an invoice: no payload.
func importedState(m *issuanceModel) *issuanceModel {
	state := *m
	state.PayloadJSON = attribute.JSONNull()
	return &state
}

// Nothing that may be sent again is put together from what the service shows.
func TestShownPayload(t *testing.T) {
	t.Parallel()
	const raw = `{"id":"1","status":"authorized","integrationId":"order-1","amount":100.50,"description":"Café <1 & 2>","number":7,"effectiveDate":"2026-11-01T00:00:00-03:00","pickup":null,"delivery":{"name":"","address":null},
		"receiver":{"name":"Maria","federalTaxNumber":"52998224725","suframaTaxNumber":null,"email":"","address":{"street":"Rua A","city":{"code":3550308,"name":null}}},"authorizedPersons":["11222333000181"]}`
	const want = `{"description":"Café <1 & 2>","receiver":{"name":"Maria","federalTaxNumber":"52998224725","address":{"street":"Rua A","city":{"code":3550308}}},"total":{"invoiceAmount":100.50}}`
	for _, status := range []string{"authorized", "canceled", "denied", "disabled", "created", "rejected", "enqueued", "received", "inContingent", "removed", "aNewStatus"} {
		got := shownPayload(&einvoice.Invoice{Status: einvoice.Enum(status), Raw: []byte(raw)})
		switch final := slices.Contains([]string{"authorized", "canceled", "denied", "disabled"}, status); {
		case got.IsNull() == final:
			t.Errorf("%s: it is %s", status, got)
		case final && !jsontree.SameText(got.ValueString(), want):
			t.Errorf("%s: it is %s, want %s", status, got.ValueString(), want)
		}
	}
}

func TestIssuance_isShownByAnEntryThatSaysNothingElse(t *testing.T) {
	t.Parallel()
	state := inState(nfe, "authorized", "")
	state.Amount = types.Float64Value(17.9)
	other, number, amount := einvoice.Number(10.51), einvoice.Int(7), einvoice.Number(17.9)
	for name, tt := range map[string]struct {
		entry einvoice.Invoice
		want  bool
	}{
		"less":          {einvoice.Invoice{}, true},
		"the same":      {einvoice.Invoice{Number: &number, Amount: &amount, Authorization: &einvoice.Authorization{Date: "2026-11-20T12:00:00-03:00"}}, true},
		"empty parts":   {einvoice.Invoice{Authorization: &einvoice.Authorization{}, RPS: &einvoice.RPS{}}, true},
		"other amount":  {einvoice.Invoice{Amount: &other}, false},
		"access key":    {einvoice.Invoice{AccessKey: "3526"}, false},
		"in processing": {einvoice.Invoice{ProcessingDetail: &einvoice.ProcessingDetail{Status: "processing"}}, false},
		"another time":  {einvoice.Invoice{Authorization: &einvoice.Authorization{Date: "2026-11-21T12:00:00-03:00"}}, false},
	} {
		expect.Is(t, state.isShownBy(&tt.entry), tt.want, "%s", name)
	}
}

func TestStatus_decidesWhatTheResourceDoes(t *testing.T) {
	t.Parallel()
	const plain, spelled = `{"receiver":{"federalTaxNumber":"52998224725"}}`, `{"receiver":{"federalTaxNumber":"529.982.247-25"}}`
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		v := &einvoice.Invoice{Status: einvoice.Enum(status), Raw: []byte(`{"amount":1}`)}
		for column, got := range map[string]bool{
			"at rest": isAtRest(status),
			"final":   !shownPayload(v).IsNull(), "correctable": !samePayload(status, plain, spelled),
		} {
			expect.Is(t, got, want.Says(column), "%s", column)
		}
	})
}

// A failed download is explained by the status of the invoice.
func TestStatus_tellsWhyThereIsNoDocument(t *testing.T) {
	t.Parallel()
	fixture.EachStatus(t, "../einvoice/testdata/statuses.csv", func(t *testing.T, status string, want fixture.Answers) {
		s := sandbox.Start(t, sandbox.Options{})
		diags := documentUnavailable(t.Context(), fixture.OwnerClient(t, s), einvoice.ModelProduct,
			fixture.NFe(s, status), &einvoice.Error{Status: 404})
		got, text := "unknown", fixture.DiagnosticText(diags)
		switch {
		case !strings.Contains(text, "No document yet"):
			got = "now"
		case strings.Contains(text, "never authorized"):
			got = "never"
		case strings.Contains(text, "after the authorization"):
			got = "later"
		}
		expect.Is(t, got, want["documents"], "documents\n%s", text)
	})
}
