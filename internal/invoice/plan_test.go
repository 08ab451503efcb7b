package invoice

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		adopted := m.note(t.Context(), engine.Event{Kind: engine.Adopted, Model: nfce, Invoice: held})
		if strings.Contains(adopted[0].Detail(), "compared") != (want != "") || !strings.Contains(adopted[0].Detail(), want) {
			t.Errorf("%s is adopted with %q, want %q", payload, adopted[0].Detail(), want)
		}
	}
	m := inState(nfce, "authorized", "")
	m.PayloadJSON, m.Amount = attribute.JSONValue(sale), types.Float64Value(1000)
	if diags := m.refuseOtherImport(t.Context(), importedState(m), ""); !diags.HasError() {
		t.Errorf("a hundred times the amount is imported: %v", diags)
	}
	m.Amount, m.Model = types.Float64Value(10), types.StringValue("productInvoice")
	expect.Contains(t, fixture.DiagnosticText(m.refuseOtherImport(t.Context(), inState(nfce, "authorized", ""), "")), "model: productInvoice in the configuration, consumerInvoice at the service")
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
	for _, test := range rows.Read[[]struct {
		Row     string
		Entry   einvoice.Invoice
		IsShown bool
	}](t, "issuance_is_shown_by_an_entry_that_says_nothing_else.json") {
		expect.Is(t, state.isShownBy(&test.Entry), test.IsShown, "%s", test.Row)
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
		case strings.Contains(text, "No document: ") && strings.Contains(text, "never authorized"):
			got = "never"
		case strings.Contains(text, "No document yet: ") && strings.Contains(text, "after the authorization"):
			got = "later"
		case !strings.Contains(text, "No document"):
			got = "now"
		}
		expect.Is(t, got, want["documents"], "documents\n%s", text)
	})
}

// A service may ignore case in member names.
func TestValidatePayload_refusesWhatHasAnAttributeInAnyCase(t *testing.T) {
	t.Parallel()
	for payload, attribute := range map[string]string{
		`{"integrationId":"a"}`: "`integration_id`", `{"integrationid":"a"}`: "`integration_id`", `{"INTEGRATIONID":"a"}`: "`integration_id`",
		`{"issue":false}`: "`issue`", `{"Issue":false}`: "`issue`", `{"Status":"created"}`: "Only the service sets it",
	} {
		diags := validatePayload(t.Context(), payload)
		if len(diags) != 1 || diags[0].Severity().String() != "Error" || !strings.Contains(diags[0].Detail(), attribute) {
			t.Errorf("%s: %v, want an error that says %s", payload, diags, attribute)
		}
	}
	if diags := validatePayload(t.Context(), `{"description":"Consulting","items":[{"status":"x"}]}`); len(diags) != 0 {
		t.Errorf("%v", diags)
	}
}

func checked(payload string, off bool) *issuanceModel {
	m := &issuanceModel{Model: types.StringValue("serviceInvoice"), IntegrationID: types.StringValue("order-1"), PayloadJSON: attribute.JSONValue(payload)}
	m.Number = types.Int64Null()
	if off {
		m.PayloadCheck = types.BoolValue(false)
	}
	return m
}

func TestPayloadWarnings_areOneForEachPayload(t *testing.T) {
	t.Parallel()
	const faulty = `{"description":"x","federalServiceCode":"17.01","receivar":{},"environmentType":"test","total":{"invoiceAmount":0}}`
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	diags := checked(faulty, false).payloadWarnings(t.Context(), nil, now)
	if len(diags) != 1 || diags[0].Severity() != diag.SeverityWarning || diags[0].Summary() != "Problems in payload_json: NFS-e (order-1)" {
		t.Fatalf("%v, want one warning", diags)
	}
	if d, ok := diags[0].(diag.DiagnosticWithPath); !ok || !d.Path().Equal(path.Root("payload_json")) {
		t.Errorf("the warning is not on the payload: %v", diags[0])
	}
	text := diags[0].Detail()
	last := -1
	for _, want := range []string{"- `environmentType`: ", "(error unknown_word)\n- `receivar`: ", "(warning unknown_member)\n- `total.invoiceAmount`: ", "(warning service_amount)\n\n", "`payload_check = false`"} {
		at := strings.Index(text, want)
		if at <= last {
			t.Errorf("%q is missing, or in another place:\n%s", want, text)
		}
		last = at
	}
	for name, m := range map[string]*issuanceModel{
		"silenced": checked(faulty, true), "clean": checked(`{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`, false), "no JSON": checked(`{`, false),
		"unknown model": {PayloadJSON: attribute.JSONValue(faulty), Model: types.StringUnknown()},
	} {
		if diags := m.payloadWarnings(t.Context(), nil, now); len(diags) != 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
	unseen := &issuanceModel{PayloadJSON: attribute.JSON{StringValue: types.StringUnknown()}, PayloadCheck: types.BoolValue(false)}
	if diags := unseen.payloadWarnings(t.Context(), nil, now); len(diags) != 1 || !strings.HasPrefix(diags[0].Summary(), "The plan does not show what is sent") {
		t.Errorf("a payload that the plan does not know: %v", diags)
	}
	m := checked(`{"purposeType":"devolution","referencedDocuments":[{}],"items":[{"cfop":1202}]}`, false)
	m.Model = types.StringValue("productInvoice")
	fixture.WantTexts(t, m.payloadWarnings(t.Context(), &session.Session{}, now), "(warning return_origin)", "`items[0].sourceDocument`", "`referencedDocuments`")
	many := `{"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}`
	for n := range 25 {
		many += fmt.Sprintf(`,"unknown%02d":1`, n)
	}
	text = fixture.DiagnosticText(checked(many+"}", false).payloadWarnings(t.Context(), nil, now))
	if got := strings.Count(text, "(warning "); got != maxFindings || !strings.Contains(text, "- and 5 more, which provider::einvoice::payload_check lists") {
		t.Errorf("%d findings are shown:\n%s", got, text)
	}
}

func TestChangedMembers_areNamed(t *testing.T) {
	t.Parallel()
	const prior = `{"description":"Aluguel","receiver":{"federalTaxNumber":"45.997.418/0001-53"},"total":{"invoiceAmount":100}}`
	for planned, want := range rows.Read[map[string]string](t, "changed_members_are_named.json") {
		var got []string
		for _, change := range changedMembers(planned, prior) {
			got = append(got, change.In(t.Context()))
		}
		expect.Is(t, strings.Join(got, ", "), want, "of %s it names", planned)
	}
}
