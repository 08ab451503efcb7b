package einvoice

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind: a request that has ended,
// whichever way, has closed its connection and stopped its clocks.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
