package fiscal_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

// Each line of the file is a payload, after public reports, and what is found in it.
func TestCheckPayload_findsWhatTheLayoutRefuses(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/layout.jsonl")
	expect.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var c struct {
			Name, Model, Regime, Found string
			Payload                    json.RawMessage
		}
		expect.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		var found []string
		for _, f := range fiscal.CheckPayload(c.Model, decoded(t, string(c.Payload)), "2026-11-20T12:00:00-03:00", c.Regime) {
			found = append(found, strings.TrimSpace(f.Code+" "+f.Path+" "+f.Law))
		}
		if got := strings.Join(found, ", "); got != c.Found {
			t.Errorf("%s: %q, want %q", c.Name, got, c.Found)
		}
	}
}
