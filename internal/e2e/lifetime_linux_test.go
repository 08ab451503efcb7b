package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
	if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 {
		t.Errorf("%d invoices, want 1: the request was not sent to its end", len(invoices))
	}
}
