package e2e

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// A length that a source states is an error, any other one a warning.
func TestLengths_failOnlyWhereASourceStatesThem(t *testing.T) {
	t.Parallel()
	type arguments = map[string]any
	address := func(name string) func(string) arguments {
		return func(text string) arguments { return arguments{"address": arguments{name: text}} }
	}
	at := func(name string) func(string) arguments {
		return func(text string) arguments { return arguments{name: text} }
	}
	responsible := func(name string) func(string) arguments {
		return func(text string) arguments {
			return arguments{"general": arguments{"technical_responsible": arguments{name: text}}}
		}
	}
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	for name, test := range map[string]struct {
		kind   string
		with   func(text string) arguments
		most   int
		stated bool
	}{
		"name":                        {"customer", at("name"), 80, true},
		"legal name":                  {"customer", at("legal_name"), 80, true},
		"municipal registration":      {"customer", at("city_tax_number"), 20, true},
		"state registration":          {"customer", at("state_tax_number"), 20, true},
		"email":                       {"customer", at("email"), 50, true},
		"phone":                       {"customer", at("phone"), 15, true},
		"mobile phone":                {"customer", at("mobile_phone"), 15, true},
		"street":                      {"customer", address("street"), 100, true},
		"number in the street":        {"customer", address("number"), 10, true},
		"district":                    {"customer", address("district"), 100, true},
		"postal code":                 {"customer", address("postal_code"), 15, true},
		"additional information":      {"customer", address("additional_information"), 150, true},
		"company's name":              {"company", at("name"), 80, true},
		"company's legal name":        {"company", at("legal_name"), 80, true},
		"company's email":             {"company", at("email"), 80, true},
		"company's phone":             {"company", at("phone"), 15, true},
		"company's mobile phone":      {"company", at("mobile_phone"), 15, false},
		"technical responsible's":     {"company_settings", responsible("phone"), 15, false},
		"technical responsible's tax": {"company_settings", responsible("federal_tax_number"), 14, false},
		"integration id":              {"invoice_issuance", at("integration_id"), 36, true},
		"reason":                      {"invoice_issuance", at("cancellation_reason"), 255, false},
		"order's reason":              {"order", at("cancellation_reason"), 255, false},
		"order's identity":            {"order", at("transaction_id"), 36, false},
		"justification":               {"inbound_manifestation", at("justification"), 255, false},
		"letter":                      {"correction_letter", at("letter"), 1000, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tooLong := range []bool{false, true} {
				text := strings.Repeat("1", test.most)
				if tooLong {
					text += "1"
				}
				resp := testkit.Answered(t, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
					TypeName: "einvoice_" + test.kind,
					Config:   p.Config(p.Schemas.ResourceSchemas["einvoice_"+test.kind], test.with(text)),
				})
				failed, warned := false, false
				for _, d := range resp.Diagnostics {
					isError := d.Severity == tfprotov6.DiagnosticSeverityError
					failed = failed || isError && strings.HasPrefix(d.Summary, "Invalid")
					warned = warned || !isError && strings.HasPrefix(d.Summary, "Long")
				}
				if failed != (tooLong && test.stated) || warned != (tooLong && !test.stated) {
					t.Errorf("of %d characters it says %s", len(text), testkit.TextsOf(resp.Diagnostics))
				}
			}
		})
	}
}
