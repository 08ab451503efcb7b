package einvoice

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// failureOf is the error of a read that is answered like this.
func failureOf(t *testing.T, status int, header map[string]string, body string) *Error {
	t.Helper()
	read := exchange{method: "GET", path: "/v1/service-invoices/1", status: status, header: header, answer: body}
	_, err := scripted(t, []exchange{read}).Invoice(t.Context(), ModelService, "1")
	return failed(t, err)
}

func TestError_boundsWhatItKeeps(t *testing.T) {
	t.Parallel()
	many := `{"errors":[{"message":"` + strings.Repeat("x", 5000) + `"}`
	for i := range 200 {
		many += `,{"message":"m` + strings.Repeat("i", i) + `"}`
	}
	failure := failureOf(t, 400, nil, many+`]}`)
	if len(failure.Messages) != maxMessages || len(failure.Messages[0].Message) != maxMessage {
		t.Errorf("%d messages, the first of %d bytes", len(failure.Messages), len(failure.Messages[0].Message))
	}
	page := failureOf(t, 502, map[string]string{"Content-Type": "text/html"}, "<p>"+strings.Repeat("word ", 1<<20))
	if got := len(page.Text); got > maxText || got < maxText-8 {
		t.Errorf("the excerpt of a page has %d bytes", got)
	}
	deep := failureOf(t, 422, nil, strings.Repeat(`{"error":`, 5000)+`{"message":"deep"}`+strings.Repeat(`}`, 5000))
	long := failureOf(t, 400, nil, strings.Repeat("ç", 600))
	if len(deep.Messages) > 0 || deep.Text != "" || long.Text != strings.Repeat("ç", 254)+"..." {
		t.Errorf("%+v, %+v", deep, long)
	}
	at := fmt.Sprintf("%s %s %d %d", deep.Method, deep.Path, deep.Status, deep.Attempts)
	expect.Is(t, at, "GET /v1/service-invoices/1 422 1", "circumstances")
}

func TestError_text(t *testing.T) {
	t.Parallel()
	for _, tt := range rows.Read[[]struct {
		Error Error
		Want  string
	}](t, "error_text.json") {
		expect.Is(t, tt.Error.Error(), tt.Want)
	}
	causes := &Error{Err: errors.Join(ErrCannotDelete, ErrNoAPIKey)}
	expect.Is(t, causes.Error(), ": the service cannot delete this object: no API key is configured", "causes on one line")
}

func TestError_neverShowsASecret(t *testing.T) {
	t.Parallel()
	const csc, password, csrt = "CSC-1234-5678", "hunter22", "CSRT-9876-5432"
	const unread = "whsec_b3JpZ2luYWxTZWNyZXQw+/=" // No request of this run has asked for it.
	const echo = `{"errors":[{"message":"key ` + testKey + ` csc ` + csc + ` password ` + password + ` code ` + csrt +
		` signed ` + unread + ` url https://x.example/h?token=s3cret&a=b","path":"` + testKey + `"}]}`
	key := map[string]string{"X-Trace-Id": testKey}
	blocks := map[string]SettingsBlock{
		"general":         {"technicalResponsible": []byte(`{"csrts":[{"id":1,"code":"` + csrt + `"}]}`)},
		"consumerInvoice": {"csc": []byte(`"` + csc + `"`), "tokenId": []byte(`"1"`)},
		"serviceInvoice":  {"password": []byte(`"` + password + `"`), "userName": []byte(`"key"`)},
	}
	c := scripted(t, []exchange{
		{method: "GET", path: "/v1/companies/1/settings", answer: `{}`},
		{method: "PUT", path: "/v1/companies/1/settings", body: `{"consumerInvoice":{"csc":"CSC-1234-5678","tokenId":"1"},"general":{"technicalResponsible":{"csrts":[{"id":1,"code":"CSRT-9876-5432"}]}},"serviceInvoice":{"password":"hunter22","userName":"key"}}`, status: 400, header: key, answer: echo},
		{
			method: "POST", path: "/v1/webhooks", body: `{"event":"invoice.authorized","url":"https://x.example/h?token=s3cret&a=b"}`,
			status: 400, header: key, answer: echo,
		},
	})
	err := c.RewriteSettings(t.Context(), "1", func(*Settings) (map[string]SettingsBlock, error) { return blocks, nil })
	for _, secret := range []string{testKey, csc, password, csrt, unread} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows %s: %v", secret, err)
		}
	}
	if !strings.Contains(err.Error(), "(API key)") || !strings.Contains(err.Error(), "csc (secret) password (secret) code (secret) signed (secret) url") {
		t.Errorf("the error hides more than secrets: %v", err)
	}
	_, err = c.CreateWebhook(t.Context(), "invoice.authorized", "https://x.example/h?token=s3cret&a=b")
	if strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "https://x.example/h?(secret)") {
		t.Errorf("the error shows the query of the URL: %v", err)
	}
}

const (
	knownSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hostile     = "\x1b[31mno\x1b]8;;https://evil.example\x07 \u202e\u2066 " + knownSecret + " " + testKey +
		"\r\nError: \u009b2J \xff\x00"
)

// hostileExchanges are all ways in which a text from outside becomes a part of an error.
func hostileExchanges(t *testing.T) map[string]outcome {
	t.Helper()
	quoted, err := json.Marshal(hostile)
	must(t, err)
	answers := map[string]outcome{}
	for name, body := range rows.Read[map[string]string](t, "error_shows_nothing_hostile.json") {
		body = strings.NewReplacer("HOSTILE", string(quoted), "PLAIN", hostile).Replace(body)
		for _, code := range []int{200, 400, 403, 422, 500} {
			answers[fmt.Sprint(name, " with ", code)] = status(code, body, "X-Trace-Id", hostile)
		}
	}
	for name, address := range map[string]string{
		"another host": "https://evil%E2%80%AE.example/v1", "no address": "\x1b[31m:", "another scheme": "ftp://" + testKey,
	} {
		answers["a redirect to "+name] = status(302, ``, "Location", address)
	}
	for name, broken := range map[string]error{
		"a proxy":      errors.New(hostile),
		"a connection": &net.OpError{Op: "dial", Err: errors.New(hostile)},
		"a name":       &net.DNSError{Err: hostile, Name: hostile},
		"a greeting":   fmt.Errorf("malformed HTTP response %q", hostile),
		"a certificate": &tls.CertificateVerificationError{Err: x509.HostnameError{
			Certificate: &x509.Certificate{DNSNames: []string{hostile}}, Host: "host.example",
		}},
		"an authority": x509.UnknownAuthorityError{Cert: &x509.Certificate{}},
		"an address":   &url.Error{Op: "Get", URL: hostile, Err: errors.New(hostile)},
		"two":          errors.Join(errors.New(hostile), errors.New(hostile)),
	} {
		answers[name] = failing(true, broken)
	}
	return answers
}

func TestError_showsNothingHostile(t *testing.T) {
	t.Parallel()
	for name, exchange := range hostileExchanges(t) {
		rows.Case(t, name, func(t *testing.T) {
			answering := wire(func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.URL.Path, "/secret") {
					return reply(200, `{"secret":"`+knownSecret+`"}`), nil
				}
				return exchange(r)
			})
			c := wired(t, answering)
			must(t, errorOf(c.WebhookSecret(t.Context())))
			ctx, fails := t.Context(), 0
			for operation, err := range map[string]error{
				"a read":        operations["GET"](ctx, c),
				"a creation":    operations["POST"](ctx, c),
				"a change":      operations["PUT"](ctx, c),
				"a deletion":    operations["DELETE"](ctx, c),
				"a list":        errorOf(All(c.Customers(ctx))),
				"a document":    errorOf(c.InvoiceDocument(ctx, ModelService, "1", "pdf", "")),
				"an odd id":     errorOf(c.Invoice(ctx, ModelService, "\x1b[31m")),
				"a certificate": errorOf(c.UploadCertificate(ctx, "1", []byte("p"), "password")),
			} {
				if err == nil {
					continue
				}
				fails++
				failure := failed(t, err)
				texts := []string{failure.Error(), failure.Text, failure.TraceID}
				for _, m := range failure.Messages {
					texts = append(texts, m.Message, m.Path)
				}
				if failure.Err != nil {
					texts = append(texts, strings.ReplaceAll(failure.Err.Error(), "\n", ""))
				}
				for _, text := range texts {
					odd := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
					if odd >= 0 || strings.Contains(text, testKey) || strings.Contains(text, knownSecret) {
						t.Errorf("%s fails with %q", operation, text)
					}
				}
			}
			if fails == 0 {
				t.Error("nothing failed")
			}
		})
	}
}

func TestSecretAnswers_areNeverQuoted(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for name, tt := range rows.Read[map[string]struct {
		Do     string
		Answer said
	}](t, "secret_answers_are_never_quoted.json") {
		rows.Case(t, name, func(t *testing.T) {
			c := wired(t, func(r *http.Request) (*http.Response, error) {
				if tt.Answer[0] != "broken" {
					return tt.Answer.outcome()(r)
				}
				if strings.Contains(Redact(r.Context(), tt.Answer[1]), secret) {
					t.Error("a log would show it")
				}
				return nil, errors.New(tt.Answer[1])
			})
			_, err := ask(t, c, tt.Do)
			failure := failed(t, err)
			if len(failure.Messages) > 0 || failure.Text != "" || strings.Contains(failure.Error(), secret) {
				t.Errorf("the error is %v, %+v", failure, failure)
			}
		})
	}
}
