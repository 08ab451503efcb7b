package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// Whatever may hold a secret is in no error, however wrong its value is: what is sensitive or write-only, and every
// JSON text. CLIs hide a sensitive value in a plan, but not what an error quotes.
func TestErrors_quoteNothingThatMayBeASecret(t *testing.T) {
	t.Parallel()
	const secret = "Zx9SECRETzx9"
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	wrong := []string{
		secret, " " + secret + "\n", `{ "general": { "csrt": "` + secret + `" }`, `["` + secret + `"`, `{ "a": "` + secret + `" } x`,
		secret + `: 1`, `{"` + secret + `": {]}`, "postgres://u:" + secret + "@ [", "postgres://u:" + secret + "@h/db?x=%zz",
	}
	tested := 0
	check := func(kind string, schema *tfprotov6.Schema, validate func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic) {
		var walk func(at string, attributes []*tfprotov6.SchemaAttribute)
		walk = func(at string, attributes []*tfprotov6.SchemaAttribute) {
			for _, a := range attributes {
				if a.NestedType != nil {
					walk(at+a.Name+".", a.NestedType.Attributes)
				}
				if !a.Required && !a.Optional || !a.Sensitive && !a.WriteOnly && !strings.HasSuffix(a.Name, "_json") {
					continue
				}
				for _, text := range wrong {
					values := []any{text}
					if a.Type.Is(tftypes.Map{ElementType: tftypes.String}) {
						values = []any{object{text: "11222333000181"}, object{"11222333000181": text}, object{text: text}, object{text: nil}}
					}
					for _, value := range values {
						tested++
						arguments := object{}
						testkit.Set(arguments, at+a.Name, value)
						for _, d := range validate(p.Config(schema, arguments)) {
							if strings.Contains(fmt.Sprint(d.Summary, d.Detail, d.Attribute), secret) {
								t.Errorf("%s: %s%s = %q: an error quotes it: %s: %s", kind, at, a.Name, value, d.Summary, d.Detail)
							}
						}
					}
				}
			}
		}
		walk("", schema.Block.Attributes)
	}
	check("provider", p.Schemas.Provider, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
		valid := testkit.Answered(t, p.ValidateProviderConfig, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		if testkit.ErrorsIn(valid.Diagnostics) != "" {
			return valid.Diagnostics
		}
		set := testkit.Answered(t, p.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{Config: config})
		return append(valid.Diagnostics, set.Diagnostics...)
	})
	for kind, schema := range p.Schemas.ResourceSchemas {
		check(kind, schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			return testkit.Answered(t, p.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
				TypeName: kind, Config: config,
				ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
			}).Diagnostics
		})
	}
	for kind, schema := range p.Schemas.DataSourceSchemas {
		check(kind, schema, func(config *tfprotov6.DynamicValue) []*tfprotov6.Diagnostic {
			return testkit.Answered(t, p.ValidateDataResourceConfig,
				&tfprotov6.ValidateDataResourceConfigRequest{TypeName: kind, Config: config}).Diagnostics
		})
	}
	if tested < 100 {
		t.Errorf("only %d values were tried", tested)
	}
}
