package message_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/customer"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

func customerSchema(t *testing.T) message.PathSchema {
	t.Helper()
	var resp resource.SchemaResponse
	customer.NewResource().Schema(t.Context(), resource.SchemaRequest{}, &resp)
	return resp.Schema
}

func TestAPIError_saysWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Status int
		Header map[string]string
		Body   json.RawMessage
		At     string // the attribute of the diagnostic; empty for none
		Want   []string
	}](t, "api_error_says_what_happened.json") {
		rows.Case(t, name, func(t *testing.T) {
			body := strings.ReplaceAll(string(test.Body), "(key)", fixture.TestKey)
			failed := fixture.FailureOf(t, test.Status, test.Header, body)
			diags := message.APIError(t.Context(), message.Task("create", "customer"), failed, customerSchema(t))
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics, want 1: %v", len(diags), diags)
			}
			expect.Is(t, diags[0].Summary(), "Cannot create customer", "summary")
			fixture.WantTexts(t, diags, test.Want...)
			withPath, ok := diags[0].(diag.DiagnosticWithPath)
			isAt := ok && withPath.Path().Equal(path.Root(test.At))
			expect.True(t, isAt || test.At == "", "the diagnostic is not on %s", test.At)
			expect.False(t, strings.Contains(diags[0].Detail(), fixture.TestKey), "the key is shown: %s", diags[0])
		})
	}
}

// The code that explains most is looked up: a city's is in the message.
func TestExplainedCode(t *testing.T) {
	t.Parallel()
	expect.Is(t, message.ExplainedCode(nil), "", "nothing")
	for name, test := range rows.Read[map[string]struct {
		Code, Message einvoice.Text
		Want          string
	}](t, "explained_code.json") {
		detail := &einvoice.ProcessingDetail{Code: test.Code, Message: test.Message}
		expect.Is(t, message.ExplainedCode(detail), test.Want, "%s", name)
	}
}

func TestAdvice_tellsReadingFromWriting(t *testing.T) {
	t.Parallel()
	for _, test := range rows.Read[[]struct {
		Name            string
		Read, List, Put int // statuses
		Reading         string
		Writing         string
		Invoking        string // what an action says of the same request as writing
	}](t, "advice_tells_reading_from_writing.json") {
		rows.Case(t, test.Name, func(t *testing.T) {
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
			if _, err = client.Customer(t.Context(), "7"); !strings.Contains(message.Advice(err).In(t.Context()), test.Reading) {
				t.Errorf("reading ends with %q, want %q (%v)", message.Advice(err).In(t.Context()), test.Reading, err)
			}
			if _, err = client.SetWebhookEnabled(t.Context(), "7", true); !strings.Contains(message.Advice(err).In(t.Context()), test.Writing) {
				t.Errorf("writing ends with %q, want %q (%v)", message.Advice(err).In(t.Context()), test.Writing, err)
			}
			if got := message.Advice(err).In(text.InForm(t.Context(), text.Action)); !strings.Contains(got, test.Invoking) || strings.Contains(got, "apply") || strings.Contains(got, "plan") {
				t.Errorf("writing in an action ends with %q, want %q", got, test.Invoking)
			}
		})
	}
}

// A refusal that names a code of the service is seldom about a value.
func TestAdvice_ofARefusalFollowsItsCode(t *testing.T) {
	t.Parallel()
	for text, want := range rows.Read[map[string]string](t, "advice_of_a_refusal_follows_its_code.json") {
		got := message.Advice(fixture.FailureOf(t, 400, nil, fmt.Sprintf(`{"message":%q}`, text))).In(t.Context())
		if !strings.Contains(got, want) || strings.Contains(got, "Correct") != strings.Contains(want, "Correct") {
			t.Errorf("%q ends with %q, want %q", text, got, want)
		}
	}
}

func TestAdvice_ofAMissingOperationNamesItsLineAndNotWhatHasJustFailed(t *testing.T) {
	t.Parallel()
	unproven := message.Advice(&einvoice.Error{Missing: "list_companies", Err: einvoice.ErrUnproven}).In(t.Context())
	if !strings.HasPrefix(unproven, "A new object may take a moment to appear") || !strings.Contains(unproven, "`list_companies`") {
		t.Errorf("of an object that no list can show it says %q", unproven)
	}
	for _, o := range einvoice.Operations {
		got := message.Advice(&einvoice.Error{Missing: o.Name}).In(t.Context())
		line := "`operations = { " + o.Name + " = \"METHOD /v1/PATH\" }`"
		if !strings.Contains(got, "Otherwise, ") && !strings.HasPrefix(o.Name, "delete_") && !strings.HasSuffix(o.Name, "able_webhook") {
			t.Errorf("of %s it does not say what else can be done: %q", o.Name, got)
		}
		isShown := o.Basis == einvoice.Shown // Then no line would change it.
		expect.False(t, !strings.Contains(got, "`"+o.Name+"`") || strings.Contains(got, line) == isShown,
			"of %s it says %q", o.Name, got)
		for _, placeholder := range einvoice.Placeholders(o.Path) {
			if _, after, found := strings.Cut(got, line); found && !strings.Contains(after, "`{"+placeholder+"}`") {
				t.Errorf("of %s it does not say to keep {%s}: %q", o.Name, placeholder, got)
			}
		}
	}
}

// A text from outside that has come around the filter of its source stays one line of plain text.
func TestTexts_showNothingHostile(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b[31mno\x1b]8;;https://evil.example\x07 \u202e\u2066\r\nError: \u009b2J \xff\x00"
	err := fmt.Errorf("outer: %w", errors.Join(errors.New(hostile), errors.New(hostile)))
	detail := &einvoice.ProcessingDetail{Status: hostile, Code: hostile, Message: hostile}
	for name, text := range map[string]string{
		"Cause": message.Cause(err).In(t.Context()), "CodeAndMessage": message.CodeAndMessage(detail).In(t.Context()),
		"LastStepOf": message.LastStepOf(detail),
	} {
		expect.False(t, strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0,
			"%s: %q", name, text)
	}
}
