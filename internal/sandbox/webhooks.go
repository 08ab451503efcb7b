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

// routesWebhooks registers the webhooks of the account, which only the main company's key reaches.
func (s *Server) routesWebhooks() {
	s.shape(KindWebhooks, completeWebhook)
	s.route("POST /v1/webhooks", ownerKey, s.createWebhook)
	s.route("GET /v1/webhooks", ownerKey, s.listWebhooks)
	s.route("GET /v1/webhooks/{id}", ownerKey, s.readWebhook)
	s.route("PUT /v1/webhooks/{id}", ownerKey, s.replaceWebhook)
	s.route("DELETE /v1/webhooks/{id}", ownerKey, s.deleteWebhook)
	s.route("PUT /v1/webhooks/{id}/enable", ownerKey, s.enableWebhook)
	s.route("PUT /v1/webhooks/{id}/disable", ownerKey, s.disableWebhook)
	s.route("GET /v1/webhooks/secret", ownerKey, s.readSecret)
	s.route("POST /v1/webhooks/secret/rotate", ownerKey, s.rotateSecret)
}

// createWebhook follows the specification, Events: one event each. A second webhook with the same event and url is
// accepted: nobody reports a refusal.
func (s *Server) createWebhook(c *call) (any, error) {
	doc, err := c.webhook()
	if err != nil {
		return nil, err
	}
	doc["enabled"] = true
	return s.insert(KindWebhooks, doc), nil
}

// listWebhooks is reported, a paged list.
func (s *Server) listWebhooks(c *call) (any, error) {
	return c.page(s.listedAsStored(KindWebhooks, nil))
}

// readWebhook is reported; the specification does not name it.
func (s *Server) readWebhook(c *call) (any, error) {
	doc, ok := s.get(KindWebhooks, c.id())
	if !ok {
		return nil, notFound()
	}
	return doc, nil
}

// replaceWebhook is reported with event and url. That it leaves enabled alone, which has routes of its own, is assumed.
func (s *Server) replaceWebhook(c *call) (any, error) {
	before, ok := s.get(KindWebhooks, c.id())
	if !ok {
		return nil, notFound()
	}
	doc, err := c.webhook()
	if err != nil {
		return nil, err
	}
	doc["enabled"] = before["enabled"]
	return s.replace(KindWebhooks, c.id(), doc), nil
}

// deleteWebhook is reported, with the answer that the specification gives for other deletes.
func (s *Server) deleteWebhook(c *call) (any, error) {
	if !s.remove(KindWebhooks, c.id()) {
		return nil, notFound()
	}
	return success(), nil
}

// enableWebhook is reported: the service disables a webhook whose deliveries keep failing, and this is the way back.
func (s *Server) enableWebhook(c *call) (any, error) { return s.setWebhookEnabled(c, true) }

func (s *Server) disableWebhook(c *call) (any, error) { return s.setWebhookEnabled(c, false) }

// setWebhookEnabled answers {success: true}, which boolean operations are reported to.
func (s *Server) setWebhookEnabled(c *call, enabled bool) (any, error) {
	if !s.update(KindWebhooks, c.id(), func(doc object) { doc["enabled"] = enabled }) {
		return nil, notFound()
	}
	return success(), nil
}

// webhook reads a webhook body. The limits of an url are not shown: it must be absolute, http or https.
func (c *call) webhook() (object, error) {
	in, err := c.input()
	if err != nil {
		return nil, err
	}
	in.own("enabled")
	doc := object{"url": in.required("url", 0)}
	if event, _ := in.required("event", 0).(string); strings.TrimSpace(event) != "" {
		doc["event"] = in.enum("event", webhookEvents...)
	}
	if address := text(doc, "url"); strings.TrimSpace(address) != "" && !absoluteURL(address) {
		in.fail("url", "The Url field is not a valid fully-qualified http or https URL.")
	}
	in.extras(KindWebhooks, doc)
	return doc, in.check()
}

func absoluteURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func completeWebhook(doc object) {
	setDefault(doc, "enabled", true)
	nulls(doc, "event", "url")
}

// readSecret follows the specification, Events; that the answer is {secret} is reported.
func (s *Server) readSecret(*call) (any, error) {
	return object{"secret": s.signing.secret}, nil
}

// rotateSecret makes a new secret. That the window is sent as windowHours, that there is none when it is not, and what is
// answered are assumed; the specification shows only that it may be up to 72 hours.
func (s *Server) rotateSecret(c *call) (any, error) {
	in, err := c.optionalInput()
	if err != nil {
		return nil, err
	}
	hours, _ := in.integer("windowHours").(json.Number)
	window := integer(object{"hours": hours}, "hours")
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
