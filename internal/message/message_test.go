package message_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/customer"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func customerSchema(t *testing.T) message.PathSchema {
	t.Helper()
	var resp resource.SchemaResponse
	customer.NewResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
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
			at: path.Root("address"), want: []string{"API message about `address.city.code`: unknown."},
		},
		"a field without an attribute is named in the text": {
			status: 400, body: `{"errors":[{"message":"must be set","path":"tenant"}]}`, want: []string{"tenant: must be set."},
		},
		"a wrong key names key and environment": {
			status: 403, body: `{"message":"Forbidden"}`, want: []string{"API message: Forbidden.", "api_key", "main company's key"},
		},
		"an empty 500 says that it may have been done": {
			status: 500, want: []string{"HTTP 500", "may have processed the request"},
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
			diags := message.APIError(t.Context(), message.Task("create", "customer"), fixture.FailureOf(t, test.status, test.header, test.body), customerSchema(t))
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

// The code that explains most is looked up: a city's is in the message.
func TestExplainedCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		detail *einvoice.ProcessingDetail
		want   string
	}{
		"a number":                      {&einvoice.ProcessingDetail{Code: "778", Message: "E31: outro"}, "778"},
		"a city's":                      {&einvoice.ProcessingDetail{Code: "e9999", Message: " [E31] Item da lista de serviço não informado"}, "E31"},
		"the national system's":         {&einvoice.ProcessingDetail{Code: "E9999", Message: "E0310: código de tributação"}, "E0310"},
		"a city's that nobody explains": {&einvoice.ProcessingDetail{Code: "E9999", Message: "E7777: motivo próprio"}, "E9999"},
		"inside of a word":              {&einvoice.ProcessingDetail{Code: "E9999", Message: "E31X não existe"}, "E9999"},
		"later in the message":          {&einvoice.ProcessingDetail{Code: "E9999", Message: "Veja o erro E31"}, "E9999"},
		"no message":                    {&einvoice.ProcessingDetail{Code: "E9999"}, "E9999"},
		"the service's":                 {&einvoice.ProcessingDetail{Code: "SPD003", Message: "E31"}, "SPD003"},
		"nothing":                       {nil, ""},
	} {
		if got := message.ExplainedCode(test.detail); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
