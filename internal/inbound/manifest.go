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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

const (
	manifestationDescription = "Declares to the tax authority what the company says about an NF-e that it received " +
		"(manifestação do destinatário). A declaration is a legal event. "
	statusDescription = "The declaration: `acknowledged` (the company knows of the operation), `confirmed` (it took " +
		"place), `unknown` (the company does not know of it) or `notPerformed` (it did not take place)."
	justificationDescription = "The reason, 15 to 255 characters, for `unknown` and `notPerformed`."
	justificationExample     = "A mercadoria foi recusada na entrega."
)

var (
	manifestStatuses = []string{
		einvoice.ManifestAcknowledged, einvoice.ManifestConfirmed,
		einvoice.ManifestUnknown, einvoice.ManifestNotPerformed,
	}
	justificationLength = attribute.TextValidator{Max: 255, Assumed: true}
)

// justificationTooShort says that a declaration needs a longer reason, "" where it does
// not. That one is needed is assumed.
func justificationTooShort(status, justification types.String) string {
	length, said := utf8.RuneCountInString(justification.ValueString()), status.ValueString()
	if justification.IsUnknown() || length >= 15 ||
		said != einvoice.ManifestUnknown && said != einvoice.ManifestNotPerformed {
		return ""
	}
	return fmt.Sprintf("`justification` has %d characters. The service refuses %q without 15 to 255 characters that "+
		"say why, for example %q.", length, said, justificationExample)
}

// declaration is made once. What proves that it was made is that the invoice shows it.
// Until the patience is over, one that was sent may not show yet.
type declaration struct {
	client *einvoice.Client
	once   *once.Journal
	admit  func(context.Context) error // refuses a key that is another company's
	report func(format string, args ...any)

	id, status, justification string

	label         string                  // of the invoice, when it was read
	manifestation *einvoice.Manifestation // as the invoice shows it, or nil
	lost          error                   // why the service gave no answer to what this run has sent
}

func newDeclaration(s *session.Session, id, status, justification types.String) *declaration {
	service := issuance.Service(s)
	return &declaration{
		client: s.Client, once: s.Once(), admit: service.RefuseOtherKey, report: func(string, ...any) {},
		id: id.ValueString(), status: status.ValueString(), justification: justification.ValueString(),
	}
}

// perform makes the declaration, or finds that it was made.
func (d *declaration) perform(ctx context.Context) (failed *problem) {
	d.label = "NF-e " + d.id
	key := journal.KeyOf("declaration", d.client.BaseURL(), strings.ToLower(d.id), d.status)
	err := d.once.Do(ctx, key, d.attempt)
	switch {
	case err == nil, errors.As(err, &failed):
		return failed
	case d.lost != nil:
		return d.problem(declarationLost, d.lost)
	}
	return d.problem(unrecorded, err)
}

func (d *declaration) problem(kind problemKind, cause error) *problem {
	return &problem{kind: kind, invoice: d.label, status: d.status, cause: cause}
}

// declarationNote is what the journal remembers of a declaration: what the invoice showed before it was sent.
type declarationNote struct {
	Before string `json:"before,omitempty"`
}

// attempt looks at the invoice, and declares what is not declared yet.
func (d *declaration) attempt(ctx context.Context, t *once.Turn) error {
	held, err := d.client.InboundInvoice(ctx, einvoice.ModelProduct, d.id)
	switch {
	case err != nil && d.lost != nil: // An interrupt ends the look. What was sent is what counts.
		return d.problem(declarationLost, d.lost)
	case err != nil:
		return &problem{kind: invoiceUnreadable, invoice: d.id, cause: err}
	}
	d.label = labelOf(held)
	before := declared(held)
	switch {
	case before == d.status:
		if t.Known.Phase == journal.Sending {
			t.Settle(ctx, "")
		}
		if d.manifestation = held.Manifestation; d.lost != nil {
			d.report("%s is %s.%s", d.label, d.status, d.protocol())
		} else {
			d.report("%s is %s already; nothing was sent.", d.label, d.status)
		}
		return nil
	case isDeclared(held) && d.status == einvoice.ManifestAcknowledged:
		return &problem{kind: tooLate, invoice: d.label, status: before}
	case t.InDoubt(), t.Young() && before == journal.NoteOf[declarationNote](t.Known).Before:
		return once.ErrLookAgain
	case d.lost != nil:
		return d.problem(declarationLost, d.lost)
	}
	return d.send(ctx, t, before)
}

// send declares about an invoice that shows another declaration before.
func (d *declaration) send(ctx context.Context, t *once.Turn, before string) error {
	d.report("Declaring %s as %s; it is %s now.", d.label, d.status, before)
	if err := d.admit(ctx); err != nil {
		return d.problem(otherRecipient, err)
	}
	known := t.Known
	answer, err := d.client.ManifestInbound(ctx, d.id, d.status, d.justification, t.Sending(declarationNote{before}, ""))
	switch {
	case once.IsUnsent(err):
		return err
	case err != nil && !einvoice.IsRefusal(err):
		d.report("The response was lost; looking what came of it.")
		d.lost = err
		return d.attempt(ctx, t)
	case err != nil:
		t.Keep(ctx, known)
		return &problem{kind: requestFailed, task: "declare " + d.label + " as " + d.status, cause: err}
	}
	t.Settle(ctx, "")
	if answer == nil || answer.Manifestation == nil {
		// The service has taken the declaration, even if its date and protocol cannot be read.
		answer, err = d.client.InboundInvoice(ctx, einvoice.ModelProduct, d.id)
		if err != nil || declared(answer) != d.status {
			answer = &einvoice.InboundInvoice{}
		}
	}
	d.manifestation = answer.Manifestation
	d.report("%s is %s.%s", d.label, d.status, d.protocol())
	return nil
}

// protocol reads " Protocol 135.", or nothing.
func (d *declaration) protocol() string {
	if d.manifestation == nil || d.manifestation.Protocol == "" {
		return ""
	}
	return " Protocol " + string(d.manifestation.Protocol) + "."
}

// labelOf reads "NF-e of Fornecedor (access key 3526...)".
func labelOf(v *einvoice.InboundInvoice) string {
	label := "NF-e"
	if v.Issuer != nil && v.Issuer.Name != "" {
		label += " of " + string(v.Issuer.Name)
	}
	if v.AccessKey != "" {
		return label + " (access key " + string(v.AccessKey) + ")"
	}
	return label + " (id " + string(v.ID) + ")"
}
