package invoice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/engine"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// What a read finds beside the invoice in state, under the same integration_id.

// warnOfOthers warns of other valid invoices of the sale, which another machine has issued.
func (m *issuanceModel) warnOfOthers(ctx context.Context, s *session.Session) (diags diag.Diagnostics) {
	if m.Status.ValueString() != einvoice.StatusAuthorized {
		return nil
	}
	v := m.invoice()
	v.IntegrationID = attribute.KnownText(m.IntegrationID)
	for _, other := range s.Client.Beside(ctx, m.Model.ValueString(), v) {
		diags.AddWarning("A second valid invoice beside "+m.label(), fmt.Sprintf(
			"The state has the invoice %s, and the service holds the invoice %s with status %q under the same "+
				"`integration_id` (%s). Another machine may have sent it at the same time. "+
				"Find out which one is right, and cancel the other if the law allows it.",
			v.ID, other.ID, other.Status, v.IntegrationID))
	}
	return diags
}

// privateLeftDraft is the id of a draft that a correction has left behind, because the
// service did not merge it.
const privateLeftDraft = "draft_left"

// noteLeftDraft notes the draft that a run has left behind.
func noteLeftDraft(ctx context.Context, private session.PrivateData, notes []engine.Event) (diags diag.Diagnostics) {
	for _, n := range notes {
		if n.Kind == engine.NotMerged && string(n.Previous.Status) == einvoice.StatusCreated {
			text, _ := json.Marshal(n.Previous.ID) // A text can be written.
			diags.Append(private.SetKey(ctx, privateLeftDraft, text)...)
		}
	}
	return diags
}

// warnOfLeftDraft warns of that draft until it is gone or issued.
func (m *issuanceModel) warnOfLeftDraft(
	ctx context.Context, s *session.Session, prior session.PrivateState, private session.PrivateData,
) diag.Diagnostics {
	note, diags := prior.GetKey(ctx, privateLeftDraft)
	if note == nil {
		return diags
	}
	var id string
	_ = json.Unmarshal(note, &id) // As noteLeftDraft has written it.
	draft, err := s.Client.Invoice(ctx, m.Model.ValueString(), id)
	if errors.Is(err, einvoice.ErrNotFound) || err == nil && string(draft.Status) != einvoice.StatusCreated {
		return append(diags, private.SetKey(ctx, privateLeftDraft, nil)...)
	}
	diags.AddWarning("A draft lies beside "+m.label(), fmt.Sprintf(
		"When it was corrected, the service made a new invoice (id %s) and kept the draft (id %s). "+
			"If somebody issues that draft, it is a second invoice of this sale. "+
			"Remove the draft at the service.", m.ID.ValueString(), id))
	return diags
}

// draftGone warns of a draft that the next apply makes again.
func (m *issuanceModel) draftGone() diag.Diagnostic {
	return diag.NewWarningDiagnostic("Draft "+m.label()+" is gone at the service", fmt.Sprintf(
		"The service neither finds it (id %s) nor lists it. The next apply makes it again. "+
			"If it should be there, check whose key the provider has: another company's does not show it.",
		m.ID.ValueString()))
}
