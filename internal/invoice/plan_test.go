package invoice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
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

func TestIssuance_aDestroyPlanSaysWhatWillHappen(t *testing.T) {
	t.Parallel()
	const mistake = "Ordered twice by mistake"
	authorized := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		model, status, reason string
		after                 time.Duration // since the authorization
		want                  []string
	}{
		"authorized, with a reason":        {nfe, "authorized", mistake, 23 * time.Hour, []string{"Destroying cancels NF-e 7 (order-1)", mistake, "cannot be undone", "period for canceling ends at 2026-11-21T12:00:00-03:00"}},
		"an NF-e after a day":              {nfe, "authorized", mistake, 25 * time.Hour, []string{"Destroying will probably fail: too late to cancel NF-e 7 (order-1)", "ended at 2026-11-21T12:00:00-03:00", "remove `cancellation_reason`"}},
		"an NFC-e within half an hour":     {nfce, "authorized", mistake, 29 * time.Minute, []string{"Destroying cancels NFC-e 7"}},
		"an NFC-e after half an hour":      {nfce, "authorized", mistake, 31 * time.Minute, []string{"Destroying will probably fail: too late to cancel NFC-e 7", "2026-11-20T12:30:00-03:00"}},
		"an NFS-e after a year":            {nfse, "authorized", mistake, 365 * 24 * time.Hour, []string{"Destroying cancels NFS-e 7"}},
		"in contingency":                   {nfce, "inContingent", mistake, 0, []string{"Destroying will fail: NFC-e 7 (order-1) is in contingency", "id-1", "nothing will be sent", "remove `cancellation_reason`"}},
		"enqueued":                         {nfe, "enqueued", mistake, 0, []string{"Destroying will fail: NF-e 7 (order-1) is in progress", `"enqueued"`, "remove `cancellation_reason`"}},
		"a status of the future":           {nfe, "underReview", mistake, 0, []string{"Destroying will fail"}},
		"rejected":                         {nfe, "rejected", mistake, 0, []string{"Destroy only removes invoices from state", "NF-e 7 (order-1)", `"rejected". Nothing is sent.`}},
		"a draft":                          {nfse, "created", mistake, 0, []string{"Destroy only removes invoices from state", "NFS-e 7 (order-1)", "Nothing is sent."}},
		"canceled":                         {nfe, "canceled", mistake, 0, []string{"Destroy only removes invoices from state", "NF-e 7 (order-1)", "Nothing is sent."}},
		"removed":                          {nfe, "removed", mistake, 0, []string{"Destroy only removes invoices from state", "NF-e 7 (order-1)", "no longer finds NF-e 7 (order-1) (id id-1)"}},
		"authorized, without a reason":     {nfe, "authorized", "", time.Hour, []string{"Destroy only removes invoices from state", "NF-e 7 (order-1)", "stays at the service (id id-1)", "set `cancellation_reason`", "ends at 2026-11-21T12:00:00-03:00"}},
		"an NFS-e, without a reason":       {nfse, "authorized", "", 25 * time.Hour, []string{"Destroy only removes invoices from state", "NFS-e 7 (order-1)", "set `cancellation_reason` and apply before destroying."}},
		"in contingency, without a reason": {nfce, "inContingent", "", 0, []string{"Destroy only removes invoices from state", "NFC-e 7 (order-1)", "cannot be canceled before it is authorized"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fixture.WantTexts(t, diag.Diagnostics{inState(test.model, test.status, test.reason).destroyWarning(authorized.Add(test.after))}, test.want...)
		})
	}
}

func TestIssuance_aWindowForCancelingOverridesTheUsualOne(t *testing.T) {
	t.Parallel()
	m := inState(nfe, "authorized", "Ordered twice by mistake")
	m.CancelWindow = types.StringValue("168h")
	late := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	fixture.WantTexts(t, diag.Diagnostics{m.destroyWarning(late)}, "Destroying cancels NF-e 7 (order-1)", "The period for canceling ends at 2026-11-27T12:00:00-03:00")
	fixture.WantTexts(t, diag.Diagnostics{m.destroyWarning(late.AddDate(0, 0, 7))}, "Destroying will probably fail", "ended at 2026-11-27T12:00:00-03:00")
}

func TestIssuance_everyPlanWarnsOfWhatHappenedElsewhere(t *testing.T) {
	t.Parallel()
	for status, want := range map[string][]string{
		"authorized":   nil,
		"enqueued":     nil,
		"inContingent": nil,
		"created":      nil,
		"canceled":     {"NF-e 7 (order-1) is canceled", `"Ordered twice"`, "never issued again", "remove the block", "new `integration_id`"},
		"denied":       {"NF-e 7 (order-1) is denied", "never issued again"},
		"disabled":     {"NF-e 7 (order-1) is disabled", "never issued again"},
		"removed":      {"NF-e 7 (order-1) is gone at the service"},
		"rejected":     {"NF-e 7 (order-1) is rejected", "Correct `payload_json`"},
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			diags := inState(nfe, status, "").drift()
			if len(diags) != min(1, len(want)) {
				t.Fatalf("%v, want %v", diags, want)
			}
			fixture.WantTexts(t, diags, want...)
		})
	}
}

func TestIssuance_whatCannotBeComparedIsNamed(t *testing.T) {
	t.Parallel()
	const sale, unnamed = `{"items":[{"totalAmount":10}]}`, `{"presenceType":"presence"}`
	amount := einvoice.Number(10)
	held := &einvoice.Invoice{ID: "id-1", Status: "authorized", Amount: &amount}
	for payload, want := range map[string]string{sale: "", unnamed: "Its amount could not be compared"} {
		m := inState(nfce, "authorized", "")
		m.PayloadJSON, m.Amount = jsontypes.NewNormalizedValue(payload), types.Float64Value(10)
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
	m.PayloadJSON, m.Amount = jsontypes.NewNormalizedValue(sale), types.Float64Value(1000)
	if diags := m.refuseOtherImport(importedState(m), ""); !diags.HasError() {
		t.Errorf("a hundred times the amount is imported: %v", diags)
	}
	m.Amount, m.Model = types.Float64Value(10), types.StringValue("productInvoice")
	if text := fixture.DiagnosticText(m.refuseOtherImport(inState(nfce, "authorized", ""), "")); !strings.Contains(text, "model: productInvoice in the configuration, consumerInvoice at the service") {
		t.Errorf("another model is imported with %q", text)
	}
}

// importedState is what an import has of an invoice: no payload.
func importedState(m *issuanceModel) *issuanceModel {
	state := *m
	state.PayloadJSON = jsontypes.NewNormalizedNull()
	return &state
}

func TestImportedIdentity(t *testing.T) {
	t.Parallel()
	const id = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
	for _, test := range []struct{ text, issuer, model, id, integrationID string }{ // All empty: refused.
		{"serviceInvoice/" + id, "", "serviceInvoice", id, ""},
		{"11.222.333/0001-81/productInvoice/" + id, "11222333000181", "productInvoice", id, ""},
		{"consumerInvoice/integration_id=order-1", "", "consumerInvoice", "", "order-1"},
		{"11222333000181/serviceInvoice/integration_id=order-1", "11222333000181", "serviceInvoice", "", "order-1"},
		{"11.222.333/0001-81/serviceInvoice/integration_id=2026/11=a/integration_id=b", "11222333000181", "serviceInvoice", "", "2026/11=a/integration_id=b"},
		{text: "serviceInvoice/integration_id="},
		{text: "integration_id=order-1"},
		{text: "/integration_id=order-1"},
		{text: "invoice/integration_id=order-1"},
		{text: "someone/serviceInvoice/integration_id=order-1"},
		{text: "serviceInvoice/" + id + "/integration_id=order-1"},
		{text: "serviceInvoice/transaction_id=order-1"},
		{text: "serviceInvoice/"},
		{text: id},
		{text: ""},
	} {
		identity, integrationID, ok := importedIdentity(test.text)
		if ok != (test.model != "") {
			t.Errorf("%q: taken is %t", test.text, ok)
		}
		got := [...]string{identity.Issuer.ValueString(), identity.Model.ValueString(), identity.ID.ValueString(), integrationID}
		if want := [...]string{test.issuer, test.model, test.id, test.integrationID}; ok && got != want {
			t.Errorf("%q is read as %q, want %q", test.text, got, want)
		}
	}
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

func TestIssuance_aReplacementSaysThatASecondInvoiceIsIssued(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status, reason, environment string
		other                       bool // another payload
		want                        []string
	}{
		"an authorized one":         {"authorized", "", "production", true, []string{"A second invoice will be issued beside NF-e 7 (order-1)", "two legal invoices", `"order-2"`, "restore the former `integration_id`"}},
		"the same payload":          {"authorized", "", "", false, []string{"one sale issued twice"}},
		"one that is queued":        {"enqueued", "", "", true, []string{"two legal invoices"}},
		"without fiscal value":      {"authorized", "", "development", true, []string{`no fiscal value: its environment is "development"`}},
		"one that will be canceled": {"authorized", "Ordered twice by mistake", "", true, nil},
		"one whose destroy fails":   {"inContingent", "Ordered twice by mistake", "", true, nil},
		"a draft":                   {"created", "", "", true, nil},
		"a rejected one":            {"rejected", "", "", true, nil},
		"a canceled one":            {"canceled", "", "", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := inState(nfe, test.status, test.reason)
			state.PayloadJSON = jsontypes.NewNormalizedValue(`{"operationNature":"Venda"}`)
			state.EnvironmentType = types.StringValue(test.environment)
			plan := *state
			plan.IntegrationID = types.StringValue("order-2")
			if test.other {
				plan.PayloadJSON = jsontypes.NewNormalizedValue(`{"operationNature":"Bonificação"}`)
			}
			said := plan.secondInvoice(state)
			if len(said) != min(1, len(test.want)) {
				t.Fatalf("%v, want %v", said, test.want)
			}
			fixture.WantTexts(t, said, test.want...)
			if len(said) > 0 && test.other && strings.Contains(said[0].Detail(), "one sale issued twice") {
				t.Errorf("another payload is taken for the same: %v", said)
			}
		})
	}
}
