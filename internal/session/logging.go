package session

import (
	"context"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// loggedHeaders are the response headers that a log may show. Request headers and all
// bodies hold keys, secrets and personal data, and are never logged.
var loggedHeaders = []string{
	"Content-Type", "Content-Length", "Retry-After",
	"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Trace-Id",
}

// LogExchanges is the one place that logs HTTP: a line for each attempt.
func LogExchanges(next http.RoundTripper) http.RoundTripper {
	return loggingTransport{next}
}

type loggingTransport struct {
	next http.RoundTripper
}

func (t loggingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	begun := time.Now()
	resp, err := t.next.RoundTrip(req)
	// Whatever the service chooses may repeat a secret, the path of a redirect too.
	ctx := req.Context()
	fields := map[string]any{
		"method": req.Method, "path": einvoice.Redact(ctx, req.URL.Path),
		"bytes_sent": req.ContentLength, "duration_ms": time.Since(begun).Milliseconds(),
	}
	if err != nil {
		// The error quotes bytes that could not be read.
		fields["error"] = einvoice.Redact(ctx, err.Error())
		tflog.Debug(ctx, "No answer from the service", fields)
		return resp, err //nolint:wrapcheck // A transport hands errors through.
	}
	fields["status"] = resp.StatusCode
	for _, name := range loggedHeaders {
		if value := resp.Header.Get(name); value != "" {
			fields[name] = einvoice.Redact(ctx, value)
		}
	}
	tflog.Debug(ctx, "Answer from the service", fields)
	return resp, nil
}

// LogWait tells of a long wait in the log.
func LogWait(ctx context.Context, why string, d time.Duration) {
	tflog.Warn(ctx, text.Of(why, text.With{"for": d}).In(text.InLanguage(ctx, text.English)))
}
