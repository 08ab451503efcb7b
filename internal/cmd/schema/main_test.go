package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// fixedServer answers the two questions about schemas; no other is asked.
type fixedServer struct {
	tfprotov6.ProviderServer

	schemas    tfprotov6.GetProviderSchemaResponse
	identities tfprotov6.GetResourceIdentitySchemasResponse
}

func (s *fixedServer) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &s.schemas, nil
}

func (s *fixedServer) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &s.identities, nil
}

func TestWrite(t *testing.T) {
	t.Parallel()
	flat := func(attributes ...*tfprotov6.SchemaAttribute) *tfprotov6.Schema {
		return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: attributes}}
	}
	text := func(name string) *tfprotov6.SchemaAttribute {
		return &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Required: true}
	}
	tests := []struct {
		name       string
		schemas    tfprotov6.GetProviderSchemaResponse
		identities tfprotov6.GetResourceIdentitySchemasResponse
		want       string
	}{
		{
			name:    "the provider's own configuration",
			schemas: tfprotov6.GetProviderSchemaResponse{Provider: flat(text("base_url"))},
			want:    `{"provider":{"version":0,"block":{"attributes":{"base_url":{"type":"string","description_kind":"plain","required":true}},"description_kind":"plain"}}}`,
		},
		{
			name: "a resource with all flags, types and descriptions",
			schemas: tfprotov6.GetProviderSchemaResponse{ResourceSchemas: map[string]*tfprotov6.Schema{"einvoice_a": {
				Version: 2,
				Block: &tfprotov6.SchemaBlock{
					Description: "A *thing*.", DescriptionKind: tfprotov6.StringKindMarkdown,
					Deprecated: true,
					Attributes: []*tfprotov6.SchemaAttribute{
						{Name: "secret_wo", Type: tftypes.String, Optional: true, Sensitive: true, WriteOnly: true, Description: "S.", DescriptionKind: tfprotov6.StringKindMarkdown},
						{Name: "rates", Type: tftypes.Map{ElementType: tftypes.Number}, Computed: true, Deprecated: true},
					},
				},
			}}},
			want: `{"resource_schemas":{"einvoice_a":{"version":2,"block":{
				"description":"A *thing*.","description_kind":"markdown","deprecated":true,
				"attributes":{
					"secret_wo":{"type":"string","description":"S.","description_kind":"markdown","optional":true,"sensitive":true,"write_only":true},
					"rates":{"type":["map","number"],"description_kind":"plain","computed":true,"deprecated":true}
				}}}}}`,
		},
		{
			name: "nested attributes of each form, and blocks",
			schemas: tfprotov6.GetProviderSchemaResponse{DataSourceSchemas: map[string]*tfprotov6.Schema{"einvoice_b": {Block: &tfprotov6.SchemaBlock{
				Attributes: []*tfprotov6.SchemaAttribute{{
					Name: "items", Optional: true,
					NestedType: &tfprotov6.SchemaObject{
						Nesting: tfprotov6.SchemaObjectNestingModeList,
						Attributes: []*tfprotov6.SchemaAttribute{{
							Name: "city", Computed: true,
							NestedType: &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: []*tfprotov6.SchemaAttribute{text("code")}},
						}},
					},
				}},
				BlockTypes: []*tfprotov6.SchemaNestedBlock{{
					TypeName: "timeouts", Nesting: tfprotov6.SchemaNestedBlockNestingModeSet, MinItems: 1, MaxItems: 2,
					Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{text("create")}},
				}},
			}}}},
			want: `{"data_source_schemas":{"einvoice_b":{"version":0,"block":{"description_kind":"plain",
				"attributes":{"items":{"description_kind":"plain","optional":true,"nested_type":{"nesting_mode":"list","attributes":{
					"city":{"description_kind":"plain","computed":true,"nested_type":{"nesting_mode":"single","attributes":{
						"code":{"type":"string","description_kind":"plain","required":true}}}}}}}},
				"block_types":{"timeouts":{"nesting_mode":"set","min_items":1,"max_items":2,"block":{"description_kind":"plain","attributes":{
					"create":{"type":"string","description_kind":"plain","required":true}}}}}
			}}}}`,
		},
		{
			name: "ephemeral resources, list resources and actions",
			schemas: tfprotov6.GetProviderSchemaResponse{
				EphemeralResourceSchemas: map[string]*tfprotov6.Schema{"einvoice_c": flat(text("c"))},
				ListResourceSchemas:      map[string]*tfprotov6.Schema{"einvoice_d": flat(text("d"))},
				ActionSchemas:            map[string]*tfprotov6.ActionSchema{"einvoice_e": {Schema: flat(text("e"))}},
			},
			want: `{
				"ephemeral_resource_schemas":{"einvoice_c":{"version":0,"block":{"description_kind":"plain","attributes":{"c":{"type":"string","description_kind":"plain","required":true}}}}},
				"list_resource_schemas":{"einvoice_d":{"version":0,"block":{"description_kind":"plain","attributes":{"d":{"type":"string","description_kind":"plain","required":true}}}}},
				"action_schemas":{"einvoice_e":{"block":{"description_kind":"plain","attributes":{"e":{"type":"string","description_kind":"plain","required":true}}}}}
			}`,
		},
		{
			name: "a function with fixed and variadic parameters",
			schemas: tfprotov6.GetProviderSchemaResponse{Functions: map[string]*tfprotov6.Function{"join": {
				Summary: "Joins.", Description: "Joins parts.", DeprecationMessage: "Use concat.",
				Parameters:        []*tfprotov6.FunctionParameter{{Name: "first", Description: "F.", AllowNullValue: true, Type: tftypes.String}},
				VariadicParameter: &tfprotov6.FunctionParameter{Name: "rest", Type: tftypes.DynamicPseudoType},
				Return:            &tfprotov6.FunctionReturn{Type: tftypes.Object{AttributeTypes: map[string]tftypes.Type{"n": tftypes.Number}}},
			}}},
			want: `{"functions":{"join":{"summary":"Joins.","description":"Joins parts.","deprecation_message":"Use concat.",
				"return_type":["object",{"n":"number"}],
				"parameters":[{"name":"first","description":"F.","is_nullable":true,"type":"string"}],
				"variadic_parameter":{"name":"rest","type":"dynamic"}}}}`,
		},
		{
			name: "an identity",
			identities: tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{"einvoice_a": {
				Version: 1,
				IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{
					{Name: "id", Type: tftypes.String, Description: "The id.", RequiredForImport: true},
					{Name: "model", Type: tftypes.String, OptionalForImport: true},
				},
			}}},
			want: `{"resource_identity_schemas":{"einvoice_a":{"version":1,"attributes":{
				"id":{"type":"string","description":"The id.","required_for_import":true},
				"model":{"type":"string","optional_for_import":true}}}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := write(t.Context(), &out, &fixedServer{schemas: tt.schemas, identities: tt.identities}); err != nil {
				t.Fatal(err)
			}
			want := `{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/einvoice":` + tt.want + `}}`
			if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, out.Bytes())); diff != "" {
				t.Errorf("the document differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrite_failsWithTheProvidersError(t *testing.T) {
	t.Parallel()
	broken := []*tfprotov6.Diagnostic{
		{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "Harmless"},
		{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Invalid schema", Detail: "No type."},
	}
	servers := map[string]*fixedServer{
		"of its schemas":    {schemas: tfprotov6.GetProviderSchemaResponse{Diagnostics: broken}},
		"of its identities": {identities: tfprotov6.GetResourceIdentitySchemasResponse{Diagnostics: broken}},
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := write(t.Context(), &out, server)
			if err == nil || !strings.Contains(err.Error(), "Invalid schema: No type.") {
				t.Errorf("error %v, want the provider's", err)
			}
			if out.Len() > 0 {
				t.Errorf("wrote %q before it failed", out.String())
			}
		})
	}
}

// What a CLI leaves out depends on its version, so only what it does tell is compared.
func TestAccWrite_saysWhatTheCLISays(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, "terraform {\n  required_providers {\n    einvoice = { source = \"einvoice-br/einvoice\" }\n  }\n}\n")
	cmd := exec.CommandContext(t.Context(), w.Cli.Path, "providers", "schema", "-json")
	cmd.Dir, cmd.Env = w.Dir, w.Environ
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout.String(), stderr.String())
	}

	var ours bytes.Buffer
	if err := write(t.Context(), &ours, providerserver.NewProtocol6(provider.New("test")())()); err != nil {
		t.Fatal(err)
	}
	told := onlyProvider(t, stdout.Bytes())
	written := onlyProvider(t, ours.Bytes())
	if _, ok := told["resource_schemas"]; !ok {
		t.Errorf("%s tells of no resources", w.Cli)
	}
	for section, want := range told {
		got := written[section]
		if section == "resource_identity_schemas" || section == "functions" {
			// The CLIs differ in whether an empty text is written.
			want, got = withoutEmpty(want), withoutEmpty(got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from what %s tells (-CLI +ours):\n%s", section, w.Cli, diff)
		}
	}
}

func decoded(t *testing.T, content []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		t.Fatalf("%v in %s", err, content)
	}
	return value
}

func onlyProvider(t *testing.T, content []byte) map[string]any {
	t.Helper()
	var doc struct {
		ProviderSchemas map[string]map[string]any `json:"provider_schemas"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		t.Fatalf("%v in %s", err, content)
	}
	if len(doc.ProviderSchemas) != 1 {
		t.Fatalf("%d providers, want one", len(doc.ProviderSchemas))
	}
	for _, sections := range doc.ProviderSchemas {
		return sections
	}
	return nil
}

func withoutEmpty(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for name, member := range object {
		if member != "" {
			out[name] = withoutEmpty(member)
		}
	}
	return out
}
