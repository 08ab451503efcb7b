package page_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	"github.com/chromedp/chromedp/kb"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// patience is how long the browser may take on a machine that is busy with other tests.
const patience = time.Minute

// shots is where TestPage_inABrowser leaves pictures of the page, for looking at.
var shots = flag.String("shots", "", "the directory that pictures of the page are written to; none where it is empty")

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
		id := s.Seed(invoice.kind, map[string]any{"integrationId": invoice.id, "status": "enqueued", "description": `<script>window.pwned = true</script> "Consultoria"`})
		s.SetInvoiceStatus(id, invoice.status)
		s.Settle()
		s.RotateWebhookSecret(1)
	}
	for _, key := range []string{s.OwnerKey(), "nobody's"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/customers", nil)
		r.Header.Set("X-Api-Key", key)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	return s
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

func (g *tab) wantNoComplaint() {
	g.t.Helper()
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
	if _, err := chromedp.Run(g.ctx, chromedp.Poll[bool]("!!("+condition+")", chromedp.WithPollingTimeout(patience))); err != nil {
		g.t.Fatalf("never true on the page: %s: %v\n%v", condition, err, g.eval("document.body.innerText"))
	}
}

// shoot writes a picture of the whole page.
func (g *tab) shoot(name string) {
	g.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(g.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, strings.ReplaceAll(name, " ", "-")+".png"), png, 0o600); err != nil {
		g.t.Fatal(err)
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

func TestPage_inABrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)

	t.Run("is read without a complaint, and no markup of an invoice runs", func(t *testing.T) {
		t.Parallel()
		g, _ := visit(browser, t)
		if got := g.eval(`String(window.pwned) + document.querySelectorAll("main script, main b, main i").length`); got != "undefined0" {
			t.Errorf("markup of an invoice came to life: %v", got)
		}
		if text := g.eval(`document.querySelector("main").innerText`).(string); !strings.Contains(text, "<script>window.pwned = true</script>") {
			t.Error("the description of an invoice is not shown as it is")
		}
		g.wantNoComplaint()
	})

	t.Run("follows what happens and keeps focus, open histories and the place", func(t *testing.T) {
		t.Parallel()
		g, s := visit(browser, t)
		g.eval(`window.history1001 = [...document.querySelectorAll("#invoices summary")].find((s) => s.textContent.includes("order-1001")); history1001.focus(); history1001.click()`)
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "seen-live", "status": "enqueued"})
		g.until(`document.getElementById("invoice-` + id + `")?.innerText.includes("enqueued")`)
		s.SetInvoiceStatus(id, "authorized")
		g.until(`document.getElementById("invoice-` + id + `").innerText.includes("authorized")`)
		g.until(`document.getElementById("said").textContent.startsWith("Live. 8 invoices")`)
		if got := g.eval(`document.querySelector("#invoices tbody tr").id`); got != "invoice-"+id {
			t.Errorf("the first row is %v, want the newest invoice", got)
		}
		if got := g.eval(`document.activeElement === history1001 && history1001.isConnected && history1001.parentElement.open && history1001.textContent.includes("order-1001")`); got != true {
			t.Error("the history that had the focus and was open lost one of both")
		}
		s.Remove(sandbox.KindServiceInvoices, id)
		g.until(`!document.getElementById("invoice-` + id + `")`)
		g.wantNoComplaint()
	})

	t.Run("is paused, resumed, and says when the sandbox is gone", func(t *testing.T) {
		t.Parallel()
		g, s := visit(browser, t)
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("said").textContent.startsWith("Paused. ")`)
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "while-paused"})
		if got := g.eval(`fetch("/").then((r) => r.text()).then((now) => now.includes("` + id + `") && !document.getElementById("invoice-` + id + `"))`); got != true {
			t.Error("the page followed although it is paused")
		}
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("invoice-` + id + `")`)
		s.Close()
		g.until(`document.getElementById("said").textContent.startsWith("The sandbox does not answer")`)
	})

	t.Run("does what the back office does", func(t *testing.T) {
		t.Parallel()
		g, s := visit(browser, t)
		before, old := s.OwnerKey(), s.Seed(sandbox.KindCertificates, map[string]any{"_companyId": s.OwnerCompanyID(), "subject": "CN=Antigo"})
		press := func(control string) {
			g.eval(`document.querySelector('[data-control="/_sandbox/` + control + `"]').click()`)
		}
		g.until(`document.querySelector('[data-control="/_sandbox/certificates/` + old + `/activate"]')`)
		press("certificates/" + old + "/activate")
		g.until(`!document.querySelector('[data-control="/_sandbox/certificates/` + old + `/activate"]')`)
		if held, _ := s.Object(sandbox.KindCertificates, old); held["isActive"] != true {
			t.Errorf("the certificate is %v", held)
		}
		g.eval(`window.confirm = () => false`)
		press("companies/" + s.OwnerCompanyID() + "/key")
		g.eval(`window.confirm = () => true`)
		if s.OwnerKey() != before {
			t.Error("the key changed although nobody agreed")
		}
		press("companies/" + s.OwnerCompanyID() + "/key")
		g.until(`document.getElementById("done").textContent.startsWith("The new key of Matriz de Teste")`)
		if said := g.eval(`document.getElementById("done").textContent`).(string); s.OwnerKey() == before || !strings.HasSuffix(said, s.OwnerKey()) {
			t.Errorf("the page says %q, and the key is new: %t", said, s.OwnerKey() != before)
		}
		g.wantNoComplaint()
	})

	t.Run("is worked by keyboard, with a focus that is seen", func(t *testing.T) {
		t.Parallel()
		g, _ := visit(browser, t)
		g.until(`!document.getElementById("pause").hidden`)
		var stops []string
		for range 12 {
			g.do(chromedp.KeyEvent(kb.Tab))
			stops = append(stops, g.eval(`document.activeElement.textContent.trim().replace(/\s+/g, " ")`).(string))
			if got := g.eval(`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2 && getComputedStyle(document.activeElement).outlineStyle !== "none"`); got != true {
				t.Errorf("the focus on %q is not seen", stops[len(stops)-1])
			}
		}
		want := []string{"Skip to the content", "Pause updates", "Invoices 7", "Companies 2", "Settings", "Webhooks 4"}
		if !slices.Equal(stops[:len(want)], want) || stops[9] != "History of order-1006" {
			t.Errorf("tab stops are %q", stops)
		}
		g.do(chromedp.KeyEvent(kb.Enter))
		if got := g.eval(`document.activeElement.parentElement.open`); got != true {
			t.Error("Enter does not open a history")
		}
	})

	t.Run("says its parts to a screen reader, on a narrow screen too", func(t *testing.T) {
		t.Parallel()
		g, _ := visit(browser, t)
		for _, width := range []int64{1200, 320} {
			g.do(chromedp.EmulateViewport(width, 800))
			spoken := g.spoken()
			for _, want := range []string{
				"banner", "main", "contentinfo", "navigation Parts of the page", "heading Sandbox of the invoicing service", "status",
				"region Invoices", "region Companies", "region Settings", "region Webhooks", "region Webhook deliveries", "region Rate limit", "region Requests",
				"table Newest first.", "columnheader State", "meter Requests of Matriz de Teste in this window", "DisclosureTriangle History of order-1001",
				"button Pause updates",
			} {
				if !slices.Contains(spoken, want) {
					t.Errorf("at %d pixels nothing is said to be %q", width, want)
				}
			}
			if !slices.ContainsFunc(spoken, func(s string) bool { return strings.HasPrefix(s, "rowheader sale-2") }) {
				t.Errorf("at %d pixels no row is headed by its invoice", width)
			}
			if t.Failed() {
				t.Logf("at %d pixels: %q", width, spoken)
			}
		}
	})

	t.Run("fits and is legible at every width, light and dark", func(t *testing.T) {
		t.Parallel()
		g, _ := visit(browser, t)
		for _, width := range []int64{320, 720, 1200} {
			for _, scheme := range []string{"light", "dark"} {
				g.do(chromedp.EmulateViewport(width, 800))
				call(g, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				name := scheme + " at " + g.eval(`String(innerWidth)`).(string)
				g.eval(`document.querySelectorAll("details").forEach((d) => { d.open = false; })`)
				g.shoot(name)
				g.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
				g.shoot(name + " open")
				if got := g.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); got != 0.0 {
					t.Errorf("%s: the page is %v pixels wider than the window", name, got)
				}
				if got := g.eval(illegible).([]any); len(got) > 0 {
					t.Errorf("%s: too little contrast: %v", name, got)
				}
			}
		}
	})

	t.Run("is whole without scripts, and says how to follow", func(t *testing.T) {
		t.Parallel()
		s := account(t)
		g := open(browser, t)
		call(g, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		g.do(chromedp.Navigate(s.PageURL()))
		spoken := strings.Join(g.spoken(), "\n")
		for _, want := range []string{"link let it load again every 10 seconds", "table Newest first.", "order-1001"} {
			if !strings.Contains(spoken, want) {
				t.Errorf("without scripts the page lacks %q", want)
			}
		}
		if strings.Contains(spoken, "Pause updates") || strings.Contains(spoken, "New key") {
			t.Error("without scripts there is a button that does nothing")
		}
	})
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
		if (!texts.currentNode.data.trim() || e.closest("noscript, meter") || !e.getClientRects().length) continue;
		const a = light(parse(getComputedStyle(e).color).slice(0, 3)), b = light(behind(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) bad.add(e.className + " " + texts.currentNode.data.trim().slice(0, 20) + " " + contrast.toFixed(2));
	}
	return [...bad];
})()`
