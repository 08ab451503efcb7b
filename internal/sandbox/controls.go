package sandbox

import (
	"bytes"
	"encoding/json"
	"strings"
)

// controlsPath is where they begin.
const controlsPath = "/_sandbox/"

// routesControls registers the controls of the sandbox itself. They stand outside /v1 and need no key: the program
// listens on loopback only.
func (s *Server) routesControls() {
	s.handle("POST /_sandbox/script", s.takeScript)
	s.handle("GET /_sandbox/requests", s.showRequests)
}

func (s *Server) takeScript(c *call) (any, error) {
	var in struct {
		IntegrationID string    `json:"integrationId"`
		Outcomes      []Outcome `json:"outcomes"`
	}
	if err := strictly(c.body, &in); err != nil {
		return nil, invalid("outcomes", "%s", err)
	}
	if in.IntegrationID == "" {
		return nil, invalid("integrationId", "The IntegrationId field is required.")
	}
	s.addScript(in.IntegrationID, in.Outcomes)
	return success(), nil
}

// strictly reads JSON that a person wrote: a name that means nothing is a mistake.
func strictly(b []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// showRequests lists the requests to the service so far, without their headers.
func (s *Server) showRequests(*call) (any, error) {
	out := []any{}
	for _, r := range s.Requests() {
		if strings.HasPrefix(r.Path, controlsPath) {
			continue
		}
		out = append(out, object{
			"method": r.Method, "path": r.Path, "query": r.Query.Encode(), "companyId": orNull(r.Key), "status": r.Status,
			"at": instant(r.At), "body": orNull(string(r.Body)),
		})
	}
	return object{"requests": out}, nil
}
