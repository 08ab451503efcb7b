package e2e_test

import (
	"maps"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// clocked is a service whose time, and that of the provider, only moves while
// everybody waits: no lifetime ends and no wait is over because a machine is slow.
type clocked struct {
	*sandbox.Server

	t       *testing.T
	network *testkit.Network
	host    *testkit.Host
}

// onClock is a test with such a service. Nothing may wait there for what is outside.
func onClock(t *testing.T, options sandbox.Options, test func(t *testing.T, s *clocked)) {
	t.Helper()
	later := time.Now().Add(time.Hour).Round(0)
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(later)) // The journal is in files, whose times are real, and not to be in the future.
		s := &clocked{Server: sandbox.New(options), t: t, network: &testkit.Network{CacheDir: t.TempDir()}}
		s.host = s.network.Serve(t, s.Server)
		test(t, s)
	})
}

// process is a provider as a CLI starts it for a command, as the main company, without
// pacing. Settings replace or add provider arguments.
func (s *clocked) process(settings map[string]any) *testkit.Protocol {
	s.t.Helper()
	arguments := map[string]any{"base_url": "http://" + s.host.Address + "/v1", "api_key": s.OwnerKey(), "requests_per_minute": 0, "requests_per_second": 0}
	maps.Copy(arguments, settings)
	p := s.network.Protocol(s.t)
	p.Configure(arguments)
	return p
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func replaceFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func removeFile(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	replaceFile(t, to, fileText(t, from))
}

// cutFile leaves half of a file.
func cutFile(t *testing.T, name string) {
	t.Helper()
	text := fileText(t, name)
	replaceFile(t, name, text[:len(text)/2])
}
