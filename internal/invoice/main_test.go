package invoice_test

import (
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// wantRequests counts the requests of a method to a path; "" is any.
func wantRequests(t *testing.T, s *sandbox.Server, method, path string, want int) {
	t.Helper()
	if n := s.Count(method, path); n != want {
		t.Errorf("%d requests %s %s, want %d", n, method, path, want)
	}
}

func wantWrites(t *testing.T, s *sandbox.Server, want int) {
	t.Helper()
	if n := fixture.CountWrites(s); n != want {
		t.Errorf("%d requests that change something, want %d", n, want)
	}
}
