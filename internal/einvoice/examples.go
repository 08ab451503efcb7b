package einvoice

import (
	"context"
	"encoding/json"
	"net/http"
)

// PayloadExample is a sample issuing body in the form that a city accepts.
type PayloadExample struct {
	Provider       Text            // national for the national environment, else the city's or ""
	SourceIssuedOn Text            // date of the authorized invoice the sample was taken from
	Body           json.RawMessage // a JSON object
}

// PayloadExamples reads the samples of a city by its IBGE code. None is normal:
// issuing works without them.
func (c *Client) PayloadExamples(ctx context.Context, cityCode string) ([]PayloadExample, error) {
	path := []string{invoiceRoutes[ModelService], "cities", cityCode, "payload-example"}
	a, err := c.do(ctx, call{method: http.MethodGet, path: path})
	if err != nil {
		return nil, err
	}
	return examplesFrom(a)
}
