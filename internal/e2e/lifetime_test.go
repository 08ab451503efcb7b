package e2e_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// TestAccLifetime_aProviderWithoutItsCLIEnds kills the CLI alone, while an invoice
// is being sent. The provider stays until the answer may have come, and no longer.
func TestAccLifetime_aProviderWithoutItsCLIEnds(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("needs /proc, to find the processes of a run")
	}
	s := sandbox.Start(t, sandbox.Options{})
	w := acctest.NewWorkspace(t, strings.Replace(acctest.OnceConfig(s, ""), "requests_per_minute = 0", "requests_per_minute = 0\n  request_timeout     = \"2s\"", 1), "")
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
	group := cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	deadline := time.After(20 * time.Second)
	for look := time.Tick(100 * time.Millisecond); len(providersIn(group)) > 0; {
		select {
		case <-look:
		case <-deadline:
			t.Fatalf("processes %v of the provider are still there", providersIn(group))
		}
	}
	if invoices := s.InvoicesByIntegrationID("order-1"); len(invoices) != 1 {
		t.Errorf("%d invoices, want 1: the request was not sent to its end", len(invoices))
	}
}
