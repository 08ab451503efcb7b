package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// wrongCustomer is what the validators say of a customer without a name.
func wrongCustomer(p *testkit.Protocol) string {
	schema := p.Schemas.ResourceSchemas["einvoice_customer"]
	config := p.Config(schema, map[string]any{"name": "", "federal_tax_number": "11222333000181"})
	said := testkit.Answered(p.T, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: "einvoice_customer", Config: config,
	}).Diagnostics
	if len(said) != 1 {
		p.T.Fatalf("%d diagnostics", len(said))
	}
	return said[0].Summary
}

// Validators run before the provider is configured, so that its own validation chooses the language. Two servers of one
// process, as aliases are, speak one each.
func TestLanguage_isThatOfTheProviderBlock(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	validate := func(p *testkit.Protocol, arguments map[string]any) []*tfprotov6.Diagnostic {
		request := &tfprotov6.ValidateProviderConfigRequest{Config: p.Config(p.Schemas.Provider, arguments)}
		return testkit.Answered(p.T, p.ValidateProviderConfig, request).Diagnostics
	}
	english, portuguese := testkit.Serve(t, s, nil), testkit.Serve(t, s, nil)
	if said := validate(portuguese, map[string]any{"language": "PT-br"}); len(said) != 0 {
		t.Fatalf("it says %q", said[0].Detail)
	}
	expect.Is(t, wrongCustomer(portuguese), "Valor vazio: name")
	expect.Is(t, wrongCustomer(english), "Empty name")
	said := configure(portuguese, map[string]any{"base_url": s.BaseURL(), "api_key": "key-0123", "language": "en"})
	expect.Is(t, len(said), 0, "messages")
	expect.Is(t, wrongCustomer(portuguese), "Empty name", "after Configure chose English")
	said = validate(english, map[string]any{"language": "fr"})
	if len(said) != 1 || !strings.Contains(said[0].Detail, "`en` or `pt-BR`") || said[0].Attribute.String() != `AttributeName("language")` {
		t.Errorf("of another language it says %v", said)
	}
}

func TestLanguage_isThatOfTheEnvironmentElse(t *testing.T) {
	t.Setenv(text.EnvLanguage, "pt-BR")
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	expect.Is(t, wrongCustomer(p), "Valor vazio: name")
}
