package session

import (
	"testing"
)

func TestDisplayName_fallsBackToTheID(t *testing.T) {
	t.Parallel()
	if got := DisplayName("", "", "id-1"); got != "id-1" {
		t.Errorf("an object without a name is shown as %q", got)
	}
}
