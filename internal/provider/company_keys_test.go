package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestCompanyKeys_eachCompanyOnce(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	const secret = "key-of-a-company-0123456789"
	for name, test := range map[string]struct {
		keys any
		want []string // of the error; none for a map that is right
	}{
		"none":                  {map[string]any{}, nil},
		"unknown":               {tftypes.UnknownValue, nil},
		"a CNPJ and a CPF":      {map[string]any{"11.222.333/0001-81": secret, "529.982.247-25": secret}, nil},
		"unknown, empty, null":  {map[string]any{fixture.BranchNumber: tftypes.UnknownValue, fixture.OtherNumber: "", fixture.MainNumber: nil}, nil},
		"in two spellings":      {map[string]any{"11.222.333/0001-81": secret, "11222333000181": secret + "x"}, []string{"One company twice", "11222333000181"}},
		"no tax number":         {map[string]any{"branch": secret}, []string{"Invalid tax number", `"branch"`}},
		"a key no header takes": {map[string]any{fixture.BranchNumber: secret + "\n"}, []string{"Invalid API key of company " + fixture.BranchNumber}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := p.Config(p.Schemas.Provider, map[string]any{"base_url": "http://127.0.0.1:1/v1", "api_key": "key-0123", "company_keys": test.keys})
			said := validate(p, config)
			if len(said) == 0 {
				request := &tfprotov6.ConfigureProviderRequest{Config: config}
				said = testkit.Answered(t, testkit.ServedProvider().ConfigureProvider, request).Diagnostics
			}
			text := testkit.ErrorsIn(said)
			for _, part := range test.want {
				if !strings.Contains(text, part) || said[0].Attribute.String() != `AttributeName("company_keys")` {
					t.Errorf("the error at %s does not say %q: %s", said[0].Attribute, part, text)
				}
			}
			if len(test.want) == 0 && text != "" || strings.Contains(text, secret) {
				t.Errorf("the error is %s", text)
			}
		})
	}
}
