package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// safeBuffer is written by the program and read by its test.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// program is a run of the command.
type program struct {
	t            *testing.T
	baseURL, key string
	diagnostics  *safeBuffer
	// stop interrupts the run and returns its error.
	stop func() error
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	p := &program{t: t, diagnostics: &safeBuffer{}}
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), writer, p.diagnostics)
		writer.Close()
	}()
	p.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = p.stop() })
	lines := bufio.NewScanner(reader)
	for p.key == "" && lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "export EINVOICE_BASE_URL="); ok {
			p.baseURL = value
		}
		if value, ok := strings.CutPrefix(lines.Text(), "export EINVOICE_API_KEY="); ok {
			p.key = value
		}
	}
	go io.Copy(io.Discard, reader)
	if p.baseURL == "" || p.key == "" {
		t.Fatalf("the program told no address and key; it ended with %v", p.stop())
	}
	return p
}

// begin returns an answer that is read until the test ends.
func (p *program) begin(method, address, content string) (status int, header http.Header, body io.Reader) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, address, strings.NewReader(content))
	expect.NoError(p.t, err)
	req.Header.Set("X-Api-Key", p.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	expect.NoError(p.t, err)
	p.t.Cleanup(func() { resp.Body.Close() })
	return resp.StatusCode, resp.Header, resp.Body
}

func (p *program) do(method, path, content string) (status int, header http.Header, body string) {
	p.t.Helper()
	status, header, answer := p.begin(method, p.baseURL+path, content)
	raw, err := io.ReadAll(answer)
	expect.NoError(p.t, err)
	return status, header, string(raw)
}

func TestRun_servesWithTheKeyItPrintsUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t)
	if !regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/v1$`).MatchString(p.baseURL) {
		t.Errorf("base URL = %s", p.baseURL)
	}
	if status, _, raw := p.do("POST", "/customers?note=private", `{"name":"A"}`); status != http.StatusOK {
		t.Errorf("POST = %d %s, want 200", status, raw)
	}
	if err := p.stop(); err != nil {
		t.Errorf("the run ended with %v", err)
	}
	if got := p.diagnostics.String(); !regexp.MustCompile(`POST /v1/customers 200 [0-9.]+.?s\n`).MatchString(got) || strings.Contains(got, p.key) || strings.Contains(got, "private") {
		t.Errorf("log = %q, want one line without key and query", got)
	}
}

func TestRun_showsThePageUntilTheEnd(t *testing.T) {
	t.Parallel()
	p := start(t)
	page := strings.TrimSuffix(p.baseURL, "/v1") + "/"
	_, _, shown := p.begin(http.MethodGet, page, "")
	if raw, err := io.ReadAll(shown); err != nil || !strings.Contains(string(raw), p.baseURL) || strings.Contains(string(raw), p.key) {
		t.Errorf("the page does not tell the address, or tells the key: %v", err)
	}
	_, _, events := p.begin(http.MethodGet, page+"_sandbox/events", "")
	if err := p.stop(); err != nil {
		t.Errorf("the run ended with %v", err)
	}
	if _, err := io.Copy(io.Discard, events); err != nil {
		t.Errorf("what followed the page was broken off: %v", err)
	}
	if got := p.diagnostics.String(); strings.Contains(got, "GET") {
		t.Errorf("log = %q, want nothing of the page", got)
	}
}

func TestRun_hasTheRateLimitUnlessItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	for arg, limited := range map[string]bool{"-rate-limit": true, "-rate-limit=false": false, "-seed=0": true} {
		p := start(t, arg)
		_, header, _ := p.do("GET", "/customers", "")
		if got := header.Get("x-rate-limit-remaining") != ""; got != limited {
			t.Errorf("%s: limit is told: %t, want %t", arg, got, limited)
		}
	}
}

func TestRun_aSeedRepeatsKeyAndIDs(t *testing.T) {
	t.Parallel()
	draw := func() [2]string {
		p := start(t, "-seed", "7")
		_, _, raw := p.do("POST", "/customers", `{"name":"A"}`)
		return [2]string{p.key, regexp.MustCompile(`"id":"([0-9a-f-]{36})"`).FindString(raw)}
	}
	if a, b := draw(), draw(); a != b || a[1] == "" {
		t.Errorf("one seed drew %v and %v", a, b)
	}
}

func TestRun_refusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	used := start(t)
	address := strings.TrimSuffix(strings.TrimPrefix(used.baseURL, "http://"), "/v1")
	script := func(content string) []string {
		return []string{"-listen", "127.0.0.1:0", "-script", scriptFile(t, content)}
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"every interface", []string{"-listen", ":8077"}, "not on loopback"},
		{"every interface by number", []string{"-listen", "0.0.0.0:0"}, "not on loopback"},
		{"another machine's address", []string{"-listen", "192.0.2.1:0"}, "not on loopback"},
		{"a name that only begins well", []string{"-listen", "localhost.example:0"}, "not on loopback"},
		{"no port", []string{"-listen", "127.0.0.1"}, "host:port"},
		{"a port in use", []string{"-listen", address}, "-listen 127.0.0.1:0 takes a free port"},
		{"a flag there is not", []string{"-fast"}, "not defined"},
		{"a command there is not", []string{"einvoice-no-such-command"}, "running einvoice-no-such-command"},
		{"a script there is not", []string{"-script", "no such file"}, "no such file"},
		{"an object", script(`{"integrationId": "a"}`), "takes a list of {integrationId, outcomes}"},
		{"a name it does not know", script(`[{"integrationId": "a", "outcome": ["reject"]}]`), `unknown field "outcome"`},
		{"an entry without an id", script(`[{"outcomes": ["reject"]}]`), "entry 1 needs an integrationId and outcomes"},
		{
			"an entry without outcomes", script(`[{"integrationId": "a", "outcomes": ["reject"]}, {"integrationId": "b"}]`),
			"entry 2 needs",
		},
		{"an outcome there is not", script(`[{"integrationId": "a", "outcomes": ["approve"]}]`), `there is no outcome "approve"`},
		{"more than a list", script(`[] []`), "goes on after its list"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), tt.args, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one that says %q", err, tt.want)
			}
		})
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h ends with %v", err)
	}
}

func TestCheckLoopback_acceptsThisMachine(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"127.0.0.1:0", "127.8.8.8:80", "[::1]:8077", "localhost:8077"} {
		if err := checkLoopback(listen); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
}

func TestDeliveryLine_showsNoQuery(t *testing.T) {
	t.Parallel()
	attempt := func(status int) []sandbox.DeliveryAttempt {
		return []sandbox.DeliveryAttempt{{At: time.Time{}, Status: 500}, {At: time.Time{}, Status: status}}
	}
	tests := []struct {
		name     string
		delivery sandbox.Delivery
		want     string
	}{
		{"sent", sandbox.Delivery{State: sandbox.DeliverySucceeded, Attempts: attempt(204)}, "webhook invoice.authorized sent to http://localhost/in: 204, succeeded"},
		{"not answered", sandbox.Delivery{State: sandbox.DeliveryPending, Attempts: attempt(0)}, "webhook invoice.authorized sent to http://localhost/in: no answer, pending"},
		{"skipped", sandbox.Delivery{State: sandbox.DeliverySkipped}, "webhook invoice.authorized not sent to http://localhost/in, which is not on loopback"},
	}
	for _, tt := range tests {
		tt.delivery.Event, tt.delivery.URL = "invoice.authorized", "http://user:pw@localhost/in?token=1"
		if got := deliveryLine(tt.delivery); got != tt.want {
			t.Errorf("%s: line = %q, want %q", tt.name, got, tt.want)
		}
	}
}
