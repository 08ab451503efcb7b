package inbound

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

const (
	statusDescription        = "The declaration: `acknowledged` (the recipient knows of the operation), `confirmed` (it took place), `unknown` (the recipient does not know of it) or `notPerformed` (it did not take place)."
	justificationDescription = "Why, 15 to 255 characters; for `unknown` and `notPerformed`."
	justificationExample     = "A mercadoria foi recusada na entrega."
)

var justificationLength = attribute.TextValidator{Max: 255, Assumed: true, Example: justificationExample}

// justificationTooShort says that a declaration needs a longer reason, "" where it
// does not. That one is needed is assumed.
func justificationTooShort(status, justification types.String) string {
	length := utf8.RuneCountInString(justification.ValueString())
	if attribute.IsUnset(status) || justification.IsUnknown() || length >= 15 ||
		status.ValueString() != einvoice.ManifestUnknown && status.ValueString() != einvoice.ManifestNotPerformed {
		return ""
	}
	return fmt.Sprintf("`justification` has %d characters. The service refuses %q without 15 to 255 characters that say why, for example %q.",
		length, status.ValueString(), justificationExample)
}

// manifesting is one declaration on its way. What proves that it was made is that the
// invoice shows it. Until the patience is over, one that was sent may not show yet.
type manifesting struct {
	client *einvoice.Client
	once   *once.Journal
	admit  func(context.Context) (done func(), err error) // see engine.Service
	report func(format string, args ...any)

	id, status, justification string

	lost error // why the service gave no answer to what this run has sent
}

// manifested is a declaration that the invoice has.
type manifested struct {
	label, status string
	held          *einvoice.Manifestation // as the invoice shows it, or nil
	lost          error                   // why the service gave no answer; the invoice shows the declaration all the same
}

func manifestingOf(s *session.Session, id, status, justification types.String) *manifesting {
	service := invoice.Service(s)
	return &manifesting{
		client: s.Client, once: s.Once(), admit: service.Admit,
		id: id.ValueString(), status: status.ValueString(), justification: justification.ValueString(),
	}
}

func (m *manifesting) perform(ctx context.Context) (done *manifested, failed *problem) {
	key := journal.KeyOf("declaration", m.client.BaseURL(), strings.ToLower(m.id), m.status)
	key.OfObject = true
	err := m.once.Do(ctx, key, func(ctx context.Context, t *once.Turn) (err error) {
		done, err = m.attempt(ctx, t)
		return err
	})
	switch {
	case err == nil || errors.As(err, &failed):
		return done, failed
	case errors.As(err, new(*once.StoreError)):
		return nil, &problem{kind: manifestUnrecorded, id: m.id, cause: err}
	case m.lost != nil:
		return nil, &problem{kind: manifestLost, label: "NF-e " + m.id, status: m.status, cause: m.lost}
	}
	return nil, &problem{kind: invoiceUnread, id: m.id, cause: err} // Interrupted while it was looked at.
}

// attempt declares what is not declared yet.
func (m *manifesting) attempt(ctx context.Context, t *once.Turn) (*manifested, error) {
	held, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
	if err != nil {
		return nil, &problem{kind: invoiceUnread, id: m.id, cause: err}
	}
	done := &manifested{label: inboundLabel(held), status: m.status, lost: m.lost}
	before := declared(held)
	switch {
	case before == m.status:
		if t.Known.Phase == journal.Sending {
			t.Settle(ctx, "")
		}
		if m.lost == nil {
			m.report("%s is %s already; nothing was sent.", done.label, m.status)
		} else {
			m.report("%s is %s.%s", done.label, m.status, protocolOf(held))
		}
		done.held = held.Manifestation
		return done, nil
	case isDeclared(held) && m.status == einvoice.ManifestAcknowledged:
		return nil, &problem{kind: manifestTooLate, label: done.label, status: before}
	case t.InDoubt(), t.Young() && before == t.Known.Content:
		return nil, once.ErrUnproven
	case m.lost != nil:
		return nil, &problem{kind: manifestLost, label: done.label, status: m.status, cause: m.lost}
	}
	return m.declare(ctx, t, done, before)
}

// declare sends the declaration about an invoice that shows another one before.
func (m *manifesting) declare(ctx context.Context, t *once.Turn, done *manifested, before string) (*manifested, error) {
	m.report("Declaring %s as %s; it is %s now.", done.label, m.status, before)
	release, err := m.admit(ctx)
	if err != nil {
		return nil, &problem{kind: otherRecipient, label: done.label, cause: err}
	}
	known := t.Known
	answer, err := m.client.Beginning(t.Sending(before, "")).ManifestInbound(ctx, m.id, m.status, m.justification)
	release()
	switch {
	case once.IsUnsent(err):
		return nil, err
	case errors.Is(err, einvoice.ErrAmbiguous):
		m.report("The answer was lost; looking what came of it.")
		m.lost = err
		return m.attempt(ctx, t)
	case err != nil:
		t.Keep(ctx, known)
		return nil, &problem{kind: manifestRefused, label: done.label, status: m.status, cause: err}
	}
	t.Settle(ctx, "")
	if answer == nil || answer.Manifestation == nil {
		// The declaration was taken; whether this look shows its date and protocol or not.
		if current, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id); err == nil && declared(current) == m.status {
			answer = current
		}
	}
	if answer != nil {
		done.held = answer.Manifestation
	}
	m.report("%s is %s.%s", done.label, m.status, protocolOf(answer))
	return done, nil
}

func protocolOf(v *einvoice.InboundInvoice) string {
	if v == nil || v.Manifestation == nil || v.Manifestation.Protocol == "" {
		return ""
	}
	return " Protocol " + string(v.Manifestation.Protocol) + "."
}

// inboundLabel reads "NF-e of Fornecedor (access key 3526...)".
func inboundLabel(v *einvoice.InboundInvoice) string {
	label := "NF-e"
	if v.Issuer != nil && v.Issuer.Name != "" {
		label += " of " + string(v.Issuer.Name)
	}
	if v.AccessKey != "" {
		return label + " (access key " + string(v.AccessKey) + ")"
	}
	return label + " (id " + string(v.ID) + ")"
}
