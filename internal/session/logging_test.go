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
)

// A service that says back what it was told in confidence brings it neither into
// the log nor into an error, wherever it puts it.
func TestLogExchanges_redactWhatTheServiceSaysBack(t *testing.T) {
	t.Parallel()
	const key, token = `key-"0123456789\abcdef`, "token=planted-in-the-query"
	answers := map[string]string{
		"a status line":               "HTTP/1.1 500 %s\r\nContent-Length: 0\r\n\r\n",
		"a status line without shape": "%s\r\n\r\n",
		"a status code":               "HTTP/1.1 %s OK\r\n\r\n",
		"a version":                   "HTTP/%s 200 OK\r\n\r\n",
		"a line among the headers":    "HTTP/1.1 200 OK\r\n%s\r\n\r\n",
		"a name of a header":          "HTTP/1.1 200 OK\r\n%s: 1\r\nContent-Length: 0\r\n\r\n",
		"a transfer encoding":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n",
		"a content length":            "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n",
		"a chunk":                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n",
		"a trailer":                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX %s\r\n\r\n",
		"an early answer":             "HTTP/1.1 103 %[1]s\r\nLink: %[1]s\r\n\r\nHTTP/1.1 500 %[1]s\r\nContent-Length: 0\r\n\r\n",
		"a body":                      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n{\"errors\":[{\"message\":\"%[1]s\",\"path\":\"%[1]s\"}]}",
		"a page":                      "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n<html>%s</html>",
		"a body that is not JSON":     "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s",
		"an address elsewhere":        "HTTP/1.1 302 Found\r\nLocation: http://%s.example/\r\nContent-Length: 0\r\n\r\n",
		"an address here":             "HTTP/1.1 302 Found\r\nLocation: /v1/%s\r\nContent-Length: 0\r\n\r\n",
		"a query of an address here":  "HTTP/1.1 302 Found\r\nLocation: /v1/x?a=%s\r\nContent-Length: 0\r\n\r\n",
		"more than an answer":         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 400 %s\r\n\r\n",
	}
	for _, name := range []string{
		"Content-Type", "Retry-After", "X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Trace-Id", "Set-Cookie", "Date", "Server",
	} {
		answers["the header "+name] = "HTTP/1.1 404 Not Found\r\n" + name + ": %s\r\nContent-Length: 0\r\n\r\n"
	}
	answers["a long trace id"] = "HTTP/1.1 404 Not Found\r\nX-Trace-Id: " + strings.Repeat("x", 115) + "%s\r\nContent-Length: 0\r\n\r\n"
	for name, answer := range answers {
		for method, secret := range map[string]string{http.MethodGet: key, http.MethodPost: token} {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
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
				if err != nil {
					t.Fatal(err)
				}
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
	if err != nil {
		t.Fatal(err)
	}
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
