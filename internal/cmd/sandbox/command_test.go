package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

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
	for _, name := range []string{"EINVOICE_BASE_URL", "EINVOICE_CACHE_DIR", "EINVOICE_REQUESTS_PER_MINUTE", "EINVOICE_MAX_RETRIES"} {
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
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("the run ended with %v, want the command's exit code 7", err)
	}
	output := out.String()
	if url := seen(t, output, "EINVOICE_BASE_URL"); !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("the command was sent to %s", url)
	}
	if !strings.Contains(output, "answer: 200 limit:  cache: <nil>\n") {
		t.Errorf("output = %q, want an answer without a limit, and a directory for the cache", output)
	}
	if perMinute := seen(t, output, "EINVOICE_REQUESTS_PER_MINUTE"); perMinute != "0" {
		t.Errorf("the provider paces itself at %q, want 0", perMinute)
	}
	if other := seen(t, output, "EINVOICE_MAX_RETRIES"); other != "" {
		t.Errorf("the settings of an account reached the command: %q", other)
	}
	if _, err := os.Stat(seen(t, output, "EINVOICE_CACHE_DIR")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache is left behind: %v", err)
	}
	if log := diagnostics.String(); log != "" {
		t.Errorf("log = %q, want none with a command", log)
	}
}

func TestRun_flagsAreKeptWithACommand(t *testing.T) {
	t.Parallel()
	var out, diagnostics safeBuffer
	err := run(t.Context(), []string{"-rate-limit", "-log", self(t), playedCommand}, &out, &diagnostics)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(out.String(), "answer: 200 limit: 4") && !strings.Contains(out.String(), "answer: 200 limit: 59") {
		t.Errorf("the run ended with %v and %q, want a limit", err, out.String())
	}
	if !strings.Contains(diagnostics.String(), "GET /v1/customers 200") {
		t.Errorf("log = %q, want the request", diagnostics.String())
	}
}

func TestRun_tellsItsVersion(t *testing.T) {
	t.Parallel()
	var out safeBuffer
	if err := run(t.Context(), []string{"-version"}, &out, io.Discard); err != nil || out.String() != "einvoice-sandbox dev\n" {
		t.Errorf("output = %q, %v", out.String(), err)
	}
}

func scriptFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outcomes.json")
	expect.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestRun_aScriptDecidesWhatComesOfAnInvoice(t *testing.T) {
	t.Parallel()
	p := start(t, "-authorize-after", "0s", "-script", scriptFile(t, `[{"integrationId": "a", "outcomes": [{"kind": "reject", "code": "539", "message": "Duplicidade"}]}]`))
	for id, want := range map[string]string{"a": `"status":"rejected"`, "b": `"status":"authorized"`} {
		if status, _, raw := p.do("POST", "/service-invoices", fmt.Sprintf(`{"integrationId":%q,"description":"x","federalServiceCode":"17.01","total":{"invoiceAmount":1}}`, id)); status != http.StatusOK {
			t.Fatalf("POST = %d %s", status, raw)
		}
		if _, _, raw := p.do("GET", "/service-invoices?integrationId="+id, ""); !strings.Contains(raw, want) {
			t.Errorf("invoice %s = %s, want %s", id, raw, want)
		}
	}
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
