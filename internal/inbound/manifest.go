package inbound

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

const (
	statusDescription        = "The declaration: `acknowledged` (the recipient knows of the operation), `confirmed` (it took place), `unknown` (the recipient does not know of it) or `notPerformed` (it did not take place)."
	justificationDescription = "Why, 15 to 255 characters; for `unknown` and `notPerformed`."
	justificationExample     = "A mercadoria foi recusada na entrega."
)

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

// manifesting is one declaration on its way.
type manifesting struct {
	client *einvoice.Client
	admit  func(context.Context) (done func(), err error) // see issuing.Service
	report func(format string, args ...any)

	id, status, justification string
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
		client: s.Client, admit: service.Admit,
		id: id.ValueString(), status: status.ValueString(), justification: justification.ValueString(),
	}
}

func (m *manifesting) perform(ctx context.Context) (*manifested, *problem) {
	held, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
	if err != nil {
		return nil, &problem{kind: invoiceUnread, id: m.id, cause: err}
	}
	done := &manifested{label: inboundLabel(held), status: m.status}
	if declared(held) == m.status {
		m.report("%s is %s already; nothing was sent.", done.label, m.status)
		done.held = held.Manifestation
		return done, nil
	}
	if isDeclared(held) && m.status == einvoice.ManifestAcknowledged {
		return nil, &problem{kind: manifestTooLate, label: done.label, status: declared(held)}
	}
	m.report("Declaring %s as %s; it is %s now.", done.label, m.status, declared(held))
	release, err := m.admit(ctx)
	if err != nil {
		return nil, &problem{kind: otherRecipient, label: done.label, cause: err}
	}
	answer, err := m.client.ManifestInbound(ctx, m.id, m.status, m.justification)
	release()
	switch {
	case errors.Is(err, einvoice.ErrAmbiguous):
		done.lost = err
		if answer = m.lookForIt(ctx); answer == nil {
			return nil, &problem{kind: manifestLost, label: done.label, status: m.status, cause: err}
		}
	case err != nil:
		return nil, &problem{kind: manifestRefused, label: done.label, status: m.status, cause: err}
	case answer == nil || answer.Manifestation == nil:
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

// lookForIt looks whether a declaration without an answer was made, and sends
// nothing a second time. It returns nil where the invoice does not show it.
func (m *manifesting) lookForIt(ctx context.Context) (found *einvoice.InboundInvoice) {
	m.report("The answer was lost; looking what came of it.")
	_ = poll.RealTime.Few(ctx, session.LookPauses, func() (bool, error) {
		current, err := m.client.InboundInvoice(ctx, einvoice.ModelProduct, m.id)
		if err == nil && declared(current) == m.status {
			found = current
		}
		return found != nil, nil
	})
	return found
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
