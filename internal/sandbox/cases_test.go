package sandbox

import (
	"encoding/json"
	"os"
	"testing"
)

// The authority refuses what payload_check finds in documents that issuers sent, and authorizes the sound ones.
func TestAuthority_judgesWhatIssuersRunInto(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"payload_cases", "payload_sound"} {
		raw, err := os.ReadFile("../fiscal/testdata/" + table + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Name, Model, Regime, Code string
			Pending                   bool
			ExemptIssuer              bool `json:"exempt_issuer"`
			Payload                   json.RawMessage
		}
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatal(err)
		}
		paths := map[string]string{"productInvoice": product, "consumerInvoice": consumer, "serviceInvoice": service}
		for _, entry := range cases {
			c := newIssuerAs(t, entry.Regime)
			if entry.ExemptIssuer {
				company(object{"stateTaxNumber": stateTaxExempt})(c)
			}
			code, message, broken := answeredCode(c, paths[entry.Model], decoded(entry.Payload).(object))
			for _, r := range broken[min(1, len(broken)):] {
				code += " " + r.code
			}
			if code != entry.Code && !entry.Pending {
				t.Errorf("%s: the authority answers %q (%s), want %q", entry.Name, code, message, entry.Code)
			}
		}
	}
}
