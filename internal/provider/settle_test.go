package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

func TestMayBeCustomer(t *testing.T) {
	t.Parallel()
	sent := einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11222333000181"}
	unnumbered := einvoice.Customer{Name: "Padaria"}
	for _, test := range []struct {
		name     string
		sent     einvoice.Customer
		answered einvoice.Customer
		want     bool
	}{
		{"the same", sent, sent, true},
		{"the number with punctuation", sent, einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11.222.333/0001-81"}, true},
		{"the name as the service writes it", sent, einvoice.Customer{Name: "PADARIA LTDA", FederalTaxNumber: "11222333000181"}, true},
		{"an id and nothing else", sent, einvoice.Customer{}, true},
		{"another number", sent, einvoice.Customer{Name: "Padaria", FederalTaxNumber: "11444777000161"}, false},
		{"without numbers the same name", unnumbered, einvoice.Customer{Name: "PADARIA"}, true},
		{"without numbers another name", unnumbered, einvoice.Customer{Name: "Confeitaria"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mayBeCustomer(&test.answered, test.sent); got != test.want {
				t.Errorf("mayBeCustomer is %t, want %t", got, test.want)
			}
		})
	}
}

func TestAboutAnother_isALostAnswer(t *testing.T) {
	t.Parallel()
	err := session.AboutAnother("customer", "7")
	if !errors.Is(err, einvoice.ErrAmbiguous) || !strings.Contains(err.Error(), "another customer, 7") {
		t.Errorf("%v", err)
	}
}

func TestAdvice_tellsReadingFromWriting(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		read, list, put int // statuses
		reading         string
		writing         string
	}{
		{"a failing service", 500, 500, 500, "Nothing was changed", "may have done it"},
		{"nothing is found", 404, 404, 404, "a wrong address answers like this to everything", "Run plan again"},
		{"not allowed", 403, 403, 403, "main company's key", "main company's key"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status := test.list
				switch {
				case r.Method == http.MethodPut:
					status = test.put
				case strings.HasSuffix(r.URL.Path, "/7"):
					status = test.read
				}
				w.WriteHeader(status)
			}))
			defer server.Close()
			client, err := einvoice.New(einvoice.Config{BaseURL: server.URL + "/v1", APIKey: fixture.TestKey, RequestTimeout: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = client.Customer(t.Context(), "7"); !strings.Contains(message.Advice(err), test.reading) {
				t.Errorf("reading ends with %q, want %q (%v)", message.Advice(err), test.reading, err)
			}
			if _, err = client.UpdateCustomer(t.Context(), "7", einvoice.Customer{Name: "A"}, einvoice.Customer{}, nil); !strings.Contains(message.Advice(err), test.writing) {
				t.Errorf("writing ends with %q, want %q (%v)", message.Advice(err), test.writing, err)
			}
		})
	}
}
