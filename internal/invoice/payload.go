package invoice

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// owned are the payload fields that have an attribute, or that only the service
// may set.
var owned = []struct{ field, why string }{
	{"integrationId", "The attribute `integration_id` is for it."},
	{"issue", "The attribute `issue` is for it."},
	{"status", "Only the service sets it (the specification forbids it in issuing requests)."},
}

// validatePayload refuses what can never be sent.
func validatePayload(text string) diag.Diagnostics {
	at := path.Root("payload_json")
	var diags diag.Diagnostics
	value, err := jsontree.Decode([]byte(text))
	if err != nil {
		return diags // The type reports text that is not JSON.
	}
	payload, ok := value.(map[string]any)
	if !ok {
		diags.AddAttributeError(at, "Invalid payload", "`payload_json` must be a JSON object: the issuing body in the service's own field names, "+
			"for example `jsonencode({ description = \"...\", federalServiceCode = \"17.01\", total = { invoiceAmount = 100 } })`.")
		return diags
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		for _, o := range owned {
			if strings.EqualFold(name, o.field) { // A service may ignore case in names.
				diags.AddAttributeError(at, "Field that does not belong in the payload",
					fmt.Sprintf("`payload_json` holds %q. %s Take it out of `payload_json`.", name, o.why))
			}
		}
	}
	return diags
}

// samePayload tells whether two payloads are the same for an invoice of this status.
// What was issued is the same in every spelling. What may be sent again is taken at
// its letter: an earlier version sent the punctuation, and the authority may have
// rejected just that.
func samePayload(status, planned, prior string) bool {
	if status == einvoice.StatusRejected || status == einvoice.StatusCreated {
		return jsontree.SameText(planned, prior)
	}
	return fiscal.SamePayload(planned, prior)
}

// keepPayload plans the prior text of a payload when the configured one is the same.
type keepPayload struct{}

func (keepPayload) Description(context.Context) string {
	return "Another way to write the same is no change: the first one stays."
}

func (m keepPayload) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

func (keepPayload) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() || attribute.IsUnset(req.PlanValue) || attribute.IsUnset(req.StateValue) {
		return
	}
	var status types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("status"), &status)...)
	if samePayload(status.ValueString(), req.PlanValue.ValueString(), req.StateValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

// shownFindings is how many findings a warning shows: it is read in a terminal.
const shownFindings = 20

// payloadWarnings says, in one warning, what is found in a payload that is about to
// be sent. The service decides, and the authority: nothing here ends a plan.
func (m *issuanceModel) payloadWarnings(ctx context.Context, s *session.Session, now time.Time) diag.Diagnostics {
	if attribute.IsUnset(m.PayloadJSON) || m.Model.IsUnknown() || !m.PayloadCheck.IsNull() && !m.PayloadCheck.IsUnknown() && !m.PayloadCheck.ValueBool() {
		return nil
	}
	value, err := jsontree.Decode([]byte(m.PayloadJSON.ValueString()))
	if err != nil {
		return nil // The type reports text that is not JSON.
	}
	diags := m.checkReturn(now)
	regime := ""
	if m.Model.ValueString() != einvoice.ModelService {
		regime = s.PlannedRegime(ctx)
	}
	found := fiscal.CheckPayload(m.Model.ValueString(), value, now.Format(time.RFC3339), regime)
	if len(found) == 0 {
		return diags
	}
	slices.SortStableFunc(found, func(a, b fiscal.Finding) int { return cmp.Compare(a.Severity, b.Severity) }) // Errors first.
	var lines []string
	for n, f := range found {
		if n == shownFindings {
			lines = append(lines, fmt.Sprintf("- and %d more, which provider::einvoice::payload_check lists", len(found)-n))
			break
		}
		at := ""
		if f.Path != "" {
			at = "`" + f.Path + "`: "
		}
		lines = append(lines, fmt.Sprintf("- %s%s (%s %s)", at, f.Message, f.Severity, f.Code))
	}
	diags.AddAttributeWarning(path.Root("payload_json"), "Doubtful payload: "+m.label(), message.Paragraphs(
		strings.Join(lines, "\n"), "The service refuses what is called an error here. It or the authority may also refuse what is called a warning. `payload_check = false` turns these messages off."))
	return diags
}
