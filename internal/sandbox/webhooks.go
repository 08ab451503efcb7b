package sandbox

import (
	"encoding/json"
	"net/url"
	"strings"
)

// The events that a webhook can subscribe to.
const (
	EventStatusChanged    = "invoice.status_changed"
	EventAuthorized       = "invoice.authorized"
	EventRejected         = "invoice.rejected"
	EventCanceled         = "invoice.canceled"
	EventContingency      = "invoice.contingency"
	EventInboundDetected  = "inbound_invoice.detected"
	EventInboundCompleted = "inbound_invoice.completed"
	EventInboundEvent     = "inbound_invoice.event"
)

var webhookEvents = []string{
	EventStatusChanged, EventAuthorized, EventRejected, EventCanceled, EventContingency,
	EventInboundDetected, EventInboundCompleted, EventInboundEvent,
}

// routesWebhooks registers the webhooks of the account, which only the main company's key reaches. The specification
// names the creation, with one event each, and the secret; the rest is reported. A second webhook with the same event
// and url is accepted: nobody reports a refusal.
func (s *Server) routesWebhooks() {
	s.shape(KindWebhooks, completeWebhook)
	s.route("POST /v1/webhooks", ownerKey, creates(KindWebhooks, (*call).webhook))
	s.route("GET /v1/webhooks", ownerKey, lists(KindWebhooks, asStored))
	s.route("GET /v1/webhooks/{id}", ownerKey, reads(KindWebhooks, asStored))
	s.route("PUT /v1/webhooks/{id}", ownerKey, replaces(KindWebhooks, (*call).webhook, asStored))
	s.route("DELETE /v1/webhooks/{id}", ownerKey, deletes(KindWebhooks))
	s.route("PUT /v1/webhooks/{id}/enable", ownerKey, enables(true))
	s.route("PUT /v1/webhooks/{id}/disable", ownerKey, enables(false))
	s.route("GET /v1/webhooks/secret", ownerKey, s.readSecret)
	s.route("POST /v1/webhooks/secret/rotate", ownerKey, s.rotateSecret)
}

// enables is reported: the service disables a webhook whose deliveries keep failing, and this is the way back.
func enables(enabled bool) handler {
	return func(c *call) (any, error) {
		if !c.s.update(KindWebhooks, c.id(), func(doc object) { doc["enabled"] = enabled }) {
			return nil, notFound()
		}
		return success(), nil
	}
}

// webhook reads a webhook body. The limits of a URL are not documented: here it must be absolute, http or https. A
// PUT is assumed not to change enabled, which has its own routes.
func (c *call) webhook() (object, error) {
	in := c.input()
	in.own("enabled")
	doc := object{"url": in.required("url", 0), "enabled": true}
	if before, ok := c.s.get(KindWebhooks, c.id()); ok {
		doc["enabled"] = before["enabled"]
	}
	if event, _ := in.required("event", 0).(string); strings.TrimSpace(event) != "" {
		doc["event"] = in.enum("event", webhookEvents...)
	}
	if address := text(doc, "url"); strings.TrimSpace(address) != "" && !absoluteURL(address) {
		in.fail("url", "The Url field is not a valid fully-qualified http or https URL.")
	} else if c.s.opts.NormalizesURLs {
		doc["url"] = normalizedURL(address)
	}
	in.extras(KindWebhooks, doc)
	return doc, in.check()
}

func absoluteURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// normalizedURL has the scheme and the host in small letters, no default port, and a path.
func normalizedURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	} else {
		u.Host = strings.TrimSuffix(u.Host, ":80")
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

func completeWebhook(doc object) {
	setDefault(doc, "enabled", true)
	nulls(doc, "event", "url")
}

// readSecret follows the specification, Events; that the answer is {secret} is reported.
func (s *Server) readSecret(*call) (any, error) {
	return object{"secret": s.signing.secret}, nil
}

// rotateSecret makes a new secret. The specification shows only that the window may be up to 72 hours. Three
// assumptions: its name windowHours, no window without it, and the answer.
func (s *Server) rotateSecret(c *call) (any, error) {
	in := c.optionalInput()
	hours, _ := in.integer("windowHours").(json.Number)
	window, _ := hours.Int64()
	if window < 0 || window > maxRotationHours {
		in.fail("windowHours", "The field WindowHours must be between 0 and %d.", maxRotationHours)
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	until := s.rotate(window)
	if s.opts.EmptyRotateAnswer {
		return &reply{}, nil
	}
	answered := object{"secret": s.signing.secret, "rotatedAt": instant(s.clock.Now()), "previousSecretValidUntil": nil}
	if window > 0 {
		answered["previousSecretValidUntil"] = instant(until)
	}
	return answered, nil
}
