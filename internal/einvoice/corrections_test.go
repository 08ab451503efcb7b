package einvoice

import (
	"testing"
)

func TestCorrectInvoice(t *testing.T) {
	t.Parallel()
	const letter = "o endereço correto é Rua A & B"
	post := exchange{method: "POST", path: "/v1/product-invoices/1/corrections", body: `{"letter":"o endereço correto é Rua A & B"}`}
	for _, tt := range []struct {
		name, answer string
		status       int
		want         *Correction
		kind         string
	}{
		{"the letter and the event", `{"letter":"l","eventId":"e"}`, 200, &Correction{Letter: "l", EventID: "e"}, ""},
		{"the letter alone", `{"letter":"l"}`, 200, &Correction{Letter: "l"}, ""},
		{"below result", `{"result":{"letter":"l","eventId":7}}`, 200, &Correction{Letter: "l", EventID: "7"}, ""},
		{"a text", `"l"`, 200, &Correction{}, ""},
		{"nothing", ``, 204, &Correction{}, ""},
		{"odd fields", `{"letter":{},"eventId":[]}`, 200, &Correction{}, ""},
		{"not successful", `{"success":false}`, 200, nil, "not successful"},
		{"a page", `<html>`, 200, nil, "bad answer, ambiguous"},
		{"cut short", `{"letter":`, 200, nil, "bad answer, ambiguous"},
		{"refused", `{"message":"no"}`, 400, nil, "bad request"},
		{"failed", ``, 500, nil, "server, ambiguous"},
		{"timed out", ``, 408, nil, "ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := post
			e.answer, e.status = tt.answer, tt.status
			// One exchange is scripted: a second one fails the test.
			c := newService(t, e).client(func(cfg *Config) { cfg.MaxRetries = 5 })
			got, err := c.CorrectInvoice(t.Context(), "1", letter)
			wantKind(t, err, tt.kind)
			if got != nil {
				if string(got.Raw) != tt.answer {
					t.Errorf("raw %s, want %s", got.Raw, tt.answer)
				}
				got.Raw = nil
			}
			wantSame(t, tt.want, got)
		})
	}
	if _, err := newService(t).client().CorrectInvoice(t.Context(), "", letter); kinds(err) != "not sent" {
		t.Errorf("without an id: %v", err)
	}
}

func TestCorrectInvoice_isRepeatedAfterA429Alone(t *testing.T) {
	t.Parallel()
	post := exchange{method: "POST", path: "/v1/product-invoices/1/corrections", body: `{"letter":"l"}`}
	limited, lost := post, post
	limited.status, limited.header = 429, map[string]string{"Retry-After": "0"}
	lost.serve = hangUp(t)
	c := newService(t, limited, lost).client(func(cfg *Config) { cfg.MaxRetries = 5 })
	if _, err := c.CorrectInvoice(t.Context(), "1", "l"); kinds(err) != "ambiguous" {
		t.Errorf("%v is %s", err, kinds(err))
	}
}
