package browser_test

import (
	"context"
	_ "embed" // A script.
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// slash is the key that leads to the search.
var slash = input.DispatchKeyEventParams{Type: "rawKeyDown", Key: "/"}

func TestPage_inABrowser(t *testing.T) {
	t.Parallel()
	browser := startBrowser(t)

	rows.Case(t, "follows what happens and keeps focus, what is open and the place", func(t *testing.T) {
		g, s := visit(browser, t)
		g.eval(`window.opened = [...document.querySelectorAll("#settings summary")].find((s) => s.textContent.includes("Matriz")); opened.focus(); opened.click()`)
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "seen-live", "status": "enqueued"})
		g.until(`document.getElementById("invoice-` + id + `")?.innerText.includes("enqueued")`)
		s.SetInvoiceStatus(id, "authorized")
		g.until(`document.getElementById("invoice-` + id + `").innerText.includes("authorized")`)
		g.until(`document.getElementById("said").textContent.startsWith("Live. 8 invoices")`)
		g.wants(`document.querySelector("#invoices tbody tr").id`, "invoice-"+id, "the first row")
		g.wants(`document.activeElement === opened && opened.isConnected && opened.parentElement.open && opened.textContent.includes("Matriz")`, true,
			"what had the focus and was open lost one of both")
		s.Remove(sandbox.KindServiceInvoices, id)
		g.until(`!document.getElementById("invoice-` + id + `")`)
		g.wantNoComplaint()
	})

	rows.Case(t, "is paused, resumed, and says when the sandbox is gone", func(t *testing.T) {
		g, s := visit(browser, t)
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("said").textContent.startsWith("Paused. ")`)
		id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "while-paused"})
		g.wants(`fetch("/").then((r) => r.text()).then((now) => now.includes("`+id+`") && !document.getElementById("invoice-`+id+`"))`, true,
			"the page followed although it is paused")
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("invoice-` + id + `")`)
		s.Close()
		g.until(`document.getElementById("said").textContent.startsWith("The sandbox does not answer")`)
	})

	rows.Case(t, "does what the back office does", func(t *testing.T) {
		g, s := visit(browser, t)
		before, old := s.OwnerKey(), s.Seed(sandbox.KindCertificates, map[string]any{"_companyId": s.OwnerCompanyID(), "subject": "CN=Antigo"})
		press := func(control string) {
			g.eval(`document.querySelector('[data-control="/_sandbox/` + control + `"]').click()`)
		}
		g.until(`document.querySelector('[data-control="/_sandbox/certificates/` + old + `/activate"]')`)
		press("certificates/" + old + "/activate")
		g.until(`!document.querySelector('[data-control="/_sandbox/certificates/` + old + `/activate"]')`)
		held, _ := s.Object(sandbox.KindCertificates, old)
		expect.Is(t, held["isActive"], any(true), "the certificate is active")
		g.eval(`window.confirm = () => false`)
		press("companies/" + s.OwnerCompanyID() + "/key")
		g.eval(`window.confirm = () => true`)
		expect.True(t, s.OwnerKey() == before, "the key changed although nobody agreed")
		press("companies/" + s.OwnerCompanyID() + "/key")
		g.until(`document.getElementById("done").textContent.startsWith("The new key of Matriz de Teste")`)
		said := g.eval(`document.getElementById("done").textContent`).(string)
		expect.False(t, s.OwnerKey() == before || !strings.HasSuffix(said, s.OwnerKey()),
			"the page says %q, and the key is new: %t", said, s.OwnerKey() != before)
		g.wantNoComplaint()
	})

	rows.Case(t, "is worked by keyboard, with a focus that is seen", func(t *testing.T) {
		g, s := visit(browser, t)
		g.until(`!document.getElementById("pause").hidden`)
		var stops []string
		for range 10 {
			g.do(chromedp.KeyEvent(kb.Tab))
			stops = append(stops, g.eval(`(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim().replace(/\s+/g, " ")`).(string))
			g.wants(`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2 && getComputedStyle(document.activeElement).outlineStyle !== "none"`, true,
				"the focus on %q is not seen", stops[len(stops)-1])
		}
		want := []string{"Skip to the content", "English", "Português", "Copy " + s.BaseURL(), "Pause updates", "Search", "Invoices 7", "Orders 1", "Customers 1", "Products 1"}
		expect.True(t, slices.Equal(stops, want), "tab stops are %q, want %q", stops, want)
		g.eval(`document.querySelector("#settings summary").focus()`)
		g.do(chromedp.KeyEvent(kb.Enter))
		g.wants(`document.activeElement.parentElement.open`, true, "Enter does not open the settings")
	})

	rows.Case(t, "says its parts to a screen reader, on a narrow screen too", func(t *testing.T) {
		g, _ := visit(browser, t)
		for _, width := range []int64{1200, 320} {
			g.do(chromedp.EmulateViewport(width, 800))
			g.eval(`document.querySelectorAll(".fold").forEach((fold) => { fold.open = true; })`)
			spoken := g.spoken()
			for _, want := range []string{
				"banner", "main", "contentinfo", "navigation Parts of the page", "heading Sandbox of the invoicing service", "status",
				"region Invoices", "region Orders", "region Customers", "region Products", "region Companies", "region Settings", "region Webhooks",
				"region Webhook deliveries", "region Rate limit", "region Requests", "list Filter by state", "searchbox Search",
				"table Latest change first.", "columnheader State", "meter Requests of Matriz de Teste in this window", "DisclosureTriangle Matriz de Teste",
				"button Pause updates", "DisclosureTriangle IDs",
			} {
				expect.True(t, slices.Contains(spoken, want), "at %d pixels nothing is said to be %q", width, want)
			}
			isHeaded := slices.ContainsFunc(spoken, func(s string) bool { return strings.HasPrefix(s, "rowheader sale-2") })
			expect.True(t, isHeaded, "at %d pixels no row is headed by its invoice", width)
			if t.Failed() {
				t.Logf("at %d pixels: %q", width, spoken)
			}
		}
	})

	rows.Case(t, "fits and is legible at every width, light and dark", func(t *testing.T) {
		g, s := visit(browser, t)
		one := idOf(t, s, "sale-2")
		for name, path := range map[string]string{
			"account": "/", "conta": "/?lang=pt", "invoice": "/?invoice=" + one, "document": "/_sandbox/documents/" + idOf(t, s, "order-1003"),
			"nothing": "/?q=nowhere",
		} {
			g.do(chromedp.Navigate(strings.TrimSuffix(s.PageURL(), "/") + path))
			for _, width := range []int64{320, 400, 720, 1030, 1280} {
				for _, scheme := range []string{"light", "dark"} {
					g.do(chromedp.EmulateViewport(width, 800))
					call(g, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
						Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
					})
					name := name + " " + scheme + " " + strconv.FormatInt(width, 10)
					g.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
					g.wants(`document.documentElement.scrollWidth - document.documentElement.clientWidth`, 0.0,
						"%s: pixels beyond the window", name)
					high := g.eval(`document.getElementById("nav")?.clientHeight ?? 0`).(float64)
					expect.False(t, width == 1280 && high > 40, "%s: the navigation takes %v pixels, more than a line", name, high)
					pale := g.eval(illegible).([]any)
					expect.Is(t, len(pale), 0, "%s: texts with too little contrast, %v", name, pale)
				}
			}
		}
		g.wantNoComplaint()
	})

	rows.Case(t, "finds while somebody types, and filters", func(t *testing.T) {
		g, s := visit(browser, t)
		call(g, input.DispatchKeyEvent, slash)
		g.do(chromedp.KeyEvent("sale-2"))
		g.until(`document.querySelectorAll("#invoices tbody tr").length === 1 && !document.getElementById("orders")`)
		g.until(`document.getElementById("said").textContent.includes("for “sale-2”")`)
		g.wants(`document.activeElement.id + document.activeElement.value + location.search`, "qsale-2?q=sale-2",
			"after a search")
		// What happens meanwhile is followed, as far as it is searched for.
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "other"})
		s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "sale-22"})
		g.until(`document.querySelectorAll("#invoices tbody tr").length === 2`)
		g.do(chromedp.KeyEvent(strings.Repeat(kb.Backspace, 6)))
		g.until(`document.querySelectorAll("#invoices tbody tr").length === 9 && document.getElementById("orders") && location.search === ""`)
		g.leave(`#invoices .filters a[href*="status=rejected"]`)
		g.until(`document.querySelectorAll("#invoices tbody tr").length === 1 && document.querySelector("#invoices .filters [aria-current]").textContent.includes("rejected")`)
		g.wants(`document.querySelector("#invoices .reason").textContent`, "778 Rejeição: Informado NCM inexistente [nItem:1]",
			"the reason of a rejection")
		g.wantNoComplaint()
	})

	rows.Case(t, "copies", func(t *testing.T) {
		g, s := visit(browser, t)
		id := idOf(t, s, "order-1003")
		g.leave("#invoice-" + id + " th a")
		g.until(`document.getElementById("its-requests")`)
		// Not by the mouse: what is still coming in may move the button away from under it.
		g.eval(`document.querySelector('[data-copy="` + id + `"]').focus()`)
		g.do(chromedp.KeyEvent(kb.Enter))
		g.until(`document.getElementById("done").textContent === "Copied: ` + id + `"`)
		call(g, input.DispatchKeyEvent, slash)
		paste := input.DispatchKeyEventParams{Type: "keyDown", Key: "v", Commands: []string{"paste"}}
		call(g, input.DispatchKeyEvent, paste)
		g.until(`document.getElementById("q").value === "` + id + `"`)
		g.wantNoComplaint()
	})

	rows.Case(t, "folds long lists, and fits a phone with 500 invoices", func(t *testing.T) {
		g, s := open(browser, t), sandbox.Start(t, sandbox.Options{})
		long := strings.Repeat("Companhia Brasileira de Distribuição ", 4) + strings.Repeat("x", 60)
		g.do(chromedp.EmulateViewport(360, 780), chromedp.Navigate(s.PageURL()))
		for i := range 500 {
			s.Seed(sandbox.KindProductInvoices, map[string]any{
				"integrationId": fmt.Sprintf("%s-%d", strings.Repeat("pedido", 5), i), "status": "rejected", "amount": 1234567.89, "number": i + 1, "series": "1",
				"receiver": map[string]any{"name": long}, "processingDetail": map[string]any{"code": "225", "message": strings.Repeat("Rejeição: Falha no Schema XML do lote de NFe; ", 8)},
			})
		}
		s.Seed(sandbox.KindCustomers, map[string]any{"name": long, "email": strings.Repeat("e", 60) + "@example.com"})
		const visible = `[...document.querySelectorAll("#invoices tbody tr")].filter((row) => row.getClientRects().length).length`
		g.until(visible + ` === 5`)
		g.wants(`document.documentElement.scrollWidth`, 360.0, "width of the page")
		g.do(chromedp.Click(`#invoices .fold summary`))
		g.until(visible + ` === 50`)
		s.Seed(sandbox.KindProductInvoices, map[string]any{"integrationId": "one-more"})
		g.until(`document.querySelector("#invoices tbody th").innerText.includes("one-more")`)
		g.wants(visible, 50.0, "rows left open after a change")
		g.do(chromedp.EmulateViewport(1200, 800))
		g.eval(`document.querySelector("#invoices .fold").open = false`)
		g.until(visible + ` === 15`)
		g.wants(`document.documentElement.scrollWidth`, 1200.0, "width of the page")
		g.wantNoComplaint()
	})

	rows.Case(t, "is whole without scripts, and says how to follow", func(t *testing.T) {
		s := account(t)
		g := open(browser, t)
		call(g, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		g.do(chromedp.Navigate(s.PageURL()))
		spoken := strings.Join(g.spoken(), "\n")
		for _, want := range []string{"link Reload every 10 seconds", "table Latest change first.", "order-1001"} {
			expect.True(t, strings.Contains(spoken, want), "without scripts the page lacks %q", want)
		}
		for _, none := range []string{"Pause updates", "New key", "button Copy", "searchbox"} {
			expect.False(t, strings.Contains(spoken, none), "without scripts %q is there, which does nothing", none)
		}
	})
}

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
	expect.NoError(t, chromedp.Do(ctx))
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
	g.wants(`String(window.pwned) + document.querySelectorAll("main script, main b, main i").length`, "undefined0",
		"markup of an invoice that came to life")
	g.mu.Lock()
	defer g.mu.Unlock()
	expect.False(g.t, len(g.complaints) > 0, "the browser complains: %s", strings.Join(g.complaints, "\n"))
}

func (g *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	g.t.Helper()
	expect.NoError(g.t, chromedp.Do(g.ctx, steps...))
}

func call[P, R any](g *tab, command cdp.Command[P, R], params P) R {
	g.t.Helper()
	result, err := chromedp.Run(g.ctx, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	})
	expect.NoError(g.t, err)
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

// wants computes an expression, which has to have a value.
func (g *tab) wants(expression string, want any, what string, args ...any) {
	g.t.Helper()
	if got := g.eval(expression); got != want {
		g.t.Errorf("%s: got %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
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

// illegible finds texts with too little contrast.
//
//go:embed testdata/illegible.js
var illegible string
