package webhook_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// openSecret opens the ephemeral resource as a CLI does, and returns its secret.
func openSecret(p *testkit.Protocol) (tftypes.Value, []*tfprotov6.Diagnostic) {
	p.T.Helper()
	const name = "einvoice_webhook_secret"
	schema := p.Schemas.EphemeralResourceSchemas[name]
	if schema == nil {
		p.T.Fatalf("no ephemeral resource %s is served", name)
	}
	config := p.Config(schema, nil)
	valid := testkit.Answered(p.T, p.ValidateEphemeralResourceConfig, &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: name, Config: config,
	})
	p.MustNotFail(valid.Diagnostics)
	opened := testkit.Answered(p.T, p.OpenEphemeralResource, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: name, Config: config,
	})
	if !opened.RenewAt.IsZero() {
		p.T.Errorf("the secret is to be renewed at %s", opened.RenewAt)
	}
	closed := testkit.Answered(p.T, p.CloseEphemeralResource, &tfprotov6.CloseEphemeralResourceRequest{
		TypeName: name, Private: opened.Private,
	})
	p.MustNotFail(closed.Diagnostics)
	return p.Attributes(opened.Result, schema.ValueType())["secret"], opened.Diagnostics
}

func TestWebhookSecret_isReadAndNeverChanged(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	first, diagnostics := openSecret(p) // A CLI opens it in plan,
	p.MustNotFail(diagnostics)
	second, diagnostics := openSecret(p) // and again in apply.
	p.MustNotFail(diagnostics)
	if want := s.WebhookSecret(); testkit.TextIn(t, first) != want || testkit.TextIn(t, second) != want {
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
		_, diagnostics := openSecret(testkit.Serve(t, s, map[string]any{"api_key": key}))
		if !strings.Contains(testkit.ErrorsIn(diagnostics), want) {
			t.Errorf("with the key %v: %q, want an error with %q", key, testkit.ErrorsIn(diagnostics), want)
		}
	}
	s.Inject(sandbox.Fault{Method: "GET", Path: "/v1/webhooks/secret", Kind: sandbox.FaultBody, Body: `{"secret":"whsec_R0****"}`})
	if _, said := openSecret(testkit.Serve(t, s, nil)); !strings.Contains(testkit.ErrorsIn(said), "The service shows the secret masked") {
		t.Errorf("a mask is read, and what is said is %q", testkit.ErrorsIn(said))
	}
}
