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
	for _, test := range []struct {
		name            string
		read, list, put int // statuses
		reading         string
		writing         string
		invoking        string // what an action says of the same request as writing
	}{
		{"a failing service", 500, 500, 500, "Nothing was changed", "may have done it anyway. Run plan again", "before you invoke the action again."},
		{"nothing is found", 404, 404, 404, late + "Otherwise check `base_url`: a wrong address", late + "Otherwise check `base_url`", late + "Otherwise check"},
		{"not allowed", 403, 403, 403, "main company's key", "main company's key", "main company's key"},
		{"the limit is used up for long", 429, 429, 429, "asks to wait until 2", "30m0s from now. Run apply again then.", "30m0s from now. Invoke the action again then."},
		{"a wrong value", 400, 400, 400, "If the message names a value of the configuration, correct it", "Correct the value and apply again.", "Correct the value and invoke the action again."},
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
				if status == http.StatusTooManyRequests {
					w.Header().Set("Retry-After", "1800")
				}
				w.WriteHeader(status)
			}))
			defer server.Close()
			client, err := einvoice.New(einvoice.Config{BaseURL: server.URL + "/v1", APIKey: fixture.TestKey, RequestTimeout: 5 * time.Second})
			expect.NoError(t, err)
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

// A refusal that names a code of the service is seldom about a value.
func TestAdvice_ofARefusalFollowsItsCode(t *testing.T) {
	t.Parallel()
	for text, want := range rows.Read[map[string]string](t, "advice_of_arefusal_follows_its_code.json") {
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
