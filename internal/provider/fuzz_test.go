package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

func FuzzSameJSON(f *testing.F) {
	f.Add(`{"a":1.0}`, `{"a":1}`)
	f.Add(`1e999999999`, `10e999999998`)
	f.Add(`[1,[2,{"x":null}]]`, `0.1e-0`)
	f.Add(`-0`, `0.000`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if sameJSONText(a, b) != sameJSONText(b, a) {
			t.Errorf("%s and %s are equal in one direction only", a, b)
		}
		if json.Valid([]byte(a)) && !sameJSONText(a, a) {
			t.Errorf("%s does not equal itself", a)
		}
	})
}

func FuzzProjectExtra(f *testing.F) {
	f.Add(`{"a":{"b":1}}`, `{"a":{"b":1.0,"c":2}}`)
	f.Add(`{"a":[1]}`, `{"a":null}`)
	f.Add(`{}`, `[]`)
	f.Fuzz(func(t *testing.T, prior, held string) {
		if !json.Valid([]byte(prior)) || !json.Valid([]byte(held)) {
			return
		}
		extra := jsontypes.Normalized{StringValue: types.StringValue(prior)}
		first, diags := projectExtra(extra, json.RawMessage(held))
		if diags.HasError() {
			t.Fatalf("%s over %s: %v", prior, held, diags)
		}
		// What was read once does not drift against the same object.
		second, _ := projectExtra(first, json.RawMessage(held))
		if !sameJSONText(first.ValueString(), second.ValueString()) {
			t.Errorf("%s over %s drifts: %s, then %s", prior, held, first.ValueString(), second.ValueString())
		}
	})
}

func FuzzSpelling(f *testing.F) {
	for _, s := range []string{"11.222.333/0001-81", "são  paulo", "+55 (11)", "SP", "\xff", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []*spelling{taxNumberSpelling, registrationSpelling, postalCodeSpelling, phoneSpelling, stateSpelling, placeSpelling} {
			if !s.same(text, text) || !s.same(text, s.normalize(text)) {
				t.Errorf("the %s %q is not the same as what is sent for it, %q", s.name, text, s.normalize(text))
			}
		}
	})
}

// FuzzImportID gives every resource that can be imported any text as its id. No
// text leads to a request that changes something or that goes elsewhere, and none
// is imported that the service does not know.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{"a", "", "serviceInvoice/a", "serviceInvoice/../companies", "federal_tax_number=11.222.333/0001-81", "federal_tax_number=", "//evil.example/x", "?a=b#c", "a\r\nX: y", "\xff"} {
		f.Add(id)
	}
	s := sandbox.Start(f, sandbox.Options{})
	f.Fuzz(func(t *testing.T, id string) {
		s.ResetRequests()
		server := serve(t, s, nil)
		for _, kind := range []string{
			"einvoice_company", "einvoice_company_settings", "einvoice_customer", "einvoice_product", "einvoice_webhook",
			"einvoice_invoice_issuance", "einvoice_order", "einvoice_correction_letter",
		} {
			resp, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: id})
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			for _, d := range resp.Diagnostics {
				if d.Summary == "Provider bug" {
					t.Errorf("%s, %q: %s", kind, id, d.Detail)
				}
			}
		}
		for _, r := range s.Requests() {
			if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, "/v1/companies") {
				t.Errorf("importing %q sent %s %s", id, r.Method, r.Path)
			}
		}
	})
}
