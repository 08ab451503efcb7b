package einvoice

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/pace"
)

// fuzzClient answers every request with one body, in memory, and records where requests went.
func fuzzClient(t *testing.T, status int, header http.Header, body string) (*Client, *[]*url.URL) {
	t.Helper()
	var asked []*url.URL
	return wired(t, func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL)
		resp := reply(status, body)
		resp.Header = header.Clone()
		return resp, nil
	}), &asked
}

// wantPlainError fails on an error that is not this package's, or that shows the key.
func wantPlainError(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var failure *Error
	if !errors.As(err, &failure) {
		t.Errorf("an error of another type: %T", err)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("the key is shown: %v", err)
	}
}

func FuzzErrorBody(f *testing.F) {
	for _, body := range []string{
		`{"errors":[{"message":"The field Phone is invalid","path":"Phone"}]}`, `{"errors":{"Name":["too long"]}}`, `{"message":"no"}`,
		`{"title":"Bad","detail":"x","traceId":"1"}`, `"plain"`, `<html><body>502</body></html>`, ``, `[1,{"message":null}]`, `{"errors":[[[[]]]]}`,
		`{"message":"key ` + testKey + ` is wrong"}`, "\xff\xfe{",
	} {
		f.Add(400, body)
	}
	f.Add(500, "")
	f.Add(429, `{"retryAfterSeconds":1e309}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		status = 400 + (status%200+200)%200
		header := http.Header{"Content-Type": {"application/json"}}
		if status == http.StatusTooManyRequests {
			header.Set("Retry-After", "1800") // More than is waited for.
		}
		client, _ := fuzzClient(t, status, header, body)
		_, err := client.CreateCustomer(t.Context(), Customer{Name: "A"}, nil)
		wantPlainError(t, err)
		var failure *Error
		if !errors.As(err, &failure) || failure.Status != status {
			t.Fatalf("status %d became %v", status, err)
		}
		if !utf8.ValidString(failure.Error()) || len(failure.Text) > 600 {
			t.Errorf("text of %d bytes, valid %v", len(failure.Text), utf8.ValidString(failure.Error()))
		}
	})
}

// FuzzAnswer answers every read with one body, and a creation too.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","status":"authorized","number":"12","amount":"10.5","environmentType":0}`,
		`{"result":{"id":"a","receiver":{"address":{"city":{"code":3550308},"country":{"name":"Brasil"}}}}}`,
		`{"id":null}`, `[]`, `{"id":{},"rps":[],"authorizedPersons":"x"}`, `{"number":1e400}`, `{"number":-0}`, `null`, `{"id":"a","id":"b"}`,
		`{"items":[{"id":"a"}],"hasNext":true,"totalCount":2}`, `[{"id":"a"},{"id":"b"}]`, `{"id":"a","name":"x"}`, `{"items":null,"hasNext":true}`,
		`{"items":[],"pageCount":1e9,"hasNext":true}`, `{"items":[{"id":"a"}],"nextCursor":"../../x?y#z"}`, `{"items":[1,"x",null,[]]}`, `{"totalCount":-1,"items":[{}]}`,
		`{"general":{"decimalPrecision":2.0},"productInvoice":null,"other":[1]}`, `{"result":{"general":{}}}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		client, asked := fuzzClient(t, http.StatusOK, http.Header{}, body)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		invoice, err := client.Invoice(ctx, ModelService, "id-1")
		wantPlainError(t, err)
		if err == nil && invoice == nil {
			t.Error("neither an invoice nor an error")
		}
		created, err := client.CreateInvoice(ctx, ModelService, []byte(`{}`), nil)
		wantPlainError(t, err)
		if err == nil && created.ID == "" {
			t.Error("an invoice without an id was taken for created")
		}
		settings, err := client.CompanySettings(ctx, "id-1")
		wantPlainError(t, err)
		if err == nil && settings == nil {
			t.Error("neither settings nor an error")
		}
		_, err = all(client.Customers(ctx))
		wantPlainError(t, err)
		_, err = all(client.InboundInvoices(ctx, InboundFilter{}))
		wantPlainError(t, err)
		if ctx.Err() != nil {
			t.Error("a list of one answer has no end")
		}
		wantInside(t, *asked)
	})
}

// wantInside fails on a request that left the base URL.
func wantInside(t *testing.T, asked []*url.URL) {
	t.Helper()
	for _, u := range asked {
		if u.Scheme != "https" || u.Host != "host.example" || !strings.HasPrefix(u.EscapedPath(), "/v1/") || strings.Contains(u.EscapedPath()+"/", "/../") {
			t.Errorf("a request went to %s", u)
		}
	}
}

func FuzzID(f *testing.F) {
	for _, id := range []string{"a", "", "..", ".", "a/../../b", "a?b=c", "a#b", "%2e%2e", "//evil.example/x", "a\r\nX: y", "\x00", "é"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		client, asked := fuzzClient(t, http.StatusOK, http.Header{}, `{"id":"a"}`)
		_, err := client.Invoice(t.Context(), ModelProduct, id)
		wantPlainError(t, err)
		_, err = client.Customer(t.Context(), id)
		wantPlainError(t, err)
		wantPlainError(t, client.Delete(t.Context(), KindCompany, id))
		wantInside(t, *asked)
		for _, u := range *asked {
			if strings.Count(u.EscapedPath(), "/") > 3 {
				t.Errorf("the id %q became several path elements: %s", id, u)
			}
		}
	})
}

func FuzzRateLimitHeaders(f *testing.F) {
	f.Add("5", "2026-11-21T01:00:00Z", "1", `{"retryAfterSeconds":3}`)
	f.Add("-1", "99999999999999999999", "1e9", ``)
	f.Add("", "1700000000000", "Sat, 21 Nov 2026 01:00:00 GMT", `x`)
	f.Fuzz(func(t *testing.T, remaining, reset, retryAfter, body string) {
		header := http.Header{}
		header.Set("X-Rate-Limit-Remaining", remaining)
		header.Set("X-Rate-Limit-Reset", reset)
		header.Set("Retry-After", retryAfter)
		now := time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC)
		if wait := limitedWait(header, []byte(body), now); wait < 0 {
			t.Errorf("a wait of %s", wait)
		}
		if left, _ := pace.Window(header, now); left < -1 {
			t.Errorf("%d requests left", left)
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`"JVBERi0xLjQK"`), "pdf")
	f.Add([]byte("%PDF-1.4"), "pdf")
	f.Add([]byte(`"<nfe/>"`), "xml")
	f.Add([]byte("<html>"), "xml")
	f.Fuzz(func(t *testing.T, body []byte, format string) {
		document, err := documentFrom(body, format)
		if err == nil && len(document) == 0 {
			t.Error("an empty document without an error")
		}
		// A byte that is no UTF-8 becomes the three of U+FFFD.
		if len(document) > 3*len(body) {
			t.Errorf("%d bytes became %d", len(body), len(document))
		}
	})
}
