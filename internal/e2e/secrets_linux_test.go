package e2e_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// TestAccSecrets_areInNoCrashAndNoJSONLog ends the provider with a dump of its
// stacks while a request with secrets is on its way, and has the service refuse a
// certificate by repeating what it was sent.
func TestAccSecrets_areInNoCrashAndNoJSONLog(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	planted := map[string]string{}
	for _, name := range []string{"csc", "password", "token", "pfx", "pfx password"} {
		planted[name] = "planted" + strings.ReplaceAll(uuid.NewString(), "-", "")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(planted["pfx"]))
	s.ExpectCertificate([]byte(planted["pfx"]), planted["pfx password"], "CN=Filial", "CN=AC", time.Now().AddDate(1, 0, 0))
	more := ""
	w := testkit.NewWorkspace(t, "", "")
	if w.Cli.AtLeast(1, 11) {
		// By variables: a CLI quotes the line of the configuration that a message is about.
		more = `
}
variable "pfx" {}
variable "pfx_password" {}
resource "einvoice_company_certificate" "test" {
  company_id            = einvoice_company.branch.id
  pfx_base64_wo         = var.pfx
  password_wo           = var.pfx_password
  pfx_base64_wo_version = "1"
`
		s.Inject(sandbox.Fault{
			Kind: sandbox.FaultStatus, Method: "POST", Path: fixture.CertificatesPath, Status: 400,
			Body: fmt.Sprintf(`{"message":"%s does not open %s, that is %s"}`, planted["pfx password"], encoded, planted["pfx"]),
		})
	}
	w.Write(secretsConfig(s, planted, more))
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.Environ = append(w.Environ, "TF_LOG=JSON", "TF_LOG_PATH="+logs, "TF_VAR_pfx="+encoded, "TF_VAR_pfx_password="+planted["pfx password"])

	s.Inject(sandbox.Fault{Kind: sandbox.FaultStall, Method: "PUT", Path: "/v1/companies/{id}/settings"})
	cmd, crash := w.Command("apply", "-auto-approve", "-input=false")
	started, once := make(chan struct{}), sync.Once{}
	s.OnRequest(func(r sandbox.Request) {
		if r.Method == "PUT" && strings.HasSuffix(r.Path, "/settings") {
			once.Do(func() {
				<-started
				for _, pid := range providersIn(cmd.Process.Pid) {
					_ = syscall.Kill(pid, syscall.SIGQUIT)
				}
			})
		}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	if err := cmd.Wait(); err == nil {
		t.Errorf("the run outlived its provider:\n%s", crash)
	}
	refused, _ := w.Run("apply", "-auto-approve", "-input=false")
	shown, _ := w.Run("show", "-json")

	secrets := map[string]string{"the main company's key": s.OwnerKey(), "the file of the certificate": encoded}
	for name, value := range planted {
		secrets["the "+name] = value
	}
	// State and its JSON hold csc and password, as configured; never a write-only value.
	for _, name := range []string{"the pfx", "the pfx password", "the file of the certificate"} {
		searchFor(t, "the state", shown, map[string]string{name: secrets[name]})
	}
	searchFor(t, "the crash", strings.ReplaceAll(crash.String(), "https://example.com/hook?token="+planted["token"], ""), secrets)
	searchFor(t, "the second run", strings.ReplaceAll(refused, "https://example.com/hook?token="+planted["token"], ""), secrets)
	delete(secrets, "the token")
	log := providerLog(t, logs)
	if !strings.Contains(log, "SIGQUIT") || !strings.Contains(log, "goroutine ") {
		t.Error("the provider did not dump its stacks: this test would find nothing in them")
	}
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
