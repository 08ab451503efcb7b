package invoice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
		"unknown":       {PayloadJSON: attribute.JSON{StringValue: types.StringUnknown()}, Model: types.StringValue("serviceInvoice")},
		"unknown model": {PayloadJSON: attribute.JSONValue(faulty), Model: types.StringUnknown()},
	} {
		if diags := m.payloadWarnings(t.Context(), nil, now); len(diags) != 0 {
			t.Errorf("%s: %v", name, diags)
		}
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

func TestSamePayload_takesWhatMayBeSentAgainAtItsLetter(t *testing.T) {
	t.Parallel()
	plain, written := `{"receiver":{"federalTaxNumber":"11222333000181"}}`, `{"receiver": {"federalTaxNumber":"11.222.333/0001-81"}}`
	for status, same := range map[string]bool{"authorized": true, "enqueued": true, "canceled": true, "": true, "rejected": false, "created": false} {
		if samePayload(status, plain, written) != same {
			t.Errorf("%q: the two spellings are the same: %t", status, !same)
		}
		if !samePayload(status, plain, " "+plain) || samePayload(status, plain, `{}`) {
			t.Errorf("%q: it is not the payload that counts", status)
		}
	}
}

func TestContingencyWarning_namesTheModelsThatHaveNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model   types.String
		accepts types.Bool
		want    []string
	}{
		"an NFC-e has it":         {types.StringValue("consumerInvoice"), types.BoolValue(true), nil},
		"an NF-e is authorized":   {types.StringValue("productInvoice"), types.BoolValue(true), []string{"Nothing to accept: NF-e", "another environment", "allow_offline_contingency"}},
		"an NFS-e knows none":     {types.StringValue("serviceInvoice"), types.BoolValue(true), []string{"Nothing to accept: NFS-e", "has no contingency"}},
		"an unknown model passes": {types.StringUnknown(), types.BoolValue(true), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := issuanceModel{Model: test.model, AcceptContingency: test.accepts}
			diags := m.contingencyWarning(t.Context())
			fixture.WantTexts(t, diags, test.want...)
			if diags.HasError() || len(diags) != min(len(test.want), 1) {
				t.Errorf("diagnostics %v", diags)
			}
		})
	}
}
