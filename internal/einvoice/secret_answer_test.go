package einvoice

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

type answering func() *http.Response

func answers(status int, body string, headers ...string) answering {
	return func() *http.Response { return reply(status, body, headers...) }
}

func TestSecretAnswers_areNeverQuoted(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	reads := func(c *Client) error { _, err := c.WebhookSecret(t.Context()); return err }
	rotates := func(c *Client) error { _, err := c.RotateWebhookSecret(t.Context(), nil); return err }
	for name, test := range map[string]struct {
		do     func(*Client) error
		answer answering
		broken error
	}{
		"a company that cannot be read": {
			do:     func(c *Client) error { _, err := c.CreateCompany(t.Context(), Company{}, nil); return err },
			answer: answers(201, `{"id":"1","apiCredentials":{"apiKey":"`+secret+`"}}}`),
		},
		"plain text":                   {do: reads, answer: answers(200, secret, "Content-Type", "text/plain")},
		"garbage behind it":            {do: reads, answer: answers(200, `{"secret":"`+secret+`"}<!-- -->`)},
		"cut short":                    {do: reads, answer: answers(200, `{"secret":"`+secret)},
		"inside HTML":                  {do: reads, answer: answers(200, "<html><body>"+secret+"</body></html>", "Content-Type", "text/html")},
		"under another name":           {do: reads, answer: answers(200, `{"key":"`+secret+`"}`)},
		"success: false":               {do: reads, answer: answers(200, `{"success":false,"message":"`+secret+`"}`)},
		"as a trace id":                {do: reads, answer: answers(400, `{"traceId":"`+secret+`"}`)},
		"a refusal":                    {do: reads, answer: answers(400, `{"message":"`+secret+`"}`)},
		"a failure":                    {do: reads, answer: answers(500, secret)},
		"no HTTP":                      {do: reads, broken: errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "` + secret + `"`)},
		"no HTTP header":               {do: reads, broken: errors.New("net/http: malformed MIME header line: " + secret)},
		"a refused rotation":           {do: rotates, answer: answers(400, `{"errors":[{"message":"`+secret+`"}]}`)},
		"a failed rotation":            {do: rotates, answer: answers(500, "<p>"+secret+"</p>", "Content-Type", "text/html")},
		"a rotation of success: false": {do: rotates, answer: answers(200, `{"success":false,"message":"`+secret+`"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := mustClient(t, Config{BaseURL: "https://service.example/v1", APIKey: testKey, Wrap: wire(func(r *http.Request) (*http.Response, error) {
				if test.broken != nil && strings.Contains(Redact(r.Context(), test.broken.Error()), secret) {
					t.Error("a log would show it")
				}
				if test.broken != nil {
					return nil, test.broken
				}
				return test.answer(), nil
			}).wrap})
			failure := failed(t, test.do(c))
			if len(failure.Messages) > 0 || failure.Text != "" || strings.Contains(failure.Error(), secret) {
				t.Errorf("the error is %v, %+v", failure, failure)
			}
		})
	}
	c := mustClient(t, Config{BaseURL: "https://service.example/v1", APIKey: testKey, Wrap: wire(func(*http.Request) (*http.Response, error) {
		return nil, io.ErrUnexpectedEOF
	}).wrap})
	if err := reads(c); !errors.Is(err, errConnectionClosed) {
		t.Errorf("a broken connection is %v", err)
	}
}
