package engine

import (
	"fmt"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// With an issuer the record of a sale is the same whichever key sends it. Without, it is the key's. Two companies may
// give one name to two sales. What a state remembers counts more than what is configured now.
func TestRecordOwner(t *testing.T) {
	t.Parallel()
	client := func(key string) *einvoice.Client {
		c, err := einvoice.New(einvoice.Config{BaseURL: "https://host.example/v1", APIKey: key})
		must(t, err)
		return c
	}
	key := func(apiKey, issuer, remembered string) string {
		s := Service{Client: client(apiKey), Issuer: issuer, Owner: remembered}
		i, o := &Issuing{Service: s, IntegrationID: "sale-1"}, &Ordering{Service: s}
		return fmt.Sprint(i.key(), o.key())
	}
	first := key("a", "11.222.333/0001-81", "")
	for name, test := range map[string]struct {
		key    string
		isSame bool
	}{
		"another key of the issuer":              {key("b", "11222333000181", ""), true},
		"another issuer":                         {key("a", "11444777000161", ""), false},
		"no issuer":                              {key("a", "", ""), false},
		"a state that remembers the issuer":      {key("b", "", "11222333000181"), true},
		"a state from before the issuer was set": {key("b", "11222333000181", client("a").Fingerprint()), false},
	} {
		if (test.key == first) != test.isSame {
			t.Errorf("%s: the same record is %v, want %v", name, !test.isSame, test.isSame)
		}
	}
	if key("a", "", "") == key("b", "", "") || key("a", "", "") != key("b", "11222333000181", client("a").Fingerprint()) {
		t.Error("without an issuer, the record is that of the key, also when an issuer is set later")
	}
}
