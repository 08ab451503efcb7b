package einvoice

import (
	"encoding/json"
	"testing"
)

func TestCorrectInvoice(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/product-invoices/1/corrections", body: `{"letter":"o endereço correto é Rua A & B"}`}
	correct := func(c *Client) (*Correction, error) {
		return c.CorrectInvoice(t.Context(), "1", "o endereço correto é Rua A & B")
	}
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	runAnswers(t, post, correct, []answered[*Correction]{
		{"the letter and the event", 200, `{"letter":"l","eventId":"e"}`, &Correction{"l", "e", raw(`{"letter":"l","eventId":"e"}`)}, ""},
		{"the letter alone", 200, `{"letter":"l"}`, &Correction{"l", "", raw(`{"letter":"l"}`)}, ""},
		{"below result", 200, `{"result":{"letter":"l","eventId":7}}`, &Correction{"l", "7", raw(`{"result":{"letter":"l","eventId":7}}`)}, ""},
		{"a text", 200, `"l"`, &Correction{Raw: raw(`"l"`)}, ""},
		{"nothing", 204, ``, &Correction{}, ""},
		{"odd fields", 200, `{"letter":{},"eventId":[]}`, &Correction{Raw: raw(`{"letter":{},"eventId":[]}`)}, ""},
	})
	if _, err := newService(t).client().CorrectInvoice(t.Context(), "", "letter"); kinds(err) != "not sent" {
		t.Errorf("without an id: %v", err)
	}
}
