package sandbox

import "testing"

// MOC, events of the recipient.
func TestInbound_eachManifestationHasItsEventCode(t *testing.T) {
	t.Parallel()
	for status, code := range map[string]string{"confirmed": "210200", "acknowledged": "210210", "unknown": "210220", "notPerformed": "210240"} {
		c := newIssuer(t, Options{})
		id := c.s.SeedInbound(c.s.OwnerCompanyID(), object{})
		c.must("POST", "/inbound-product-invoices/"+id+"/manifest", object{"status": status, "justification": "Mercadoria que ninguém pediu"})
		doc, _ := c.s.Object(KindInbound, id)
		events, _ := doc["events"].([]any)
		wantSame(t, any(code), events[0].(object)["eventCode"], "the event code")
	}
}
