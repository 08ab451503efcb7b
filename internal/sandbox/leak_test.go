package sandbox

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind: a server that is closed
// has ended its deliveries, its delays and its stalled answers.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
