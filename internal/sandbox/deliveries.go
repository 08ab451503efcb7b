package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// retryAfter are the waits before each new attempt, counted from the last failure, as reported. If the last attempt
// fails, the webhook is disabled.
var retryAfter = []time.Duration{5 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 16 * time.Hour}

// deliveryTimeout is real time: a receiver that hangs must not hold up a sandbox whose clock stands still.
const deliveryTimeout = 10 * time.Second

// The values of Delivery.State.
const (
	// DeliveryPending is being sent, or waits for its next attempt.
	DeliveryPending = "pending"
	// DeliverySucceeded was answered 2xx.
	DeliverySucceeded = "succeeded"
	// DeliveryFailed has no attempts left, or its webhook was removed or disabled.
	DeliveryFailed = "failed"
	// DeliverySkipped was not sent, because its address is not on loopback.
	DeliverySkipped = "skipped"
)

// Delivery is one event for one webhook.
type Delivery struct {
	// ID is the id of the event and the header webhook-id. Webhooks of the same event share it.
	ID        string
	WebhookID string
	Event     string
	URL       string
	// Body is exactly what is sent: {id, event, data}.
	Body     []byte
	State    string
	Attempts []DeliveryAttempt
}

// DeliveryAttempt is one attempt.
type DeliveryAttempt struct {
	At     time.Time
	Header http.Header
	// Status is what the receiver answered; 0 when it did not, and Err then says why.
	Status int
	Err    string
}

// Deliveries returns all deliveries in the order of their events.
func (s *Server) Deliveries() []Delivery {
	return locked(s, func() []Delivery {
		out := make([]Delivery, len(s.deliveries))
		for i, d := range s.deliveries {
			out[i] = d.copied()
		}
		return out
	})
}

func (d *Delivery) copied() Delivery {
	out := *d
	out.Body = slices.Clone(d.Body)
	out.Attempts = slices.Clone(d.Attempts)
	for i := range out.Attempts {
		out.Attempts[i].Header = out.Attempts[i].Header.Clone()
	}
	return out
}

// OnDelivery runs f after every attempt of a delivery from now on, and for each skipped one. Calls may overlap.
func (s *Server) OnDelivery(f func(Delivery)) {
	s.locked(func() { s.onDelivery = append(s.onDelivery, f) })
}

// notify calls the functions of OnDelivery, without the lock. The caller holds it.
func (s *Server) notify(d *Delivery) {
	seen := d.copied()
	for _, f := range s.onDelivery {
		s.background(func(context.Context) { f(seen) })
	}
}

// emit sends an event to the enabled webhooks that subscribe to it, in the background. The event has data as it is
// now, without the sandbox's own fields. The caller holds the lock.
func (s *Server) emit(event string, data object) {
	if !slices.Contains(webhookEvents, event) {
		panic("sandbox: no event is called " + event)
	}
	// Event ids do not use the seeded source: identifiers then depend only on what is created.
	s.events++
	id := uuid.NewSHA1(uuid.MustParse(s.ownerID), []byte("event "+strconv.Itoa(s.events))).String()
	body := mustJSON(visible(object{"id": id, "event": event, "data": data}))
	subscribed := s.all(KindWebhooks, func(w object) bool { return text(w, "event") == event && truth(w, "enabled") })
	for _, webhook := range subscribed {
		d := &Delivery{
			ID: id, WebhookID: text(webhook, "id"), Event: event,
			URL: text(webhook, "url"), Body: body, State: DeliveryPending,
		}
		s.deliveries = append(s.deliveries, d)
		s.deliver(d)
	}
}

// deliver makes one attempt, or skips an address that the sandbox does not reach. The caller holds the lock.
func (s *Server) deliver(d *Delivery) {
	if !onLoopback(d.URL) {
		d.State = DeliverySkipped
		s.notify(d)
		return
	}
	now := s.clock.Now()
	header := http.Header{}
	header.Set("Content-Type", contentTypeJSON)
	header.Set(standardwebhooks.HeaderWebhookID, d.ID)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	header.Set(standardwebhooks.HeaderWebhookSignature, s.signatures(d.ID, now, d.Body))
	address, body := d.URL, d.Body
	s.background(func(ctx context.Context) {
		attempt := DeliveryAttempt{At: now, Header: header}
		var err error
		if attempt.Status, err = post(ctx, address, header.Clone(), body); err != nil {
			attempt.Err = err.Error()
		}
		s.locked(func() { s.delivered(d, attempt) })
	})
}

// delivered records the result of an attempt, and plans the next one or disables the webhook. The caller holds the
// lock.
func (s *Server) delivered(d *Delivery, attempt DeliveryAttempt) {
	d.Attempts = append(d.Attempts, attempt)
	defer func() { s.notify(d) }()
	if attempt.Status/100 == 2 {
		d.State = DeliverySucceeded
		return
	}
	tries := len(d.Attempts)
	if tries > len(retryAfter) {
		d.State = DeliveryFailed
		s.update(KindWebhooks, d.WebhookID, func(webhook object) { webhook["enabled"] = false })
		return
	}
	s.after(retryAfter[tries-1], func() {
		webhook, ok := s.get(KindWebhooks, d.WebhookID)
		if !ok || !truth(webhook, "enabled") {
			d.State = DeliveryFailed
			return
		}
		// The receiver may have a new address since.
		d.URL = text(webhook, "url")
		s.deliver(d)
	})
}

// OnLoopback reports whether a host is certain to be on this machine. The sandbox connects to no other, and serves no
// other.
func OnLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// onLoopback reports the same about an address.
func onLoopback(address string) bool {
	u, err := url.Parse(address)
	return err == nil && OnLoopback(u.Hostname())
}

var errNotLoopback = errors.New("the address is not on loopback")

// deliveryClient connects to loopback only, whatever a name resolves to; it knows no proxy and follows no redirect.
var deliveryClient = &http.Client{
	Timeout:       deliveryTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: (&net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
			if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().IsLoopback() {
				return errNotLoopback
			}
			return nil
		}}).DialContext,
	},
}

// post sends one delivery and returns the receiver's status.
func post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("build the request: %w", err)
	}
	req.Header = header
	resp, err := deliveryClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	return resp.StatusCode, nil
}
