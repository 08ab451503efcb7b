package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
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
		rows.Case(t, name, func(t *testing.T) {
			var out bytes.Buffer
			err := write(t.Context(), &out, server)
			expect.False(t, err == nil || !strings.Contains(err.Error(), "Invalid schema: No type."),
				"error %v, want the provider's", err)
			expect.False(t, out.Len() > 0, "wrote %q before it failed", out.String())
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
	expect.NoError(t, write(t.Context(), &ours, providerserver.NewProtocol6(provider.New("test")())()))
	told := onlyProvider(t, stdout.Bytes())
	written := onlyProvider(t, ours.Bytes())
	_, ok := told["resource_schemas"]
	expect.True(t, ok, "%s tells of no resources", w.Cli)
	for section, want := range told {
		got := written[section]
		if section == "resource_identity_schemas" || section == "functions" {
			// The CLIs differ in whether an empty text is written.
			want, got = withoutEmpty(want), withoutEmpty(got)
		}
		expect.Same(t, want, got, "%s differs from what %s tells", section, w.Cli)
	}
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
