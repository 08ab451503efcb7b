package einvoice

import (
	"context"
	"net/http"
)

// inboundRoutes are the path elements of the invoices that others issued against
// the company. The specification names the reads of both models, and the list of
// product invoices alone.
var inboundRoutes = map[string]string{ModelProduct: routeInbound, ModelService: "inbound-service-invoices"}

// InboundInvoice reads one invoice that was issued against the company.
func (c *Client) InboundInvoice(ctx context.Context, model, id string) (*InboundInvoice, error) {
	return one(inboundFrom)(shown(c.do(ctx, call{method: http.MethodGet, path: []string{inboundRoutes[model], id}, about: id})))
}

// InboundDocument downloads the printed document (format pdf) or the signed
// document (format xml) of an inbound invoice, whichever way the service encodes
// it. Until an NF-e is complete its XML is a summary.
func (c *Client) InboundDocument(ctx context.Context, model, id, format string) ([]byte, error) {
	return c.download(ctx, call{method: http.MethodGet, path: []string{inboundRoutes[model], id}}, format)
}
