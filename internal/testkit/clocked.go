package testkit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
)

// Clocked is a service whose time, and that of the provider, only moves while
// everybody waits: no lifetime ends and no wait is over because a machine is slow.
type Clocked struct {
	*sandbox.Server

	Network *Network

	t    *testing.T
	host *Host
}

// OnClock is a test with such a service. Nothing may wait there for what is outside.
func OnClock(t *testing.T, options sandbox.Options, test func(t *testing.T, s *Clocked)) {
	t.Helper()
	later := time.Now().Add(time.Hour).Round(0)
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(later)) // The journal is in files, whose times are real, and not to be in the future.
		s := &Clocked{Server: sandbox.New(options), Network: NewNetwork(t), t: t}
		s.host = s.Network.Serve(t, s.Server)
		test(t, s)
	})
}

// Process is a provider as a CLI starts it for a command, as the main company, without
// pacing. Settings replace or add provider arguments.
func (s *Clocked) Process(settings map[string]any) *Protocol {
	s.t.Helper()
	p := s.Network.Protocol(s.t)
	p.Configure(asOwner("http://"+s.host.Address+"/v1", s.OwnerKey(), settings))
	return p
}
