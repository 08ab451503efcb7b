package einvoice

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
)

// SyncStatus is how the search for invoices issued against the company goes (specification: Inbound sync status). Its
// dates are in the company's time zone and "" until there is one.
type SyncStatus struct {
	LastNSU            *Int `json:"lastNsu,omitempty"` // 0: no sync completed
	LastSyncAt         Text `json:"lastSyncAt,omitempty"`
	NextAllowedSyncAt  Text `json:"nextAllowedSyncAt,omitempty"`
	LastAttemptOutcome Enum `json:"lastAttemptOutcome,omitempty"`
	LastAttemptMessage Text `json:"lastAttemptMessage,omitempty"`
	LastAttemptAt      Text `json:"lastAttemptAt,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// syncStatusFields tell a sync status from another object: it has one of them, if only as a null.
var syncStatusFields = []string{"lastNsu", "lastSyncAt", "nextAllowedSyncAt", "lastAttemptOutcome", "lastAttemptAt"}

func (v *SyncStatus) keep(a *answer) { v.Raw = a.object }

// InboundSyncStatus reads the state of the search.
func (c *Client) InboundSyncStatus(ctx context.Context) (*SyncStatus, error) {
	a, err := c.do(ctx, c.operation("get_inbound_sync_status"))
	if err != nil {
		return nil, err
	}
	a.object = unwrapped(a.body)
	members := membersOf(a.object)
	if !slices.ContainsFunc(syncStatusFields, func(name string) bool { return members[name] != nil }) {
		return nil, a.bad("the answer is not a sync status")
	}
	return decode[SyncStatus](a, nil)
}

// InboundInvoice is an invoice issued against the company (specification: Inbound
// invoice). An NF-e arrives first as a summary, with IsComplete false.
type InboundInvoice struct {
	ID                   Text            `json:"id,omitempty"`
	Model                Enum            `json:"model,omitempty"`
	EnvironmentType      Enum            `json:"environmentType,omitempty"`
	AccessKey            Text            `json:"accessKey,omitempty"`
	NSU                  *Int            `json:"nsu,omitempty"` // the authority's sequential number
	IsComplete           *Flag           `json:"isComplete,omitempty"`
	Status               Enum            `json:"status,omitempty"`
	IssuedOn             Text            `json:"issuedOn,omitempty"`
	Amount               *Number         `json:"amount,omitempty"`
	OperationType        Enum            `json:"operationType,omitempty"` // from the issuer's point of view
	Issuer               *InvoiceCompany `json:"issuer,omitempty"`
	Manifestation        *Manifestation  `json:"manifestation,omitempty"`
	CreationTime         Text            `json:"creationTime,omitempty"`
	LastModificationTime Text            `json:"lastModificationTime,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// Manifestation is what the recipient declared about an inbound invoice.
type Manifestation struct {
	Status        Enum `json:"status,omitempty"`
	Date          Text `json:"date,omitempty"`
	Justification Text `json:"justification,omitempty"`
	Protocol      Text `json:"protocol,omitempty"`   // NF-e only
	ReasonCode    Text `json:"reasonCode,omitempty"` // NFS-e only
}

// InboundFilter narrows the list of inbound invoices; an empty field is not sent. The specification names the filters
// and not their query parameters, which are assumed, so filter again.
type InboundFilter struct {
	AccessKey           string
	Statuses            []string
	ManifestationStatus string
	OperationType       string
	EnvironmentType     string
	IssuedFrom          string // inclusive
	IssuedTo            string // inclusive
}

func (v *InboundInvoice) keep(a *answer) { v.Raw = a.object }

// InboundInvoices walks the product invoices issued against the company, from the newest to the oldest.
func (c *Client) InboundInvoices(ctx context.Context, f InboundFilter) iter.Seq2[*InboundInvoice, error] {
	query := queryOf(map[string]string{
		"accessKey":           f.AccessKey,
		"manifestationStatus": f.ManifestationStatus,
		"operationType":       f.OperationType,
		"environmentType":     f.EnvironmentType,
		"initialDate":         f.IssuedFrom,
		"endDate":             f.IssuedTo,
	})
	if len(f.Statuses) > 0 {
		query["status"] = f.Statuses
	}
	return decodeEach[InboundInvoice](c.cursorPages(ctx, query, c.operation("list_inbound_invoices")))
}

// InboundInvoice reads one invoice that was issued against the company.
func (c *Client) InboundInvoice(ctx context.Context, model, id string) (*InboundInvoice, error) {
	return decode[InboundInvoice](c.byID(ctx, kindInbound(model), id))
}

// InboundDocument downloads the printed document (format pdf) or the signed document (format xml) of an inbound
// invoice, whichever way the service encodes it. Until an NF-e is complete its XML is a summary.
func (c *Client) InboundDocument(ctx context.Context, model, id, format string) ([]byte, error) {
	return c.download(ctx, c.operation("get_inbound_document", modelWords[model], id, format), format)
}

// Declarations of a recipient about an NF-e that was issued against it. That
// these four can be sent is assumed; the specification lists them as states.
const (
	ManifestAcknowledged = "acknowledged"
	ManifestConfirmed    = "confirmed"
	ManifestUnknown      = "unknown"
	ManifestNotPerformed = "notPerformed"
)

// syncInbound is the operation with an interval of its own: a 429 with a time to wait is reported at once.
const syncInbound = "sync_inbound"

// SyncInbound starts a search for invoices issued against the company (specification: Rules per endpoint). Inside the
// minimum interval the error is ErrRateLimited at once, and its RetryAfter says how long to wait.
func (c *Client) SyncInbound(ctx context.Context) error {
	req := c.operation(syncInbound)
	req.anyBody = true
	_, err := c.change(ctx, req, func(ctx context.Context) bool { return isFound(c.InboundSyncStatus(ctx)) })
	return err
}

// ManifestInbound declares something about a received NF-e; justification may be "". The invoice is nil, without an
// error, when the answer does not hold it. Path, body and answer are assumed.
func (c *Client) ManifestInbound(
	ctx context.Context, id, status, justification string, guard Guard,
) (*InboundInvoice, error) {
	declared := map[string]string{"status": status}
	if justification != "" {
		declared["justification"] = justification
	}
	of := kindInbound(ModelProduct)
	req := c.object("manifest", of, id).with(declared)
	req.guard = guard
	return decodeShown[InboundInvoice](c.change(ctx, req, c.shows(of, id)))
}
