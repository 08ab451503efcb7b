package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// TestAccSecrets_areInNoCrashAndNoJSONLog ends the provider with a dump of its
// stacks while a request with secrets is on its way.
func TestAccSecrets_areInNoCrashAndNoJSONLog(t *testing.T) {
	t.Parallel()
	s, w, planted, logs := planting(t, "JSON")

	s.Inject(sandbox.Fault{Kind: sandbox.FaultStall, Method: "PUT", Path: "/v1/companies/{id}/settings"})
	cmd, crash := w.Command("apply", "-auto-approve", "-input=false")
	started := make(chan struct{})
	s.Before("PUT", "/v1/companies/{id}/settings", func() {
		<-started
		for _, pid := range providersIn(cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		}
	})
	expect.NoError(t, cmd.Start())
	close(started)
	expect.False(t, cmd.Wait() == nil, "the run outlived its provider:\n%s", crash)
	w.MustApply()

	secrets := secretsOf(s, planted)
	searchFor(t, "the crash", withoutHook(crash.String(), planted), secrets)
	delete(secrets, "the token")
	log := providerLog(t, logs)
	expect.False(t, !strings.Contains(log, "SIGQUIT") || !strings.Contains(log, "goroutine "),
		"the provider did not dump its stacks: this test would find nothing in them")
	searchFor(t, "the log", log, secrets)
}

// TestAccLifetime_aProviderWithoutItsCLIEnds kills the CLI alone, while an invoice
// is being sent. The provider stays until the answer may have come, and no longer.
func TestAccLifetime_aProviderWithoutItsCLIEnds(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, strings.Replace(testkit.OnceConfig(s, ""), "requests_per_minute = 0", "requests_per_minute = 0\n  request_timeout     = \"2s\"", 1), "")
	cmd, _ := w.Command("apply", "-auto-approve", "-input=false")
	started := make(chan struct{})
	s.Before("POST", fixture.ServiceInvoices, func() {
		<-started
		_ = cmd.Process.Kill()
	})
	expect.NoError(t, cmd.Start())
	close(started)
	_ = cmd.Wait() // It was killed.
	t.Cleanup(func() { _ = cli.SignalGroup(cmd, syscall.SIGKILL) })
	tooLate := time.After(5 * time.Minute) // Only a failure takes that long.
	for look := time.Tick(100 * time.Millisecond); len(providersIn(cmd.Process.Pid)) > 0; {
		select {
		case <-look:
		case <-tooLate:
			t.Fatalf("processes %v of the provider are still there", providersIn(cmd.Process.Pid))
		}
	}
	expect.Is(t, len(s.InvoicesByIntegrationID("order-1")), 1, "invoices of a request that was to be sent to its end")
}
