package sandbox

import "testing"

// announced returns the events for which there are webhooks, with the status each shows, in their order.
func announced(s *Server) []string {
	out := []string{}
	for _, d := range s.Deliveries() {
		event, _ := decoded(d.Body).(object)
		out = append(out, text(event, "event")+" "+text(part(event, "data"), "status"))
	}
	return out
}

func TestInvoice_eventsOfItsTransitions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		outcomes []Outcome
		cancel   bool
		check    bool
		want     []string
	}{
		{"authorized and canceled", nil, true, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed authorized", "invoice.authorized authorized",
			"invoice.status_changed canceled", "invoice.canceled canceled",
		}},
		{"rejected", []Outcome{Reject("1", "m")}, false, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed rejected", "invoice.rejected rejected",
		}},
		{"denied", []Outcome{Deny("1", "m")}, false, false, []string{
			"invoice.status_changed enqueued", "invoice.status_changed denied",
		}},
		{"in contingency, then authorized", []Outcome{Contingency(Authorize())}, false, true, []string{
			"invoice.status_changed enqueued", "invoice.status_changed inContingent", "invoice.contingency inContingent",
			"invoice.status_changed authorized", "invoice.authorized authorized",
		}},
		{"a transient code that is no change of status", []Outcome{TransientCode("SPD001", "m", Authorize()).AsEnqueued()}, false, false, []string{
			"invoice.status_changed enqueued",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newIssuer(t, Options{})
			c.allowOffline()
			for _, event := range []string{"status_changed", "authorized", "rejected", "canceled", "contingency"} {
				// Not on loopback: recorded, and never sent.
				c.s.Seed(KindWebhooks, object{"event": "invoice." + event, "url": "https://hooks.example/x", "enabled": true})
			}
			at := c.scripted("/consumer-invoices", tt.outcomes...)
			if tt.check {
				c.must("POST", at+"/check-status", nil)
			}
			if tt.cancel {
				c.must("DELETE", at, object{"reason": cancelReason})
			}
			wantSame(t, tt.want, announced(c.s), "events")
		})
	}
}

func TestInvoice_eventCarriesTheInvoiceAsItIsRead(t *testing.T) {
	t.Parallel()
	c := newIssuer(t, Options{})
	c.s.Seed(KindWebhooks, object{"event": "invoice.authorized", "url": "https://hooks.example/x", "enabled": true})
	at := "/service-invoices/" + c.issued("/service-invoices", nil)
	event, _ := decoded(c.s.Deliveries()[0].Body).(object)
	wantSame(t, c.must("GET", at, nil), part(event, "data"), "the event, beside the read,")
}
