package message_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

func TestAdvice_tellsReadingFromWriting(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		read, list, put int // statuses
		reading         string
		writing         string
		invoking        string // what an action says of the same request as writing
	}{
		{"a failing service", 500, 500, 500, "Nothing was changed", "may have done it all the same. Run plan again", "before you invoke the action again."},
		{"nothing is found", 404, 404, 404, "a wrong address answers like this to everything", "Run plan again", "Look at the service"},
		{"not allowed", 403, 403, 403, "main company's key", "main company's key", "main company's key"},
		{"the limit is used up", 429, 429, 429, "Run apply again later", "Run apply again later", "Invoke the action again later"},
		{"a wrong value", 400, 400, 400, "apply again.", "Correct the value and apply again.", "Correct the value and invoke the action again."},
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
			if _, err = client.Customer(t.Context(), "7"); !strings.Contains(message.Applying.Advice(err), test.reading) {
				t.Errorf("reading ends with %q, want %q (%v)", message.Applying.Advice(err), test.reading, err)
			}
			if _, err = client.UpdateCustomer(t.Context(), &einvoice.Customer{ID: "7", Raw: []byte(`{}`)}, einvoice.Customer{Name: "A"}, einvoice.Customer{}, nil); !strings.Contains(message.Applying.Advice(err), test.writing) {
				t.Errorf("writing ends with %q, want %q (%v)", message.Applying.Advice(err), test.writing, err)
			}
			if got := message.Invoking.Advice(err); !strings.Contains(got, test.invoking) || strings.Contains(got, "apply") || strings.Contains(got, "plan") {
				t.Errorf("writing in an action ends with %q, want %q", got, test.invoking)
			}
		})
	}
}
