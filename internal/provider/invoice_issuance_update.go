package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// update brings an invoice that is in state to what the configuration wants.
// It is addressed by id; a list could lag.
func (i *issuing) update(ctx context.Context, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	i.inState = true
	entry, err := journal.Open(ctx, i.journalDir, "invoice", i.client.Fingerprint(), i.model, i.known.value)
	if err != nil {
		return nil, i.interrupted(nil, err)
	}
	v, diags := i.correct(ctx, entry, id, payloadChanged)
	diags.Append(releaseJournal(entry)...)
	if diags.HasError() {
		return v, diags
	}
	v, more := i.wait(ctx, v)
	diags.Append(more...)
	return v, diags
}

func (i *issuing) correct(ctx context.Context, entry *journal.Entry, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	current, err := i.client.Invoice(ctx, i.model, id)
	if err != nil {
		return nil, i.failed("read invoice", err)
	}
	correctable := string(current.Status) == einvoice.StatusCreated || i.decide(current) == decideReconcile
	switch {
	case payloadChanged && correctable:
		return i.post(ctx, entry, current)
	case payloadChanged:
		return current, i.issuedMeanwhile(current)
	case i.decide(current) == decideIssue:
		return i.issueDraft(ctx, current)
	}
	return current, nil
}

func (i *issuing) issuedMeanwhile(v *einvoice.Invoice) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+i.label(v),
		fmt.Sprintf("Its status at the service has become %q since the plan, so its content cannot be changed any more. Nothing was sent. Run plan again.", v.Status))}
}
