package provider

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

func customerSchema(t *testing.T) message.PathSchema {
	t.Helper()
	var resp resource.SchemaResponse
	newCustomerResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	return resp.Schema
}

func TestAPIError_saysWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		header map[string]string
		body   string
		at     path.Path // of the first diagnostic; empty for none
		want   []string
	}{
		"a message about a field is put on its attribute": {
			status: 400, body: `{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`,
			at: path.Root("phone"), want: []string{"API message: The field Phone is invalid.", "Correct the value", "POST /v1/customers · HTTP 400"},
		},
		"a nested field is found": {
			status: 400, body: `{"errors":[{"message":"unknown","path":"address.city.code"}]}`,
			at: path.Root("address").AtName("city").AtName("code"), want: []string{"API message about `address.city.code`: unknown."},
		},
		"a field without an attribute is named in the text": {
			status: 400, body: `{"errors":[{"message":"must be set","path":"tenant"}]}`, want: []string{"tenant: must be set."},
		},
		"a wrong key names key and environment": {
			status: 403, body: `{"message":"Forbidden"}`, want: []string{"API message: Forbidden.", "api_key", "main company's key"},
		},
		"an empty 500 says that it may have been done": {
			status: 500, want: []string{"HTTP 500", "may have done it"},
		},
		"the trace id is given": {
			status: 400, header: map[string]string{"X-Trace-Id": "trace-7"}, body: `{"message":"no"}`, want: []string{"trace trace-7"},
		},
		"a redirect names base_url": {
			status: 307, header: map[string]string{"Location": "https://other.example/v1/customers"}, want: []string{"base_url", "other.example"},
		},
		"a key that the service repeats is not shown": {
			status: 400, body: `{"message":"bad key ` + fixture.TestKey + `"}`, want: []string{"bad key"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := message.ApiError(t.Context(), "create customer", fixture.FailureOf(t, test.status, test.header, test.body), customerSchema(t))
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want 1: %v", len(diags), diags)
			}
			if got := diags[0].Summary(); got != "Cannot create customer" {
				t.Errorf("summary %q", got)
			}
			fixture.WantTexts(t, diags, test.want...)
			withPath, ok := diags[0].(diag.DiagnosticWithPath)
			if len(test.at.Steps()) > 0 && (!ok || !withPath.Path().Equal(test.at)) {
				t.Errorf("the diagnostic is not on %s", test.at)
			}
			if strings.Contains(diags[0].Detail(), fixture.TestKey) {
				t.Errorf("the key is shown: %s", diags[0].Detail())
			}
		})
	}
}

func TestIssuing_endsWithATextThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	number := einvoice.Int(7)
	i := &issuing{model: einvoice.ModelService, known: byIntegrationID("order-1"), issue: true, patience: time.Minute}
	invoice := func(status, code, message string) *einvoice.Invoice {
		return &einvoice.Invoice{
			ID: "id-1", Number: &number, Status: einvoice.Enum(status),
			ProcessingDetail: &einvoice.ProcessingDetail{Status: "success", Code: einvoice.Text(code), Message: einvoice.Text(message)},
		}
	}
	kept, sent := *i, *i
	kept.inState, sent.posted = true, true
	lost := errors.New("connection reset")
	for name, test := range map[string]struct {
		diags diag.Diagnostics
		want  []string
	}{
		"an authority's rejection": {i.dead(invoice("rejected", "539", "Duplicidade de NF-e")), []string{
			"NFS-e 7 (order-1) was rejected: 539", "Duplicidade de NF-e.", "Rejected by the tax authority, definitive.", "run apply again", "The next apply finds the rejected invoice (id id-1)",
		}},
		"a generic rejection":                 {i.dead(invoice("rejected", "E9999", "Erro")), []string{"tax authority", "Erro."}},
		"the service's rejection":             {i.dead(invoice("rejected", "SPD003", "campo fora de ordem")), []string{"Rejected by the service, definitive.", "campo fora de ordem."}},
		"a rejection without reason":          {i.dead(&einvoice.Invoice{ID: "id-1", Status: "rejected"}), []string{"NFS-e (order-1) was rejected", "gives no reason"}},
		"a rejection of what is in state":     {kept.dead(invoice("rejected", "539", "x")), []string{"State keeps what it had", "sent in place"}},
		"another invoice after a lost answer": {sent.refuseAdoption(invoice("authorized", "", ""), []string{"amount: 1"}), []string{"was not answered"}},
		"denied":                              {i.dead(invoice("denied", "302", "Uso denegado")), []string{"is denied", "Code 302", "Uso denegado.", "new `integration_id`"}},
		"a timeout": {i.timedOut(invoice("enqueued", "SPD999", "sem resposta"), context.DeadlineExceeded, nil), []string{
			"Still in progress: NFS-e 7 (order-1)", `"enqueued"`, "id-1", "SPD999 · sem resposta", "Run apply again", "nothing is issued twice",
		}},
		"a timeout after failed reads": {i.timedOut(invoice("enqueued", "", ""), context.DeadlineExceeded, lost), []string{"The last look at it failed: connection reset."}},
		"an interrupt":                 {i.timedOut(invoice("enqueued", "", ""), context.Canceled, nil), []string{"Interrupted while issuing", "id-1", "Run apply again"}},
		"an answer that was lost":      {i.answerLost(nil, lost), []string{"Answer lost: NFS-e (order-1)", "connection reset", "does not list it", "not", "second time"}},
		"two invoices under one id":    {i.severalFound([]*einvoice.Invoice{{ID: "a", Status: "authorized"}, {ID: "b", Status: "enqueued"}}), []string{"a (authorized) and b (enqueued)", "Nothing was sent"}},
		"another invoice under the id": {i.refuseAdoption(invoice("authorized", "", ""), []string{"amount: 1 in `payload_json`, 2 at the service"}), []string{"amount: 1", "Nothing was sent", "another `integration_id`"}},
		"adoption":                     {diag.Diagnostics{i.adopted(invoice("authorized", "", ""))}, []string{"Adopted NFS-e 7 (order-1)", "nothing was issued"}},
		"contingency":                  {i.settledWith(invoice("inContingent", "", "")), []string{"in contingency", "definitive authorization"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(test.diags) != 1 {
				t.Fatalf("%d diagnostics, want 1", len(test.diags))
			}
			fixture.WantTexts(t, test.diags, test.want...)
		})
	}
}
