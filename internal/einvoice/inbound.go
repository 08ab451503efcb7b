package einvoice

import (
	"context"
	"encoding/json"
	"net/http"
)

// SyncStatus tells how the search for invoices issued against the company goes
// (specification: Inbound sync status). Its dates are in the company's time zone
// and "" until there is one.
type SyncStatus struct {
	LastNSU            *Int `json:"lastNsu,omitempty"` // 0: no sync completed
	LastSyncAt         Text `json:"lastSyncAt,omitempty"`
	NextAllowedSyncAt  Text `json:"nextAllowedSyncAt,omitempty"`
	LastAttemptOutcome Enum `json:"lastAttemptOutcome,omitempty"`
	LastAttemptMessage Text `json:"lastAttemptMessage,omitempty"`
	LastAttemptAt      Text `json:"lastAttemptAt,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

const routeInbound = "inbound-product-invoices"

// InboundSyncStatus reads the state of the search.
func (c *Client) InboundSyncStatus(ctx context.Context) (*SyncStatus, error) {
	a, err := c.do(ctx, call{method: http.MethodGet, path: []string{routeInbound, "sync-status"}})
	if err != nil {
		return nil, err
	}
	a.object = unwrapAny(a.body)
	if !isObject(a.object) {
		return nil, a.bad("the answer is not an object")
	}
	v := SyncStatus{Raw: a.object}
	if err := a.decode(&v); err != nil {
		return nil, err
	}
	return &v, nil
}
