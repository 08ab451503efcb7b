package einvoice

import (
	"context"
	"encoding/json"
	"net/http"
)

// Correction is a correction letter as the service answers it.
type Correction struct {
	Letter  Text
	EventID Text // "" where the answer does not tell

	Raw json.RawMessage // the body as the service sent it
}

// CorrectInvoice sends a correction letter, of 15 to 1000 characters, for an
// authorized product invoice (specification: Rules per endpoint). Each call is a
// new legal event: a failure that leaves the outcome open is ErrAmbiguous, and
// must not be repeated. The answer need not show the letter or the event.
func (c *Client) CorrectInvoice(ctx context.Context, id, letter string) (*Correction, error) {
	req := invoiceCall(http.MethodPost, ModelProduct, id, "corrections")
	a, err := c.send(ctx, req, map[string]string{"letter": letter})
	if err != nil {
		return nil, err
	}
	members := membersOf(unwrapAny(a.body))
	return &Correction{Letter: Text(textOf(members["letter"])), EventID: Text(textOf(members["eventId"])), Raw: a.body}, nil
}
