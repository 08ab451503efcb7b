package einvoice

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// broken is an exchange whose transport fails with a text, which a log must not show either.
func broken(t *testing.T, text, secret string) outcome {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		if strings.Contains(Redact(r.Context(), text), secret) {
			t.Error("a log would show it")
		}
		return nil, errors.New(text)
	}
}

func TestSecretAnswers_areNeverQuoted(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	reads := func(c *Client) error { return errorOf(c.WebhookSecret(t.Context())) }
	rotates := func(c *Client) error { return errorOf(c.RotateWebhookSecret(t.Context(), nil, nil)) }
	creates := func(c *Client) error { return errorOf(c.CreateCompany(t.Context(), Company{}, nil)) }
	for name, test := range map[string]struct {
		do     func(*Client) error
		answer outcome
	}{
		"a company that cannot be read": {creates, status(201, `{"id":"1","apiCredentials":{"apiKey":"`+secret+`"}}}`)},
		"plain text":                    {reads, status(200, secret, "Content-Type", "text/plain")},
		"garbage behind it":             {reads, status(200, `{"secret":"`+secret+`"}<!-- -->`)},
		"cut short":                     {reads, status(200, `{"secret":"`+secret)},
		"inside HTML":                   {reads, status(200, "<html><body>"+secret+"</body></html>", "Content-Type", "text/html")},
		"under another name":            {reads, status(200, `{"key":"`+secret+`"}`)},
		"success: false":                {reads, status(200, `{"success":false,"message":"`+secret+`"}`)},
		"as a trace id":                 {reads, status(400, `{"traceId":"`+secret+`"}`)},
		"a refusal":                     {reads, status(400, `{"message":"`+secret+`"}`)},
		"a failure":                     {reads, status(500, secret)},
		"no HTTP":                       {reads, broken(t, `transport connection broken: malformed HTTP response "`+secret+`"`, secret)},
		"no HTTP header":                {reads, broken(t, "net/http: malformed MIME header line: "+secret, secret)},
		"a refused rotation":            {rotates, status(400, `{"errors":[{"message":"`+secret+`"}]}`)},
		"a failed rotation":             {rotates, status(500, "<p>"+secret+"</p>", "Content-Type", "text/html")},
		"a rotation of success: false":  {rotates, status(200, `{"success":false,"message":"`+secret+`"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := played(t, 0, test.answer)
			failure := failed(t, test.do(c))
			if len(failure.Messages) > 0 || failure.Text != "" || strings.Contains(failure.Error(), secret) {
				t.Errorf("the error is %v, %+v", failure, failure)
			}
		})
	}
}
