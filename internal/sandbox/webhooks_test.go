package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"
)

const nowhere = "https://hooks.example/in?token=1"

func TestWebhook_subscribesToOneEventAndBeginsEnabled(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for _, event := range []string{
		"invoice.status_changed", "invoice.authorized", "invoice.rejected", "invoice.canceled", "invoice.contingency",
		"inbound_invoice.detected", "inbound_invoice.completed", "inbound_invoice.event",
	} {
		doc := c.must("POST", "/webhooks", object{"event": event, "url": nowhere, "enabled": false})
		wantFields(t, doc, object{"event": event, "url": nowhere, "enabled": true})
		wantSame(t, doc, c.must("GET", "/webhooks/"+doc["id"].(string), nil), "the read, after what the creation answered,")
	}
	wantFields(t, c.must("GET", "/webhooks?pageSize=3", nil), object{"totalCount": json.Number("8"), "hasNext": true})
}

func TestWebhook_refusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	const noURL = "url: The Url field is not a valid fully-qualified http or https URL."
	webhook := func(event, url any) object { return object{"event": event, "url": url} }
	c.refuses("POST", "/webhooks", []badBody{
		{"event and url are required", webhook(nil, " "), []string{"url: The Url field is required.", "event: The Event field is required."}},
		{"an event there is not", webhook("invoice.created", nowhere), []string{`event: Error converting value "invoice.created" to type 'Event'. Path 'event'.`}},
		{"a relative url", webhook(EventAuthorized, "/hooks"), []string{noURL}},
		{"an url without a host", webhook(EventAuthorized, "https:///hooks"), []string{noURL}},
		{"an url of another scheme", webhook(EventAuthorized, "ftp://hooks.example/"), []string{noURL}},
		{"text that is no url", webhook(EventAuthorized, "http://hooks.example:x/"), []string{noURL}},
	})
}

func TestWebhook_putChangesEventAndURLAndLeavesEnabledAlone(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.s.Seed(KindWebhooks, object{"event": EventAuthorized, "url": nowhere, "enabled": false})
	doc := c.must("PUT", "/webhooks/"+id, object{"id": id, "event": EventRejected, "url": "http://127.0.0.1/x", "enabled": true})
	wantFields(t, doc, object{"id": id, "event": EventRejected, "url": "http://127.0.0.1/x", "enabled": false})
	wantStatus(t, c.do("PUT", "/webhooks/"+id, object{"event": EventRejected}), http.StatusBadRequest)
}
