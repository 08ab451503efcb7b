package fiscal_test

import (
	"bytes"
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

// Documents that issuers sent, and what is found in them; sound ones and those of integrations, in which nothing is; and
// payloads after public reports, with the law of what is found. The sandbox judges the first ones too.
func TestCheckPayload_judgesWhatIssuersRunInto(t *testing.T) {
	t.Parallel()
	for table, least := range map[string]int{"payload_cases": 80, "payload_sound": 15, "real_contract": 15, "layout": 30} {
		raw, err := os.ReadFile("testdata/" + table + ".jsonl")
		expect.NoError(t, err)
		n := 0
		for cases := json.NewDecoder(bytes.NewReader(raw)); cases.More(); n++ {
			var c struct {
				Name, Model, Regime, Finds string
				Payload                    json.RawMessage
			}
			expect.NoError(t, cases.Decode(&c))
			var found []string
			for _, f := range fiscal.CheckPayload(c.Model, decoded(t, string(c.Payload)), "2026-11-20T15:00:00Z", c.Regime) {
				law := map[bool]string{true: " " + f.Law}[table == "layout"]
				found = append(found, strings.TrimSpace(f.Code+" "+f.Path+law))
			}
			expect.Is(t, strings.Join(found, ", "), c.Finds, "%s", c.Name)
		}
		expect.True(t, n >= least, "%s: %d cases", table, n)
	}
}
