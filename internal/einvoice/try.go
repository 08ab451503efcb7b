package einvoice

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Response is an answer as the service gave it.
type Response struct {
	Status int
	Header http.Header
	Body   json.RawMessage
}

// Try carries out an operation of the table and shows the whole answer, for a program
// that looks at the service itself. Of a failure it shows the status, 0 where none came.
func (c *Client) Try(ctx context.Context, name string, values []string, query url.Values, body any) (Response, error) {
	req := c.operation(name, values...)
	if body != nil {
		req = req.with(body)
	}
	req.query, req.anyBody = query, true
	a, err := c.do(ctx, req)
	if err != nil {
		failure := (*Error)(nil)
		errors.As(err, &failure)
		return Response{Status: failure.Status}, err
	}
	return Response{Status: a.status, Header: a.header, Body: a.body}, nil
}

// ListIn returns the entries of a list as the provider reads it, or why it cannot.
func ListIn(body []byte) (items []json.RawMessage, problem string) {
	p, failure := pageFrom(&answer{body: body})
	if failure != nil {
		return nil, strings.TrimPrefix(failure.Err.Error(), ErrBadAnswer.Error()+": ")
	}
	return p.items, ""
}
