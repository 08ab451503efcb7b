package einvoice

import (
	"context"
	"net/http"
)

// Declarations of a recipient about an NF-e that was issued against it. That
// these four can be sent is assumed; the specification lists them as states.
const (
	ManifestAcknowledged = "acknowledged"
	ManifestConfirmed    = "confirmed"
	ManifestUnknown      = "unknown"
	ManifestNotPerformed = "notPerformed"
)

// SyncInbound asks for a search for invoices issued against the company, which
// then runs by itself (specification: Rules per endpoint). Inside the minimum
// interval the service refuses: the error is ErrRateLimited, and its RetryAfter
// says for how long. Nothing here waits for that.
func (c *Client) SyncInbound(ctx context.Context) error {
	_, err := c.do(ctx, call{method: http.MethodPost, path: []string{routeInbound, "sync"}, anyBody: true, ownInterval: true})
	return err
}

// ManifestInbound declares something about a received NF-e; justification may be
// "". The invoice is nil, without an error, when the answer does not hold it.
// Path, body and answer are assumed.
func (c *Client) ManifestInbound(ctx context.Context, id, status, justification string) (*InboundInvoice, error) {
	req := call{method: http.MethodPost, path: []string{routeInbound, id, "manifest"}, about: id}
	declared := map[string]string{"status": status}
	if justification != "" {
		declared["justification"] = justification
	}
	return maybe(inboundFrom)(c.send(ctx, req, declared))
}
