package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox/page"
)

// controlsPath begins the paths of the controls.
const controlsPath = "/_sandbox/"

// maxControlBody is the longest body that a control accepts, and the longest part of a body that showRequests shows.
const maxControlBody = 64 << 10

// serveControl serves the controls to this machine only, and not to pages of other sites: those can send text to any
// address, but no JSON without permission. Such a request is not recorded, does not count in the limit, and meets no
// fault or hook.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	a := &answer{header: http.Header{}}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBody))
	switch origin := r.Header.Get("Origin"); {
	case !fromThisMachine(r) || origin != "" && !onLoopback(origin):
		s.render(a, nil, refuse(http.StatusForbidden, "",
			"Use the controls on this machine only, at localhost, 127.0.0.1 or [::1]."))
	case err != nil:
		s.render(a, nil, refuse(http.StatusRequestEntityTooLarge, "",
			"The body is longer than %d bytes.", maxControlBody))
	case r.Method == http.MethodPost && !acceptsJSON(r.Header.Get("Content-Type")):
		s.render(a, nil, refuse(http.StatusUnsupportedMediaType, "",
			"Send JSON, with the header Content-Type: application/json."))
	default:
		a = s.dispatch(r, body)
	}
	send(w, a)
}

// routesControls registers the controls of the sandbox itself. They stand outside /v1 and need no key.
func (s *Server) routesControls() {
	s.handle("POST /_sandbox/script", s.takeScript)
	s.handle("GET /_sandbox/requests", s.showRequests)
	// What others do: issuers, the authority, and the service's own search.
	s.handle("POST /_sandbox/companies/{id}/received", s.takeReceived)
	s.handle("POST /_sandbox/received/{id}/events", s.takeEvent)
	s.handle("POST /_sandbox/companies/{id}/searches", s.takeSearches)
	// Tasks of the service's back office, for which the service has no route.
	s.handle("POST /_sandbox/companies/{id}/key", s.giveNewKey)
	s.handle("POST /_sandbox/certificates/{id}/activate", s.activateCertificate)
}

// giveNewKey answers with a company's new key, which is shown only here. The previous key stops working
// (specification, Authentication).
func (s *Server) giveNewKey(c *call) (any, error) {
	key := s.regenerateKey(c.id())
	if key == "" {
		return nil, notFound()
	}
	return object{"apiKey": key}, nil
}

// activateCertificate makes a certificate its company's active one, and the others inactive.
func (s *Server) activateCertificate(c *call) (any, error) {
	certificate, ok := s.get(KindCertificates, c.id())
	if !ok {
		return nil, notFound()
	}
	for _, of := range s.all(KindCertificates, ofCompany(text(certificate, "_companyId"))) {
		s.update(KindCertificates, text(of, "id"), func(doc object) {
			doc["isActive"] = doc["id"] == certificate["id"]
		})
	}
	certificate, _ = s.get(KindCertificates, c.id())
	return certificate, nil
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

// strictly reads JSON that a person wrote: an unknown name is an error.
func strictly(b []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// showRequests lists the requests to the service so far, without their headers and secrets.
func (s *Server) showRequests(*call) (any, error) {
	hide := s.redactor()
	out := []any{}
	for _, r := range s.Requests() {
		query := url.Values{}
		for name, values := range r.Query {
			for _, value := range values {
				query.Add(name, hide.Value(name, value))
			}
		}
		out = append(out, object{
			"method": r.Method, "path": hide.Text(r.Path), "query": query.Encode(), "companyId": orNull(r.Key),
			"status": r.Status, "at": instant(r.At), "body": orNull(shownBody(hide, r.Body)),
		})
	}
	return object{"requests": out}, nil
}

// shownBody is a body without its secrets. Only JSON names them, so that no other body is shown.
func shownBody(hide *page.Redactor, body []byte) string {
	if len(body) == 0 {
		return ""
	}
	var doc any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return fmt.Sprintf("(%d bytes that are not JSON)", len(body))
	}
	return hide.Short(hide.Value("", doc), maxControlBody)
}
