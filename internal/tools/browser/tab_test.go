package browser_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// patience is how long the browser may take on a machine that is busy with other tests.
const patience = time.Minute

// account has something in every part of the page, and texts that would be markup.
func account(t *testing.T) *sandbox.Server {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{RateLimit: true})
	answer := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	for event, url := range map[string]string{
		sandbox.EventAuthorized: answer(http.StatusNoContent) + "/in?token=1", sandbox.EventRejected: answer(http.StatusInternalServerError),
		sandbox.EventCanceled: "http://127.0.0.1:1/closed", sandbox.EventStatusChanged: "https://hooks.example/in",
	} {
		s.Seed(sandbox.KindWebhooks, map[string]any{"event": event, "url": url})
	}
	s.Seed(sandbox.KindCompanies, map[string]any{"name": "Filial <b>Centro</b>", "legalName": "Filial Centro & Irmãos Ltda"})
	s.Seed(sandbox.KindCertificates, map[string]any{"_companyId": s.OwnerCompanyID(), "subject": "CN=Matriz", "isActive": true})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"csc": "CSC-0123456789"}})
	for _, invoice := range []struct{ id, kind, status string }{
		{"order-1001", sandbox.KindServiceInvoices, "authorized"},
		{"sale-2", sandbox.KindConsumerInvoices, "rejected"},
		{"order-1002", sandbox.KindServiceInvoices, "canceled"},
		{"order-1003", sandbox.KindProductInvoices, "authorized"},
		{"order-1004", sandbox.KindProductInvoices, "enqueued"},
		{"draft-5", sandbox.KindServiceInvoices, "created"},
		{"order-1006", sandbox.KindServiceInvoices, "authorized"},
	} {
		id := s.Seed(invoice.kind, map[string]any{
			"integrationId": invoice.id, "status": "enqueued", "amount": 1234.5, "description": `<script>window.pwned = true</script> "Consultoria"`,
			"receiver":         map[string]any{"name": "Tomador <b>de</b> Exemplo Ltda", "federalTaxNumber": "45997418000153"},
			"processingDetail": map[string]any{"code": "778", "message": "Rejeição: Informado NCM inexistente [nItem:1]"},
		})
		s.SetInvoiceStatus(id, invoice.status)
		s.Settle()
		s.RotateWebhookSecret(1)
	}
	s.Seed(sandbox.KindCustomers, map[string]any{"name": "<script>window.pwned = true</script>", "federalTaxNumber": "52998224725"})
	s.Seed(sandbox.KindProducts, map[string]any{"name": `"><img src=x onerror="window.pwned = true">`, "code": "P-1", "price": 10.4, "invoiceModel": "productInvoice"})
	s.Seed(sandbox.KindOrders, map[string]any{"transactionId": "t-1", "amount": 26, "customer": map[string]any{"name": "Maria"}})
	for _, key := range []string{s.OwnerKey(), "nobody's"} {
		ask(t, s, key, "/v1/customers")
	}
	return s
}

// ask reads something from the service.
func ask(t *testing.T, s *sandbox.Server, key, path string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("X-Api-Key", key)
	s.ServeHTTP(httptest.NewRecorder(), r)
}

// idOf is the id of the invoice with an integration id.
func idOf(t *testing.T, s *sandbox.Server, integrationID string) string {
	t.Helper()
	found := s.InvoicesByIntegrationID(integrationID)
	if len(found) != 1 {
		t.Fatalf("%d invoices are %s", len(found), integrationID)
	}
	return found[0]["id"].(string)
}

// startBrowser starts the Chromium of the PATH, or skips the test where there is none.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("PATH has no chromium, so the page is not tried in a browser; on Debian: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium"),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is one page in the browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// open opens a tab.
func open(browser context.Context, t *testing.T) *tab {
	t.Helper()
	g := &tab{t: t}
	ctx, stop := chromedp.NewContext(browser, chromedp.WithListener(g.hear))
	t.Cleanup(stop)
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	g.ctx = ctx
	// An unfocused tab draws no focus, and those in the background wait.
	g.do(chromedp.EmulateViewport(1200, 800))
	call(g, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return g
}

// visit opens a tab on the page of an account, and waits until it is live.
func visit(browser context.Context, t *testing.T) (*tab, *sandbox.Server) {
	t.Helper()
	g, s := open(browser, t), account(t)
	g.do(chromedp.Navigate(s.PageURL()))
	g.until(`document.getElementById("said").textContent.startsWith("Live. 7 invoices")`)
	return g, s
}

// hear keeps what the browser finds wrong with the page: errors of its script and breaches of its policy.
func (g *tab) hear(event any) {
	switch event.(type) {
	case *runtime.EventExceptionThrown, *runtime.EventConsoleAPICalled, *cdplog.EventEntryAdded:
		g.mu.Lock()
		defer g.mu.Unlock()
		said, _ := json.Marshal(event)
		g.complaints = append(g.complaints, string(said))
	}
}

// wantNoComplaint also checks that no markup of an invoice came to life.
func (g *tab) wantNoComplaint() {
	g.t.Helper()
	if got := g.eval(`String(window.pwned) + document.querySelectorAll("main script, main b, main i").length`); got != "undefined0" {
		g.t.Errorf("markup of an invoice came to life: %v", got)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.complaints) > 0 {
		g.t.Errorf("the browser complains: %s", strings.Join(g.complaints, "\n"))
	}
}

func (g *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	g.t.Helper()
	if err := chromedp.Do(g.ctx, steps...); err != nil {
		g.t.Fatal(err)
	}
}

func call[P, R any](g *tab, command cdp.Command[P, R], params P) R {
	g.t.Helper()
	result, err := chromedp.Run(g.ctx, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return result
}

// eval computes an expression in the page, waits for it where it is a promise, and returns its value.
func (g *tab) eval(expression string) any {
	g.t.Helper()
	value, err := chromedp.Run(g.ctx, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		g.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits for a condition in the page.
func (g *tab) until(condition string) {
	g.t.Helper()
	for until := time.Now().Add(patience); ; <-time.After(patience / 100) {
		_, err := chromedp.Run(g.ctx, chromedp.Poll[bool]("!!("+condition+")", chromedp.WithPollingTimeout(patience)))
		switch {
		case err == nil:
			return
		case time.Now().After(until): // Until then the page may have given way to the next one, with which a poll ends.
			g.t.Fatalf("never true on the page: %s: %v\n%v", condition, err, g.eval("document.body.innerText"))
		}
	}
}

// leave clicks on what leads to another page, and waits for that.
func (g *tab) leave(selector string) {
	g.t.Helper()
	if _, err := chromedp.RunResponse(g.ctx, chromedp.Click(selector)); err != nil {
		g.t.Fatalf("%s: %v", selector, err)
	}
}

// spoken is what a screen reader is given, one "role name" for each node.
func (g *tab) spoken() []string {
	g.t.Helper()
	var out []string
	for _, node := range call(g, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if node.Ignored {
			continue
		}
		var words [2]string
		for i, value := range []*accessibility.Value{node.Role, node.Name} {
			if value != nil {
				_ = json.Unmarshal(value.Value, &words[i])
			}
		}
		out = append(out, strings.TrimSpace(strings.Join(words[:], " ")))
	}
	return out
}

// illegible finds texts whose contrast with what is behind them is below 4.5, as WCAG 2.2 computes it.
const illegible = `(() => {
	const parse = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => {
		const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] === 1) return c.slice(0, 3);
		}
		return [255, 255, 255];
	};
	const bad = new Set();
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const e = texts.currentNode.parentElement;
		if (!texts.currentNode.data.trim() || e.closest("noscript, meter, [aria-hidden]") || !e.getClientRects().length) continue;
		const a = light(parse(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) bad.add(e.className + " " + texts.currentNode.data.trim().slice(0, 20) + " " + contrast.toFixed(2));
	}
	return [...bad];
})()`
