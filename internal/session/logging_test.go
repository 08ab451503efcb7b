package session_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// A service that says back what it was told in confidence brings it neither into
// the log nor into an error, wherever it puts it.
func TestLogExchanges_redactWhatTheServiceSaysBack(t *testing.T) {
	t.Parallel()
	const key, token = `key-"0123456789\abcdef`, "token=planted-in-the-query"
	answers := rows.Read[map[string]string](t, "log_exchanges_redact_what_the_service_says_back.json")
	for _, name := range []string{
		"Content-Type", "Retry-After", "X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Trace-Id", "Set-Cookie", "Date", "Server",
	} {
		answers["the header "+name] = "HTTP/1.1 404 Not Found\r\n" + name + ": %s\r\nContent-Length: 0\r\n\r\n"
	}
	answers["a long trace id"] = "HTTP/1.1 404 Not Found\r\nX-Trace-Id: " + strings.Repeat("x", 115) + "%s\r\nContent-Length: 0\r\n\r\n"
	for name, answer := range answers {
		for method, secret := range map[string]string{http.MethodGet: key, http.MethodPost: token} {
			rows.Case(t, name+"/"+method, func(t *testing.T) {
				written := answer
				if method == http.MethodGet && strings.HasPrefix(name, "a body") {
					written = strings.ReplaceAll(answer, "%[1]s", strings.ReplaceAll(strings.ReplaceAll(secret, `\`, `\\`), `"`, `\"`))
				} else if strings.Contains(answer, "%") {
					written = fmt.Sprintf(answer, secret)
				}
				var logged bytes.Buffer
				ctx, cancel := context.WithTimeout(tflogtest.RootLogger(t.Context(), &logged), 5*time.Second)
				defer cancel()
				client, err := einvoice.New(einvoice.Config{BaseURL: says(t, written), APIKey: key, RequestTimeout: 2 * time.Second, Wrap: session.LogExchanges})
				expect.NoError(t, err)
				if method == http.MethodGet {
					_, err = client.Invoice(ctx, einvoice.ModelService, "1")
				} else {
					_, err = client.CreateWebhook(ctx, "invoice.authorized", "https://example.com/hook?"+token)
				}
				if logged.Len() == 0 {
					t.Fatal("nothing was logged")
				}
				for _, part := range []string{"0123456789", "planted-in-the-query", "key-"} {
					if text := logged.String() + fmt.Sprint(err); strings.Contains(text, part) {
						t.Errorf("it shows %q:\n%s", part, text)
					}
				}
			})
		}
	}
}

// says is the address of a service that answers every request with these bytes.
func says(t *testing.T, answer string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = bytes.NewBuffer(nil).ReadFrom(r.Body)
					_, _ = conn.Write([]byte(answer))
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/v1"
}
