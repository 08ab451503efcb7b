package fiscal_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestLists_haveTheirSources(t *testing.T) {
	t.Parallel()
	file, err := os.Open("lists.csv")
	expect.NoError(t, err)
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 20 {
		t.Fatalf("%v, %d lists", err, len(rows))
	}
	for _, row := range rows[1:] {
		if values := strings.Fields(row[1]); row[2] == "" || !fiscal.IsListed(row[0], values[0]) {
			t.Errorf("the list %q is not whole, or there twice", row[0])
		}
	}
}

// Documents that issuers sent, and what is found in them; and sound ones and those of integrations, in which nothing
// is. The sandbox judges them too.
func TestCheckPayload_judgesWhatIssuersRunInto(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"payload_cases", "payload_sound", "real_contract"} {
		raw, err := os.ReadFile("testdata/" + table + ".json")
		expect.NoError(t, err)
		var cases []struct {
			Name, Model, Regime string
			Finds               []string
			Payload             json.RawMessage
		}
		if err := json.Unmarshal(raw, &cases); err != nil || len(cases) < 12 {
			t.Fatalf("%s: %v, %d cases", table, err, len(cases))
		}
		for _, c := range cases {
			var found []string
			for _, f := range fiscal.CheckPayload(c.Model, decoded(t, string(c.Payload)), "2026-11-20T15:00:00Z", c.Regime) {
				found = append(found, f.Code+" "+f.Path)
			}
			if got, want := strings.Join(found, ", "), strings.Join(c.Finds, ", "); got != want {
				t.Errorf("%s: %q, want %q", c.Name, got, want)
			}
		}
	}
}
