package issuing

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
)

// Update brings an invoice that is in state to what the configuration wants.
// It is addressed by id; a list could lag.
func (i *Issuing) Update(ctx context.Context, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	i.inState = true
	entry, err := i.Store.Entry(ctx, "invoice", i.Client.Fingerprint(), i.Model, i.Known.Value)
	if err != nil {
		return nil, i.interrupted(nil, err)
	}
	v, diags := i.correct(ctx, entry, id, payloadChanged)
	diags.Append(ReleaseJournal(entry)...)
	if diags.HasError() {
		return v, diags
	}
	v, more := i.Wait(ctx, v)
	diags.Append(more...)
	return v, diags
}

func (i *Issuing) correct(ctx context.Context, entry *journal.Entry, id string, payloadChanged bool) (*einvoice.Invoice, diag.Diagnostics) {
	current, err := i.Client.Invoice(ctx, i.Model, id)
	if err != nil {
		return nil, i.Failed("read invoice", err)
	}
	correctable := string(current.Status) == einvoice.StatusCreated || i.Decide(current) == DecideReconcile
	switch {
	case payloadChanged && correctable:
		return i.post(ctx, entry, current)
	case payloadChanged:
		return current, i.issuedMeanwhile(current)
	case i.Decide(current) == decideIssue:
		return i.issueDraft(ctx, current)
	}
	return current, nil
}

func (i *Issuing) issuedMeanwhile(v *einvoice.Invoice) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("payload_json"), "Cannot change "+i.Label(v),
		fmt.Sprintf("Its status at the service has become %q since the plan, so its content cannot be changed any more. Nothing was sent. Run plan again.", v.Status))}
}
