package sandbox

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// browserPatience is how long one command to the browser may take on a machine that is busy with other tests.
const browserPatience = time.Minute

// chromium is a headless browser, driven by the DevTools protocol over a pipe: objects in JSON, each ended by a zero byte.
type chromium struct {
	in      *os.File
	ended   chan struct{}
	writing sync.Mutex

	mu       sync.Mutex
	commands int
	waiting  map[int]chan browserMessage
	tabs     map[string]*tab
}

type browserMessage struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// tab is one page in the browser.
type tab struct {
	t       *testing.T
	browser *chromium
	session string

	mu         sync.Mutex
	loaded     chan struct{}
	complaints []string
}

// startChromium starts the browser of the PATH, or skips the test where there is none.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("PATH has no chromium, so the page is not tried in a browser; on Debian: apt-get install chromium")
	}
	// The browser may still tidy up when its main process has ended, which t.TempDir takes for a failure.
	dir, err := os.MkdirTemp("", "sandbox-page-") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	fromTest, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-proxy-server",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--user-data-dir="+filepath.Join(dir, "profile"), "--remote-debugging-pipe", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
	cmd.ExtraFiles = []*os.File{fromTest, toTest}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fromTest.Close(), toTest.Close()
	b := &chromium{in: toBrowser, ended: make(chan struct{}), waiting: map[int]chan browserMessage{}, tabs: map[string]*tab{}}
	go b.listen(fromBrowser)
	t.Cleanup(func() {
		patience := time.AfterFunc(browserPatience, cancel)
		_ = b.write(browserMessage{ID: -1, Method: "Browser.close"})
		_ = cmd.Wait()
		patience.Stop()
		cancel()
		_ = toBrowser.Close()
		<-b.ended
		_ = fromBrowser.Close()
	})
	return b
}

func (b *chromium) write(m browserMessage) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	b.writing.Lock()
	defer b.writing.Unlock()
	_, err = b.in.Write(append(raw, 0))
	return err
}

// listen hands answers to those who wait for them, and events to their tabs.
func (b *chromium) listen(from *os.File) {
	defer close(b.ended)
	messages := bufio.NewReader(from)
	for {
		raw, err := messages.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			browserMessage
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		answer, tab := b.waiting[m.ID], b.tabs[m.SessionID]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case m.Method == "" && answer != nil:
			answer <- m.browserMessage
		case m.Method != "" && tab != nil:
			tab.hear(m.Method, m.Params)
		}
	}
}

func (b *chromium) call(session, method string, params any) (json.RawMessage, error) {
	answer := make(chan browserMessage, 1)
	b.mu.Lock()
	b.commands++
	id := b.commands
	b.waiting[id] = answer
	b.mu.Unlock()
	if err := b.write(browserMessage{ID: id, SessionID: session, Method: method, Params: params}); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, errors.New(m.Error.Message)
		}
		return m.Result, nil
	case <-b.ended:
		return nil, errors.New("the browser has ended")
	case <-time.After(browserPatience):
		return nil, errors.New("the browser does not answer")
	}
}

// open opens a tab of a width in pixels of the page.
func (b *chromium) open(t *testing.T, width int) *tab {
	t.Helper()
	g := &tab{t: t, browser: b}
	var target struct{ TargetID string }
	g.answer(&target, "Target.createTarget", object{"url": "about:blank"})
	var attached struct{ SessionID string }
	g.answer(&attached, "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true})
	b.mu.Lock()
	b.tabs[attached.SessionID] = g
	b.mu.Unlock()
	g.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Accessibility"} {
		g.do(domain+".enable", nil)
	}
	g.do("Emulation.setDeviceMetricsOverride", object{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false})
	// An unfocused tab draws no focus, and those in the background wait.
	g.do("Emulation.setFocusEmulationEnabled", object{"enabled": true})
	return g
}

func (g *tab) hear(method string, params json.RawMessage) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch method {
	case "Page.loadEventFired":
		if g.loaded != nil {
			close(g.loaded)
			g.loaded = nil
		}
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		g.complaints = append(g.complaints, method+" "+string(params))
	}
}

// complained returns what the browser found wrong with the page: errors of its script and breaches of its policy.
func (g *tab) complained() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.complaints
}

func (g *tab) answer(into any, method string, params any) {
	g.t.Helper()
	raw, err := g.browser.call(g.session, method, params)
	if err != nil {
		g.t.Fatalf("%s: %v", method, err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		g.t.Fatalf("%s: %v", method, err)
	}
}

func (g *tab) do(method string, params any) {
	g.t.Helper()
	g.answer(&struct{}{}, method, params)
}

// visit loads a page and returns when it has.
func (g *tab) visit(address string) {
	g.t.Helper()
	loaded := make(chan struct{})
	g.mu.Lock()
	g.loaded = loaded
	g.mu.Unlock()
	g.do("Page.navigate", object{"url": address})
	select {
	case <-loaded:
	case <-time.After(browserPatience):
		g.t.Fatalf("%s does not load", address)
	}
}

// eval computes an expression in the page, waits for it where it is a promise, and returns its value.
func (g *tab) eval(expression string) any {
	g.t.Helper()
	var out struct {
		Result struct {
			Value any
		}
		ExceptionDetails *struct {
			Exception struct{ Description string }
			Text      string
		}
	}
	g.answer(&out, "Runtime.evaluate", object{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if e := out.ExceptionDetails; e != nil {
		g.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return out.Result.Value
}

// until waits for a condition in the page.
func (g *tab) until(condition string) {
	g.t.Helper()
	limit := int(browserPatience.Milliseconds() / 2)
	if g.eval(fmt.Sprintf(`new Promise((done) => {
		const since = Date.now();
		const look = () => (%s) ? done(true) : Date.now() - since > %d ? done(false) : setTimeout(look, 20);
		look();
	})`, condition, limit)) != true {
		g.t.Fatalf("never true on the page: %s\n%v", condition, g.eval("document.body.innerText"))
	}
}

// press types a key without a character.
func (g *tab) press(key string, code int) {
	g.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		text := ""
		if key == "Enter" && kind == "keyDown" {
			text = "\r"
		}
		g.do("Input.dispatchKeyEvent", object{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text})
	}
}

// shoot writes a picture of the whole page.
func (g *tab) shoot(path string) {
	g.t.Helper()
	var shot struct{ Data string }
	g.answer(&shot, "Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": true})
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// spoken is what a screen reader is given, one "role name" for each node of a role that matters.
func (g *tab) spoken() []string {
	g.t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	g.answer(&tree, "Accessibility.getFullAXTree", nil)
	var out []string
	for _, node := range tree.Nodes {
		if !node.Ignored {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%v %v", node.Role.Value, node.Name.Value)))
		}
	}
	return out
}
