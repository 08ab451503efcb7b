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
)

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
	said := string(quoted)
	answers := map[string]outcome{}
	for name, body := range map[string]string{
		"messages": `{"errors":[{"message":` + said + `,"path":` + said + `}]}`,
		"a map":    `{"errors":{` + said + `:[` + said + `]}}`,
		"a detail": `{"detail":` + said + `}`, "a title": `{"title":` + said + `}`, "a code": `{"error":{"message":` + said + `}}`,
		"fields": `{` + said + `:` + said + `}`, "a trace": `{"traceId":` + said + `}`, "a text": said, "plain": hostile,
		"a page": "<p>" + hostile, "not successful": `{"success":false,"message":` + said + `}`,
		"another object": `{"id":` + said + `}`, "an odd field": `{"id":"1","status":{` + said + `:` + said + `}}`,
		"a broken object": `{"id":"1","x":` + said + `}}`,
	} {
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
		answers[name] = func(r *http.Request) (*http.Response, error) {
			traced(r, true)
			return nil, broken
		}
	}
	return answers
}

func TestError_showsNothingHostile(t *testing.T) {
	t.Parallel()
	for name, exchange := range hostileExchanges(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
