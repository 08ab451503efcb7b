package inbound

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/once"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

const (
	manifestationDescription = "Declares to the tax authority what the company says about an NF-e that it received " +
		"(manifestação do destinatário). A declaration is a legal event. "
	statusDescription = "The declaration: `acknowledged` (the company knows of the operation), `confirmed` (it took " +
		"place), `unknown` (the company does not know of it) or `notPerformed` (it did not take place)."
	justificationDescription = "The reason, 15 to 255 characters, for `unknown` and `notPerformed`."
)

var (
	manifestStatuses = []string{
		einvoice.ManifestAcknowledged, einvoice.ManifestConfirmed,
		einvoice.ManifestUnknown, einvoice.ManifestNotPerformed,
	}
	justificationLength = attribute.TextValidator{Max: 255, Assumed: true}
)

// refuseShort refuses a declaration that needs a longer reason. That one is needed is assumed.
func refuseShort(ctx context.Context, status, justification types.String) diag.Diagnostics {
	length, said := utf8.RuneCountInString(justification.ValueString()), status.ValueString()
	if justification.IsUnknown() || length >= 15 ||
		said != einvoice.ManifestUnknown && said != einvoice.ManifestNotPerformed {
		return nil
	}
	return say.ErrorAt(ctx, path.Root("justification"), "inbound.short_justification", text.With{
		"length": length, "status": said,
	})
}

// declaration is made once. What proves that it was made is that the invoice shows it.
// Until the patience is over, one that was sent may not show yet.
type declaration struct {
	client   *einvoice.Client
	once     *once.Journal
	admit    func(context.Context) error // refuses a key that is another company's
	say      func(text.Text)             // shows a line of progress
	schema   message.PathSchema          // where the service's messages belong
	argument string                      // that has the id

	id, status, justification string

	label         text.Text               // of the invoice
	manifestation *einvoice.Manifestation // as the invoice shows it, or nil
	lost          error                   // why the service gave no answer to what this run has sent
}

func newDeclaration(s *session.Session, id, status, justification types.String) *declaration {
	service := issuance.Service(s)
	return &declaration{
		client: s.Client, once: s.Once(), admit: service.RefuseOtherKey, say: func(text.Text) {}, argument: "invoice_id",
		id: id.ValueString(), status: status.ValueString(), justification: justification.ValueString(),
	}
}

// perform makes the declaration, or finds that it was made.
func (d *declaration) perform(ctx context.Context) diag.Diagnostics {
	d.label = text.Of("inbound.nfe", text.With{"invoice": d.id})
	key := journal.KeyOf("declaration", d.client.BaseURL(), strings.ToLower(d.id), d.status)
	err := d.once.Do(ctx, key, d.attempt)
	failure, isSaid := errors.AsType[say.Failure](err)
	switch {
	case err == nil:
		return nil
	case isSaid:
		return diag.Diagnostics(failure)
	case d.lost != nil:
		return diag.Diagnostics(d.unshown(ctx))
	}
	return message.Unrecorded(ctx, text.Of("inbound.declaration", text.With{"label": d.label}), err)
}

// unshown is the error of a declaration without an answer, which the invoice does not show.
func (d *declaration) unshown(ctx context.Context) say.Failure {
	return say.Failure(say.Error(ctx, "inbound.declaration_lost", text.With{
		"label": d.label, "cause": message.Cause(d.lost),
	}))
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
		return d.unshown(ctx)
	case err != nil:
		return say.Failure(message.ReadError(ctx, "inbound NF-e", d.argument, d.id, err))
	}
	d.label = labelOf(held)
	before := declared(held)
	switch {
	case before == d.status:
		if t.Known.Phase == journal.Sending {
			t.Settle(ctx, "")
		}
		d.manifestation = held.Manifestation
		d.sayDeclared(d.lost == nil)
		return nil
	case isDeclared(held) && d.status == einvoice.ManifestAcknowledged:
		return say.Failure(tooLate(ctx, d.label, before))
	case t.InDoubt(), t.Young() && before == journal.NoteOf[declarationNote](t.Known).Before:
		return once.ErrLookAgain
	case d.lost != nil:
		return d.unshown(ctx)
	}
	return d.send(ctx, t, before)
}

// send declares about an invoice that shows another declaration before.
func (d *declaration) send(ctx context.Context, t *once.Turn, before string) error {
	d.say(text.Of("inbound.declaring", text.With{"label": d.label, "status": d.status, "before": before}))
	if err := d.admit(ctx); err != nil {
		return d.otherRecipient(ctx, err)
	}
	known := t.Known
	answer, err := d.client.ManifestInbound(ctx, d.id, d.status, d.justification, t.Sending(declarationNote{before}, ""))
	switch {
	case once.IsUnsent(err):
		return err
	case err != nil && !einvoice.IsRefusal(err):
		d.say(text.Of("inbound.declaration_unanswered", nil))
		d.lost = err
		return d.attempt(ctx, t)
	case err != nil:
		t.Keep(ctx, known)
		task := text.Of("inbound.declare", text.With{"label": d.label, "status": d.status})
		return say.Failure(message.APIError(ctx, task, err, d.schema))
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
	d.sayDeclared(false)
	return nil
}

// otherRecipient is the error of a key that is another company's, or of which nobody can tell.
func (d *declaration) otherRecipient(ctx context.Context, err error) say.Failure {
	if other, ok := errors.AsType[*engine.Problem](err); ok {
		return say.Failure(message.OtherCompanysKey(ctx, companyArgument, d.label, other.Issuer, other.Owner))
	}
	task := text.Of("inbound.find_owner", text.With{"label": d.label})
	return say.Failure(message.APIError(ctx, task, err, nil))
}

func (d *declaration) sayDeclared(isOld bool) {
	var protocol string
	if d.manifestation != nil {
		protocol = string(d.manifestation.Protocol)
	}
	d.say(text.Of("inbound.declared", text.With{
		"label": d.label, "status": d.status, "is_old": isOld, "protocol": protocol,
	}))
}

// tooLate is the error of `acknowledged` after a declaration that says more.
func tooLate(ctx context.Context, label text.Text, declared string) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root("status"), "inbound.too_late", text.With{"label": label, "declared": declared})
}

// labelOf reads "NF-e of Fornecedor (access key 3526...)".
func labelOf(v *einvoice.InboundInvoice) text.Text {
	issuer := ""
	if v.Issuer != nil {
		issuer = string(v.Issuer.Name)
	}
	return text.Of("inbound.nfe_of", text.With{
		"issuer": issuer, "access_key": string(v.AccessKey), "invoice": string(v.ID),
	})
}
