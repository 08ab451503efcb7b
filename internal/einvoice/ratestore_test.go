package einvoice

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
)

func TestRateStore_fileIsPrivateAndHoldsNoKey(t *testing.T) {
	t.Parallel()
	service := &limited{limits: serviceLimits}
	dir := filepath.Join(t.TempDir(), "new", "cache")
	c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, CacheDir: dir, Wrap: wire(func(*http.Request) (*http.Response, error) {
		status, header := service.arrive(time.Now())
		resp := reply(status, `{"id":"1"}`)
		resp.Header = header
		return resp, nil
	}).wrap})
	if _, err := c.Invoice(t.Context(), ModelService, "1"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("files %v, %v", entries, err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(entry.Name(), "rate-"+c.Fingerprint()) {
			t.Errorf("file %s %v, %v", entry.Name(), info.Mode(), err)
		}
	}
	state, err := readRateFile(c.pace.store.file)
	if err != nil || state.Headers != headersSent || state.Remaining != 59 || len(state.Exchanges) != 1 || state.Exchanges[0].Answered == 0 || state.Asker != "" {
		t.Errorf("state %+v, %v", state, err)
	}
	raw, err := os.ReadFile(c.pace.store.file)
	if err != nil || strings.Contains(string(raw), testKey) {
		t.Errorf("the file holds %s, %v", raw, err)
	}
}

func TestRateStore_survivesABrokenFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, c *Client)
	}{
		{"truncated", func(t *testing.T, c *Client) { write(t, c.pace.store.file, `{"version":1,"exch`) }},
		{"empty", func(t *testing.T, c *Client) { write(t, c.pace.store.file, ``) }},
		{"foreign", func(t *testing.T, c *Client) { write(t, c.pace.store.file, `{"version":7}`) }},
		{"of another kind", func(t *testing.T, c *Client) { write(t, c.pace.store.file, `[]`) }},
		{"a directory", func(t *testing.T, c *Client) {
			if err := os.MkdirAll(c.pace.store.file, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"from a far future", func(t *testing.T, c *Client) {
			later := time.Now().Add(1000 * time.Hour).UnixMicro()
			raw, err := json.Marshal(rateState{
				Version: rateVersion, Headers: headersSent, Reset: later, Asker: "x", AskedAt: later, NotBefore: later,
				Exchanges: []rateExchange{{ID: "a", Sent: later}, {ID: "b", Sent: later, Answered: later}},
			})
			if err != nil {
				t.Fatal(err)
			}
			write(t, c.pace.store.file, string(raw))
		}},
		{"its directory is a file", func(t *testing.T, c *Client) { write(t, c.pace.store.dir, `x`) }},
		{"its lock is held by a process that sleeps", func(t *testing.T, c *Client) {
			if err := os.MkdirAll(c.pace.store.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			lock := flock.New(c.pace.store.lock)
			if locked, err := lock.TryLock(); err != nil || !locked {
				t.Fatal(locked, err)
			}
			t.Cleanup(func() { _ = lock.Close() })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := limited{limits: serviceLimits}
				c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, CacheDir: filepath.Join(t.TempDir(), "cache"), Wrap: service.wire().wrap})
				tt.spoil(t, c)
				begun := time.Now()
				load(t.Context(), t, 70, c)
				if took := time.Since(begun); service.refusals != 0 || took > 100*time.Second {
					t.Errorf("%d refusals in %s", service.refusals, took)
				}
				if at := service.arrivals[0]; at.Sub(begun) < perSecondPause {
					t.Errorf("the first request waited only %s", at.Sub(begun))
				}
			})
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRateStore_returnsToTheFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := limited{limits: serviceLimits}
		cfg := Config{RequestsPerMinute: 60, RequestsPerSecond: 5, CacheDir: t.TempDir(), Wrap: service.wire().wrap}
		first, second := process(t, cfg), process(t, cfg)
		load(t.Context(), t, 10, first)
		lock := flock.New(first.pace.store.lock)
		if locked, err := lock.TryLock(); err != nil || !locked {
			t.Fatal(locked, err)
		}
		load(t.Context(), t, 20, first)
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		<-time.After(rateFileRest)
		load(t.Context(), t, 10, first)
		state, err := readRateFile(first.pace.store.file)
		if err != nil || len(state.Exchanges) != 40 || state.Remaining != 20 {
			t.Errorf("the file has %d exchanges, %d are left, %v", len(state.Exchanges), state.Remaining, err)
		}
		load(t.Context(), t, 60, first, second)
		if service.refusals != 0 {
			t.Errorf("%d refusals", service.refusals)
		}
	})
}

func TestRateStore_callerThatLeftMeanwhileSendsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, CacheDir: t.TempDir(), Wrap: wire(func(*http.Request) (*http.Response, error) {
			t.Error("a request went out")
			return nil, errReset
		}).wrap})
		lock := flock.New(c.pace.store.lock)
		if locked, err := lock.TryLock(); err != nil || !locked {
			t.Fatal(locked, err)
		}
		t.Cleanup(func() { _ = lock.Close() })
		// The pause before the first request in memory is over, so that the slot is
		// had as soon as the file has been given up, after the caller left.
		c.pace.store.memory.ahead = true
		ctx, cancel := context.WithTimeout(t.Context(), rateLockPause*rateLockTries/2)
		defer cancel()
		_, err := c.CreateInvoice(ctx, ModelService, []byte(`{}`))
		if got := kinds(err); got != "not sent" {
			t.Errorf("%v is %s", err, got)
		}
		if held := c.pace.store.memory.state.Exchanges; len(held) != 0 {
			t.Errorf("the slot is still held: %v", held)
		}
	})
}
