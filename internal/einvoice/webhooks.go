package einvoice

import (
	"context"
	"encoding/json"
	"iter"
)

// WebhookEvents are the events of the service (specification: Events).
var WebhookEvents = []string{
	"invoice.status_changed", "invoice.authorized", "invoice.rejected", "invoice.canceled", "invoice.contingency",
	"inbound_invoice.detected", "inbound_invoice.completed", "inbound_invoice.event",
}

// Webhook subscribes a URL to one event of the account (specification: Events).
// The URL may hold a secret in its query.
type Webhook struct {
	ID      Text  `json:"id,omitempty"`
	Event   Enum  `json:"event,omitempty"`
	URL     Text  `json:"url,omitempty"`
	Enabled *Flag `json:"enabled,omitempty"` // the service clears it itself after failed deliveries

	Raw    json.RawMessage `json:"-"` // the object as the service sent it
	Listed bool            `json:"-"` // only a list shows it, which may lag
}

// Rotation is the answer to a rotation of the webhook secret, as far as the
// service shows one: the specification does not.
type Rotation struct {
	Secret                   string
	RotatedAt                Text
	PreviousSecretValidUntil Text
}

func (v *Webhook) keep(a *answer) { v.Raw, v.Listed = a.object, a.listed }

// Webhooks walks all webhooks of the account.
func (c *Client) Webhooks(ctx context.Context) iter.Seq2[*Webhook, error] {
	return decodeEach[Webhook](c.listed(ctx, KindWebhook, nil))
}

// Webhook reads one webhook by its id, falling back to the list as Customer does.
func (c *Client) Webhook(ctx context.Context, id string) (*Webhook, error) {
	return decode[Webhook](c.find(ctx, KindWebhook, id, nil))
}

// CreateWebhook subscribes url to event.
func (c *Client) CreateWebhook(ctx context.Context, event, url string) (*Webhook, error) {
	return decode[Webhook](c.create(ctx, KindWebhook, Webhook{Event: Enum(event), URL: Text(url)}, nil, nil))
}

// UpdateWebhook changes event and url, and sends the rest back as it is read. It leaves
// enabled as it is: that has its own operation.
func (c *Client) UpdateWebhook(ctx context.Context, id, event, url string) (*Webhook, error) {
	next := Webhook{Event: Enum(event), URL: Text(url)}
	return decode[Webhook](c.update(ctx, KindWebhook, id, next, Webhook{}, nil))
}

// SetWebhookEnabled enables or disables a webhook. The webhook is nil, without
// an error, when the service's answer does not hold it.
func (c *Client) SetWebhookEnabled(ctx context.Context, id string, enabled bool) (*Webhook, error) {
	verb := "disable"
	if enabled {
		verb = "enable"
	}
	return decodeShown[Webhook](c.change(ctx, c.object(verb, KindWebhook, id), c.has(KindWebhook, id)))
}

// WebhookSecret reads the account's secret for verifying webhook signatures. A mask is no secret: the error is
// ErrMasked then.
func (c *Client) WebhookSecret(ctx context.Context) (string, error) {
	req := c.operation("get_webhook_secret")
	req.secretAnswer = true
	a, err := c.do(ctx, req)
	if err != nil {
		return "", err
	}
	secret := rotationFrom(a.body).Secret
	switch {
	case secret == "":
		return "", a.bad("the answer holds no secret")
	case IsMasked(secret):
		return "", ErrMasked
	}
	c.secrets.add(secret)
	return secret, nil
}

// RotateWebhookSecret makes a new secret. windowHours is how long the previous one keeps signing as well, 0 to 72;
// nil leaves it to the service. Body and answer are assumed: whatever a 2xx holds is a success.
func (c *Client) RotateWebhookSecret(ctx context.Context, windowHours *int64, guard Guard) (*Rotation, error) {
	req := c.operation("rotate_webhook_secret")
	if windowHours != nil {
		req = req.with(map[string]int64{"windowHours": *windowHours})
	}
	req.anyBody, req.secretAnswer, req.guard = true, true, guard
	a, err := c.change(ctx, req, c.isPresent)
	if err != nil {
		return nil, err
	}
	rotation := rotationFrom(a.body)
	if IsMasked(rotation.Secret) {
		rotation.Secret = ""
	}
	c.secrets.add(rotation.Secret)
	return &rotation, nil
}
