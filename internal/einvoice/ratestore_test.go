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

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// rateFile is where the files' store keeps what belongs to a client's key, without
// the suffix.
func rateFile(dir string, c *Client) string { return filepath.Join(dir, "rate-"+c.Fingerprint()) }

// stored is the state that a store has.
func stored(t *testing.T, c *Client) rateState {
	t.Helper()
	var state rateState
	if err := c.pace.rate.store.UpdateBudget(c.Fingerprint(), func(document []byte, _ time.Time) []byte {
		var err error
		if state, err = parseRate(document); err != nil {
			t.Error(err)
		}
		if strings.Contains(string(document), testKey) {
			t.Errorf("the document holds the key: %s", document)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return state
}

// lockRate locks what a client shares, as another process does, and returns how to
// end that.
func lockRate(t *testing.T, dir string, c *Client) (unlock func()) {
	t.Helper()
	lock := flock.New(rateFile(dir, c) + ".lock")
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	return func() { _ = lock.Close() }
}

func TestRateStore_holdsTimesAndNoKey(t *testing.T) {
	t.Parallel()
	service := &limited{limits: serviceLimits}
	c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Budget: journal.OpenFiles(t.TempDir()), Wrap: service.wire().wrap})
	if _, err := c.Invoice(t.Context(), ModelService, "1"); err != nil {
		t.Fatal(err)
	}
	state := stored(t, c)
	if state.Headers != headersSent || state.Remaining != 59 || len(state.Exchanges) != 1 || state.Exchanges[0].Answered == 0 || state.Asker != "" {
		t.Errorf("state %+v", state)
	}
}

func TestRateStore_survivesABrokenFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, dir string, c *Client)
	}{
		{"truncated", func(t *testing.T, dir string, c *Client) { write(t, rateFile(dir, c)+".json", `{"version":1,"exch`) }},
		{"empty", func(t *testing.T, dir string, c *Client) { write(t, rateFile(dir, c)+".json", ``) }},
		{"foreign", func(t *testing.T, dir string, c *Client) { write(t, rateFile(dir, c)+".json", `{"version":7}`) }},
		{"of another kind", func(t *testing.T, dir string, c *Client) { write(t, rateFile(dir, c)+".json", `[]`) }},
		{"a directory", func(t *testing.T, dir string, c *Client) {
			if err := os.MkdirAll(rateFile(dir, c)+".json", 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"from a far future", func(t *testing.T, dir string, c *Client) {
			later := time.Now().Add(1000 * time.Hour).UnixMicro()
			raw, err := json.Marshal(rateState{
				Version: rateVersion, Headers: headersSent, Reset: later, Asker: "x", AskedAt: later, NotBefore: later,
				Exchanges: []rateExchange{{ID: "a", Sent: later}, {ID: "b", Sent: later, Answered: later}},
			})
			if err != nil {
				t.Fatal(err)
			}
			write(t, rateFile(dir, c)+".json", string(raw))
		}},
		{"its directory is a file", func(t *testing.T, dir string, _ *Client) { write(t, dir, `x`) }},
		{"its lock is held by a process that sleeps", func(t *testing.T, dir string, c *Client) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			lockRate(t, dir, c)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := limited{limits: serviceLimits}
				dir := filepath.Join(t.TempDir(), "cache")
				c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Budget: journal.OpenFiles(dir), Wrap: service.wire().wrap})
				tt.spoil(t, dir, c)
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
		dir := t.TempDir()
		cfg := Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Wrap: service.wire().wrap}
		cfg.Budget = journal.OpenFiles(dir)
		first := process(t, cfg)
		cfg.Budget = journal.OpenFiles(dir)
		second := process(t, cfg)
		load(t.Context(), t, 10, first)
		unlock := lockRate(t, dir, first)
		load(t.Context(), t, 20, first)
		unlock()
		<-time.After(10 * time.Second) // The store's rest.
		load(t.Context(), t, 10, first)
		if state := stored(t, first); len(state.Exchanges) != 40 || state.Remaining != 20 {
			t.Errorf("the file has %d exchanges, %d are left", len(state.Exchanges), state.Remaining)
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
		dir := t.TempDir()
		c := process(t, Config{RequestsPerMinute: 60, RequestsPerSecond: 5, Budget: journal.OpenFiles(dir), Wrap: wire(func(*http.Request) (*http.Response, error) {
			t.Error("a request went out")
			return nil, errReset
		}).wrap})
		lockRate(t, dir, c)
		// The pause before the first request in memory is over, so that the slot is
		// had as soon as the file has been given up, after the caller left.
		c.pace.rate.memory.ahead = true
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		_, err := c.CreateInvoice(ctx, ModelService, []byte(`{}`))
		wantKind(t, err, "not sent")
		if held := c.pace.rate.memory.state.Exchanges; len(held) != 0 {
			t.Errorf("the slot is still held: %v", held)
		}
	})
}
