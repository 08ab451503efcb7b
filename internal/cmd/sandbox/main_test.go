package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
	cache        string
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
	told := map[string]*string{"EINVOICE_BASE_URL": &p.baseURL, "EINVOICE_API_KEY": &p.key, "EINVOICE_CACHE_DIR": &p.cache}
	for p.cache == "" && lines.Scan() {
		name, value, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		if into := told[name]; into != nil {
			*into = value
		}
	}
	if _, err := os.Stat(p.cache); err != nil { // Of its own: a restart meets no memories.
		t.Error(err)
	}
	go io.Copy(io.Discard, reader)
	if p.baseURL == "" || p.key == "" || p.cache == "" {
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

func TestRun_servesWithTheKeyItPrintsAndShowsThePageUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t)
	expect.True(t, regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/v1$`).MatchString(p.baseURL), "base URL = %s", p.baseURL)
	status, _, raw := p.do("POST", "/customers?note=private", `{"name":"A"}`)
	expect.Is(t, status, http.StatusOK, "the status of %s", raw)
	page := strings.TrimSuffix(p.baseURL, "/v1") + "/"
	_, _, shown := p.begin(http.MethodGet, page, "")
	html, err := io.ReadAll(shown)
	expect.NoError(t, err)
	expect.Contains(t, string(html), p.baseURL)
	expect.False(t, strings.Contains(string(html), p.key), "the page tells the key")
	_, _, events := p.begin(http.MethodGet, page+"_sandbox/events", "")
	_, before := os.Stat(p.cache)
	expect.NoError(t, p.stop())
	_, err = io.Copy(io.Discard, events)
	expect.Is(t, err, nil, "what followed the page was broken off")
	_, after := os.Stat(p.cache)
	expect.False(t, before != nil || !errors.Is(after, os.ErrNotExist),
		"its directory for the cache: %v, and afterwards %v", before, after)
	log := p.diagnostics.String()
	expect.True(t, regexp.MustCompile(`^[^\n]*POST /v1/customers 200 [0-9.]+.?s\n$`).MatchString(log),
		"log = %q, want one line, and nothing of the page", log)
	expect.False(t, strings.Contains(log, p.key) || strings.Contains(log, "private"), "log = %q, with key or query", log)
}

func TestRun_takesItsFlags(t *testing.T) {
	t.Parallel()
	for arg, limited := range map[string]bool{"-rate-limit": true, "-rate-limit=false": false, "-seed=0": true} {
		_, header, _ := start(t, arg).do("GET", "/customers", "")
		expect.Is(t, header.Get("x-rate-limit-remaining") != "", limited, "%s: limit is told", arg)
	}
	draw := func() [2]string {
		p := start(t, "-seed", "7")
		_, _, raw := p.do("POST", "/customers", `{"name":"A"}`)
		return [2]string{p.key, regexp.MustCompile(`"id":"([0-9a-f-]{36})"`).FindString(raw)}
	}
	a, b := draw(), draw()
	expect.False(t, a != b || a[1] == "", "one seed drew %v and %v", a, b)
}

func TestRun_refusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	used := start(t)
	address := strings.TrimSuffix(strings.TrimPrefix(used.baseURL, "http://"), "/v1")
	for _, tt := range rows.Read[[]struct {
		Name, Script, Want string
		Args               []string
	}](t, "run_refuses_what_it_cannot_do.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			args := tt.Args
			if tt.Script != "" {
				args = []string{"-listen", "127.0.0.1:0", "-script", scriptFile(t, tt.Script)}
			}
			for i := range args {
				args[i] = strings.Replace(args[i], "{address}", address, 1)
			}
			err := run(t.Context(), args, io.Discard, io.Discard)
			expect.False(t, err == nil || !strings.Contains(err.Error(), tt.Want),
				"error = %v, want one that says %q", err, tt.Want)
		})
	}
	for _, listen := range []string{"127.0.0.1:0", "127.8.8.8:80", "[::1]:8077", "localhost:8077"} {
		expect.Is(t, checkLoopback(listen), nil, "%s", listen)
	}
	err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard)
	expect.True(t, errors.Is(err, flag.ErrHelp), "-h ends with %v", err)
}

func TestDeliveryLine_showsNoQuery(t *testing.T) {
	t.Parallel()
	tried := func(status int) []sandbox.DeliveryAttempt {
		return []sandbox.DeliveryAttempt{{Status: 500}, {Status: status}}
	}
	for want, delivery := range map[string]sandbox.Delivery{
		"sent to http://localhost/in: 204, succeeded":               {State: sandbox.DeliverySucceeded, Attempts: tried(204)},
		"sent to http://localhost/in: no answer, pending":           {State: sandbox.DeliveryPending, Attempts: tried(0)},
		"not sent to http://localhost/in, which is not on loopback": {State: sandbox.DeliverySkipped},
	} {
		delivery.Event, delivery.URL = "invoice.authorized", "http://user:pw@localhost/in?token=1"
		expect.Is(t, deliveryLine(delivery), "webhook invoice.authorized "+want)
	}
}

// playedCommand, in the environment, makes this test binary play the command that a run is given.
const playedCommand = "EINVOICE_SANDBOX_TEST_COMMAND"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == playedCommand {
		os.Exit(playCommand())
	}
	if len(os.Args) == 2 && os.Args[1] == waitingCommand {
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		fmt.Println("waiting")
		<-ended
		os.Exit(5)
	}
	os.Exit(m.Run())
}

// playCommand asks the service for its customers with what is in the environment, tells what it saw, and fails with 7.
func playCommand() int {
	for _, name := range []string{"EINVOICE_BASE_URL", "EINVOICE_CACHE_DIR", text.EnvLanguage, "EINVOICE_REQUESTS_PER_MINUTE", "EINVOICE_MAX_RETRIES"} {
		fmt.Println(name + "=" + os.Getenv(name))
	}
	req, err := http.NewRequest(http.MethodGet, os.Getenv("EINVOICE_BASE_URL")+"/customers", http.NoBody)
	if err != nil {
		return 1
	}
	req.Header.Set("X-Api-Key", os.Getenv("EINVOICE_API_KEY"))
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 1
	}
	_ = resp.Body.Close()
	_, err = os.Stat(os.Getenv("EINVOICE_CACHE_DIR"))
	fmt.Println("answer:", resp.StatusCode, "limit:", resp.Header.Get("x-rate-limit-remaining"), "cache:", err)
	return 7
}

// self is this test binary.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	expect.NoError(t, err)
	return path
}

func seen(t *testing.T, output, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(output, name+"=")
	if !ok {
		t.Fatalf("%s was not told in %q", name, output)
	}
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

func TestRun_aCommandFindsTheServiceInItsEnvironmentAndItsExitCodeIsTold(t *testing.T) {
	t.Setenv("EINVOICE_BASE_URL", "https://real.example/v1")
	t.Setenv("EINVOICE_MAX_RETRIES", "9")
	var out, diagnostics safeBuffer
	err := run(t.Context(), []string{self(t), playedCommand}, &out, &diagnostics)
	var exit *exec.ExitError
	expect.False(t, !errors.As(err, &exit) || exit.ExitCode() != 7,
		"the run ended with %v, want the command's exit code 7", err)
	output := out.String()
	url := seen(t, output, "EINVOICE_BASE_URL")
	expect.True(t, strings.HasPrefix(url, "http://127.0.0.1:"), "the command was sent to %s", url)
	expect.Contains(t, output, "answer: 200 limit:  cache: <nil>\n")
	expect.Is(t, seen(t, output, "EINVOICE_REQUESTS_PER_MINUTE"), "0", "the provider paces itself")
	expect.Is(t, seen(t, output, "EINVOICE_MAX_RETRIES"), "", "the settings of an account reached the command")
	if _, err := os.Stat(seen(t, output, "EINVOICE_CACHE_DIR")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache is left behind: %v", err)
	}
	expect.Is(t, diagnostics.String(), "", "log")
}

func TestRun_flagsAreKeptWithACommand(t *testing.T) {
	t.Parallel()
	var out, diagnostics safeBuffer
	err := run(t.Context(), []string{"-rate-limit", "-log", self(t), playedCommand}, &out, &diagnostics)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(out.String(), "answer: 200 limit: 4") && !strings.Contains(out.String(), "answer: 200 limit: 59") {
		t.Errorf("the run ended with %v and %q, want a limit", err, out.String())
	}
	expect.Contains(t, diagnostics.String(), "GET /v1/customers 200")
}

func scriptFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outcomes.json")
	expect.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// waitingCommand, as an argument, makes this test binary play a command that runs until it is ended.
const waitingCommand = "EINVOICE_SANDBOX_TEST_WAITING"

func TestRun_endsTheCommandWhenItIsTerminated(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{self(t), waitingCommand}, writer, io.Discard)
		writer.Close()
	}()
	if line, err := bufio.NewReader(reader).ReadString('\n'); line != "waiting\n" {
		t.Fatalf("the command says %q, %v", line, err)
	}
	cancel()
	var exit *exec.ExitError
	if err := <-done; !errors.As(err, &exit) || exit.ExitCode() != 5 && runtime.GOOS != "windows" {
		t.Errorf("the run ended with %v, want the exit code of a command that could clean up", err)
	}
}

func TestRun_aScriptDecidesWhatComesOfInvoicesAndSearches(t *testing.T) {
	t.Parallel()
	p := start(t, "-authorize-after", "0s", "-rate-limit=false", "-switch", "no-production", "-script", scriptFile(t, `[
		{"integrationId": "a", "outcomes": [{"kind": "reject", "code": "539", "message": "Duplicidade"}]},
		{"received": {"amount": 7, "events": [{"type": "correctionLetter"}]}}, {"received": {"undetected": true}},
		{"searches": ["throttledByAuthority", "synchronized"]}
	]`))
	inbound := `{"productInvoice":{"environmentType":"development","inbound":{"enabled":true}}}`
	_, _, companies := p.do("GET", "/companies", "")
	id := regexp.MustCompile(`"id":"([0-9a-f-]{36})"`).FindStringSubmatch(companies)[1]
	for content, want := range map[string]int{inbound: 200, strings.Replace(inbound, "development", "production", 1): 400} {
		if status, _, raw := p.do("PUT", "/companies/"+id+"/settings", content); status != want {
			t.Errorf("PUT %s = %d %s, want %d", content, status, raw, want)
		}
	}
	_, _, list := p.do("GET", "/inbound-product-invoices", "")
	expect.False(t, strings.Count(list, `"accessKey"`) != 1, "received: %s, want one invoice", list)
	p.do("POST", "/inbound-product-invoices/sync", "")
	if _, _, status := p.do("GET", "/inbound-product-invoices/sync-status", ""); !strings.Contains(status, "throttledByAuthority") {
		t.Errorf("the first search: %s", status)
	}
	for id, want := range map[string]string{"a": `"status":"rejected"`, "b": `"status":"authorized"`} {
		if status, _, raw := p.do("POST", "/service-invoices", fmt.Sprintf(`{"integrationId":%q,"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`, id)); status != http.StatusOK {
			t.Fatalf("POST = %d %s", status, raw)
		}
		if _, _, raw := p.do("GET", "/service-invoices?integrationId="+id, ""); !strings.Contains(raw, want) {
			t.Errorf("invoice %s = %s, want %s", id, raw, want)
		}
	}
}

func TestRun_speaksTheLanguageOfTheEnvironment(t *testing.T) {
	t.Setenv(text.EnvLanguage, "pt-BR")
	var out, diagnostics safeBuffer
	_ = run(t.Context(), []string{"-h"}, &out, &diagnostics)
	if help := diagnostics.String(); !strings.Contains(help, "Uso: einvoice-sandbox [opções]") || !strings.Contains(help, "no-production") {
		t.Errorf("the help is %q", help)
	}
	if err := run(t.Context(), []string{"-listen", ":0"}, &out, &diagnostics); err == nil || !strings.Contains(err.Error(), "não é um endereço local") {
		t.Errorf("the run ended with %v", err)
	}
	_ = run(t.Context(), []string{self(t), playedCommand}, &out, &diagnostics)
	language := seen(t, out.String(), text.EnvLanguage)
	expect.Is(t, language, "pt-BR", "the language of the command")
}
