package einvoice

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
)

// ServiceCity is a city that the service issues service invoices in. The query is mentioned by the specification
// (Rules per endpoint, Payload example by city); its fields but nationalServiceInvoiceRegimes are assumed.
type ServiceCity struct {
	ID       Text          `json:"id,omitempty"`
	Code     Text          `json:"code,omitempty"` // IBGE municipal code
	Name     Text          `json:"name,omitempty"`
	State    Text          `json:"state,omitempty"`
	Provider *CityProvider `json:"provider,omitempty"`

	// NationalRegimes are the tax regimes for which the city has adopted the
	// national environment; nil when the service does not say.
	NationalRegimes Regimes `json:"nationalServiceInvoiceRegimes,omitempty"`

	Raw json.RawMessage `json:"-"` // the object as the service sent it
}

// CityProvider is the system that a city takes its invoices with.
type CityProvider struct {
	Name Text `json:"name,omitempty"`

	// Options are what it needs and supports, as the service sent them.
	Options json.RawMessage `json:"-"`
}

// Regimes is a list of tax regimes, which the service may also write as one word
// or as several with commas between them.
type Regimes []Text

// UnmarshalJSON accepts a list of words, one text, or null.
func (r *Regimes) UnmarshalJSON(raw []byte) error {
	if isArray(raw) {
		var words []Text
		if err := json.Unmarshal(raw, &words); err != nil {
			return err
		}
		*r = words
		return nil
	}
	var text Text
	if err := text.UnmarshalJSON(raw); err != nil {
		return err
	}
	*r = nil
	for word := range strings.SplitSeq(string(text), ",") {
		if word = strings.TrimSpace(word); word != "" {
			*r = append(*r, Text(word))
		}
	}
	return nil
}

func (v *ServiceCity) keep(a *answer) {
	v.Raw = a.object
	if options := membersOf(membersOf(a.object)["provider"])["options"]; v.Provider != nil && isObject(options) {
		v.Provider.Options = options
	}
}

// ServiceCities walks the cities that the service issues service invoices in,
// narrowed by an IBGE code or a two-letter state where they are not "". The
// filters are assumed, so filter again; states are in upper case on this route.
func (c *Client) ServiceCities(ctx context.Context, code, state string) iter.Seq2[*ServiceCity, error] {
	query := queryOf(map[string]string{"code": code, "state": strings.ToUpper(state)})
	list := c.pages(ctx, query, c.operation("list_cities"))
	return decodeEach[ServiceCity](unlessMissing(ctx, "list_cities", list, c.isMissing(list)))
}

// PayloadExample is a sample issuing body in the form that a city accepts.
type PayloadExample struct {
	Provider       Text            // national for the national environment, else the city's or ""
	SourceIssuedOn Text            // date of the authorized invoice the sample was taken from
	Body           json.RawMessage // a JSON object
}

// PayloadExamples reads the samples of a city by its IBGE code. None is normal: issuing works without them.
func (c *Client) PayloadExamples(ctx context.Context, cityCode string) ([]PayloadExample, error) {
	a, err := c.do(ctx, c.operation("get_payload_example", cityCode))
	if err != nil {
		return nil, err
	}
	return examplesFrom(a)
}
