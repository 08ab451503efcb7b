package einvoice

import (
	"context"
	"encoding/json"
	"iter"
)

// Disablement is a range of invoice numbers that was declared unused at the authority (specification: Disablement).
type Disablement struct {
	ID             Text `json:"id,omitempty"`
	Identifier     Text `json:"identifier,omitempty"`
	Date           Text `json:"date,omitempty"` // date-time
	InitialNumber  *Int `json:"initialNumber,omitempty"`
	FinalNumber    *Int `json:"finalNumber,omitempty"`
	Series         Text `json:"series,omitempty"`
	Reason         Text `json:"reason,omitempty"`
	ProtocolNumber Text `json:"protocolNumber,omitempty"`
	Status         Enum `json:"status,omitempty"`
	Environment    Enum `json:"environment,omitempty"`
	MessageCode    Text `json:"messageCode,omitempty"`
	MessageText    Text `json:"messageText,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// DisablementFilter narrows the list; an empty field is not sent. The specification names the filters and not their
// query parameters, which are assumed, so filter again.
type DisablementFilter struct {
	StartDate string // date-time
	EndDate   string // date-time
	Status    string
}

func (v *Disablement) keep(a *answer) { v.Raw = a.object }

// Disablements walks the disablements of the company's invoices of a model. The specification has the list of product
// invoices alone; that of consumer invoices is assumed.
func (c *Client) Disablements(ctx context.Context, model string, f DisablementFilter) iter.Seq2[*Disablement, error] {
	query := queryOf(map[string]string{"startDate": f.StartDate, "endDate": f.EndDate, "status": f.Status})
	return decodeEach[Disablement](c.pages(ctx, query, c.operation("list_disablements", modelWords[model])))
}
