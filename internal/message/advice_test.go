package message_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestAdvice_tellsReadingFromWriting(t *testing.T) {
	t.Parallel()
	const late = "An object that was created moments ago may show a little later. "
	for _, test := range rows.Read[[]struct {
		Name            string
		Read, List, Put int // statuses
		Reading         string
		Writing         string
		Invoking        string // what an action says of the same request as writing
	}](t, "advice_tells_reading_from_writing.json") {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status := test.List
				switch {
				case r.Method == http.MethodPut:
					status = test.Put
				case strings.HasSuffix(r.URL.Path, "/7"):
					status = test.Read
				}
				if status == http.StatusTooManyRequests {
					w.Header().Set("Retry-After", "1800")
				}
				w.WriteHeader(status)
			}))
			defer server.Close()
			client, err := einvoice.New(einvoice.Config{BaseURL: server.URL + "/v1", APIKey: fixture.TestKey, RequestTimeout: 5 * time.Second})
			expect.NoError(t, err)
			if _, err = client.Customer(t.Context(), "7"); !strings.Contains(message.Applying.Advice(err), test.Reading) {
				t.Errorf("reading ends with %q, want %q (%v)", message.Applying.Advice(err), test.Reading, err)
			}
			if _, err = client.UpdateCustomer(t.Context(), &einvoice.Customer{ID: "7", Raw: []byte(`{}`)}, einvoice.Customer{Name: "A"}, einvoice.Customer{}, nil); !strings.Contains(message.Applying.Advice(err), test.Writing) {
				t.Errorf("writing ends with %q, want %q (%v)", message.Applying.Advice(err), test.Writing, err)
			}
			if got := message.Invoking.Advice(err); !strings.Contains(got, test.Invoking) || strings.Contains(got, "apply") || strings.Contains(got, "plan") {
				t.Errorf("writing in an action ends with %q, want %q", got, test.Invoking)
			}
		})
	}
}

// A refusal that names a code of the service is seldom about a value.
func TestAdvice_ofARefusalFollowsItsCode(t *testing.T) {
	t.Parallel()
	for text, want := range rows.Read[map[string]string](t, "advice_of_a_refusal_follows_its_code.json") {
		got := message.Applying.Advice(fixture.FailureOf(t, 400, nil, fmt.Sprintf(`{"message":%q}`, text)))
		if !strings.Contains(got, want) || strings.Contains(got, "Correct") != strings.Contains(want, "Correct") {
			t.Errorf("%q ends with %q, want %q", text, got, want)
		}
	}
}

func TestAdvice_ofAMissingOperationNamesItsLineAndNotWhatHasJustFailed(t *testing.T) {
	t.Parallel()
	unproven := message.Applying.Advice(&einvoice.Error{Missing: "list_companies", Err: einvoice.ErrUnproven})
	if !strings.HasPrefix(unproven, "An object that was created moments ago") || !strings.Contains(unproven, "`list_companies`") {
		t.Errorf("of an object that no list can show it says %q", unproven)
	}
	for _, o := range einvoice.Operations {
		got := message.Applying.Advice(&einvoice.Error{Missing: o.Name})
		line := "`operations = { " + o.Name + " = \"METHOD /v1/PATH\" }`"
		if !strings.Contains(got, "Otherwise, ") && !strings.HasPrefix(o.Name, "delete_") && !strings.HasSuffix(o.Name, "able_webhook") {
			t.Errorf("of %s it does not say what else can be done: %q", o.Name, got)
		}
		isShown := o.Basis == einvoice.Shown // Then no line would change it.
		if !strings.Contains(got, "`"+o.Name+"`") || strings.Contains(got, line) == isShown {
			t.Errorf("of %s it says %q", o.Name, got)
		}
		for _, placeholder := range einvoice.Placeholders(o.Path) {
			if _, after, found := strings.Cut(got, line); found && !strings.Contains(after, "`{"+placeholder+"}`") {
				t.Errorf("of %s it does not say to keep {%s}: %q", o.Name, placeholder, got)
			}
		}
	}
}
