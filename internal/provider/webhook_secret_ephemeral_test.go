package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// openSecret opens the ephemeral resource as a CLI does, and returns its secret.
func openSecret(p *protocolProvider) (tftypes.Value, []*tfprotov6.Diagnostic) {
	p.t.Helper()
	const name = "einvoice_webhook_secret"
	schema := p.schemas.EphemeralResourceSchemas[name]
	if schema == nil {
		p.t.Fatalf("no ephemeral resource %s is served", name)
	}
	config := p.config(schema, nil)
	valid, err := p.ValidateEphemeralResourceConfig(p.t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	p.mustNotFail(valid.Diagnostics)
	opened, err := p.OpenEphemeralResource(p.t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: config})
	if err != nil {
		p.t.Fatal(err)
	}
	if !opened.RenewAt.IsZero() {
		p.t.Errorf("the secret is to be renewed at %s", opened.RenewAt)
	}
	closed, err := p.CloseEphemeralResource(p.t.Context(), &tfprotov6.CloseEphemeralResourceRequest{TypeName: name, Private: opened.Private})
	if err != nil {
		p.t.Fatal(err)
	}
	p.mustNotFail(closed.Diagnostics)
	return p.attributes(opened.Result, schema.ValueType())["secret"], opened.Diagnostics
}

func TestWebhookSecret_isReadAndNeverChanged(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := serve(t, s, nil)
	first, diagnostics := openSecret(p) // A CLI opens it in plan,
	p.mustNotFail(diagnostics)
	second, diagnostics := openSecret(p) // and again in apply.
	p.mustNotFail(diagnostics)
	if want := s.WebhookSecret(); textIn(t, first) != want || textIn(t, second) != want {
		t.Errorf("the secret is read as %s and %s, and is %q", first, second, want)
	}
	if all, reads := len(s.Requests()), s.Count("GET", "/v1/webhooks/secret"); all != 2 || reads != 2 {
		t.Errorf("%d requests, %d of them reads of the secret, want 2", all, reads)
	}
}

func TestWebhookSecret_reportsWhatFails(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	for key, want := range map[any]string{"": "Empty API key", "nobody": "Cannot read webhook secret", tftypes.UnknownValue: "Provider configuration not known yet"} {
		_, diagnostics := openSecret(serve(t, s, map[string]any{"api_key": key}))
		if !strings.Contains(errorsIn(diagnostics), want) {
			t.Errorf("with the key %v: %q, want an error with %q", key, errorsIn(diagnostics), want)
		}
	}
}
