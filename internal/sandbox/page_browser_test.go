package sandbox

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// shots is where TestPage_inABrowser leaves pictures of the page, for looking at.
var shots = flag.String("shots", "", "the directory that pictures of the page are written to; none where it is empty")

func TestPage_inABrowser(t *testing.T) {
	t.Parallel()
	b := startChromium(t)

	t.Run("is read without a complaint, and no markup of an invoice runs", func(t *testing.T) {
		t.Parallel()
		c, _ := busyAccount(t)
		g := b.open(t, 1200)
		g.visit(c.s.PageURL())
		g.until(`document.getElementById("said").textContent.startsWith("Live. 7 invoices")`)
		if got := g.eval(`String(window.pwned) + document.querySelectorAll("main script, main b, main i").length`); got != "undefined0" {
			t.Errorf("markup of an invoice came to life: %v", got)
		}
		if text := g.eval(`document.querySelector("main").innerText`).(string); !strings.Contains(text, "<script>window.pwned = true</script>") {
			t.Error("the description of an invoice is not shown as it is")
		}
		if got := g.complained(); len(got) > 0 {
			t.Errorf("the browser complains: %s", strings.Join(got, "\n"))
		}
	})

	t.Run("follows what happens and keeps focus, open histories and the place", func(t *testing.T) {
		t.Parallel()
		c, clock := busyAccount(t)
		g := b.open(t, 1200)
		g.visit(c.s.PageURL())
		g.until(`document.getElementById("said").textContent.startsWith("Live. ")`)
		g.eval(`window.history1001 = [...document.querySelectorAll("#invoices summary")].find((s) => s.textContent.includes("order-1001")); history1001.focus(); history1001.click()`)
		clock.Advance(time.Minute)
		id := c.issued("/service-invoices", map[string]any{"integrationId": "seen-live"})
		g.until(`document.getElementById("invoice-` + id + `")?.innerText.includes("enqueued")`)
		clock.Advance(4 * time.Second)
		g.until(`document.getElementById("invoice-` + id + `").innerText.includes("authorized")`)
		g.until(`document.getElementById("said").textContent.startsWith("Live. 8 invoices")`)
		if got := g.eval(`document.querySelector("#invoices tbody tr").id`); got != "invoice-"+id {
			t.Errorf("the first row is %v, want the newest invoice", got)
		}
		if got := g.eval(`document.activeElement === history1001 && history1001.isConnected && history1001.parentElement.open && history1001.textContent.includes("order-1001")`); got != true {
			t.Error("the history that had the focus and was open lost one of both")
		}
		c.s.Remove(KindServiceInvoices, id)
		g.until(`!document.getElementById("invoice-` + id + `")`)
		if got := g.complained(); len(got) > 0 {
			t.Errorf("the browser complains: %s", strings.Join(got, "\n"))
		}
	})

	t.Run("is paused, resumed, and says when the sandbox is gone", func(t *testing.T) {
		t.Parallel()
		c, _ := busyAccount(t)
		g := b.open(t, 1200)
		g.visit(c.s.PageURL())
		g.until(`document.getElementById("said").textContent.startsWith("Live. ")`)
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("said").textContent.startsWith("Paused. ")`)
		id := c.issued("/service-invoices", map[string]any{"integrationId": "while-paused"})
		if got := g.eval(`fetch("/").then((r) => r.text()).then((now) => now.includes("` + id + `") && !document.getElementById("invoice-` + id + `"))`); got != true {
			t.Error("the page followed although it is paused")
		}
		g.eval(`document.getElementById("pause").click()`)
		g.until(`document.getElementById("invoice-` + id + `")`)
		c.s.Close()
		g.until(`document.getElementById("said").textContent.startsWith("The sandbox does not answer")`)
	})

	t.Run("is worked by keyboard, with a focus that is seen", func(t *testing.T) {
		t.Parallel()
		c, _ := busyAccount(t)
		g := b.open(t, 1200)
		g.visit(c.s.PageURL())
		g.until(`!document.getElementById("pause").hidden`)
		var stops []string
		for range 12 {
			g.press("Tab", 9)
			stops = append(stops, g.eval(`document.activeElement.textContent.trim().replace(/\s+/g, " ")`).(string))
			if got := g.eval(`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2 && getComputedStyle(document.activeElement).outlineStyle !== "none"`); got != true {
				t.Errorf("the focus on %q is not seen", stops[len(stops)-1])
			}
		}
		want := []string{"Skip to the content", "Pause updates", "Invoices 7", "Companies 2", "Settings", "Webhooks 4"}
		if !slices.Equal(stops[:len(want)], want) || stops[9] != "History of order-1006" {
			t.Errorf("tab stops are %q", stops)
		}
		g.press("Enter", 13)
		if got := g.eval(`document.activeElement.parentElement.open`); got != true {
			t.Error("Enter does not open a history")
		}
	})

	t.Run("says its parts to a screen reader, on a narrow screen too", func(t *testing.T) {
		t.Parallel()
		c, _ := busyAccount(t)
		for _, width := range []int{1200, 320} {
			g := b.open(t, width)
			g.visit(c.s.PageURL())
			g.until(`document.getElementById("said").textContent.startsWith("Live. ")`)
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
		c, _ := busyAccount(t)
		for _, width := range []int{320, 720, 1200} {
			for _, scheme := range []string{"light", "dark"} {
				g := b.open(t, width)
				g.do("Emulation.setEmulatedMedia", object{"features": []any{object{"name": "prefers-color-scheme", "value": scheme}}})
				g.visit(c.s.PageURL())
				g.until(`document.getElementById("said").textContent.startsWith("Live. ")`)
				name := scheme + " at " + g.eval(`String(innerWidth)`).(string)
				if *shots != "" {
					g.shoot(filepath.Join(*shots, strings.ReplaceAll(name, " ", "-")+".png"))
				}
				g.eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
				if *shots != "" {
					g.shoot(filepath.Join(*shots, strings.ReplaceAll(name, " ", "-")+"-open.png"))
				}
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
		c, _ := busyAccount(t)
		g := b.open(t, 1200)
		g.do("Emulation.setScriptExecutionDisabled", object{"value": true})
		g.visit(c.s.PageURL())
		spoken := strings.Join(g.spoken(), "\n")
		for _, want := range []string{"link let it load again every 10 seconds", "table Newest first.", "order-1001"} {
			if !strings.Contains(spoken, want) {
				t.Errorf("without scripts the page lacks %q", want)
			}
		}
		if strings.Contains(spoken, "Pause updates") {
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
