package e2e_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

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
