package invoice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// ownedFields are the payload fields that have an attribute, or that only the service may
// set.
var ownedFields = map[string]string{
	"integrationid": "The attribute `integration_id` is for it.",
	"issue":         "The attribute `issue` is for it.",
	"status":        "Only the service sets it (the specification forbids it in issuing requests).",
}

// validatePayload refuses what can never be sent.
func validatePayload(text string) (diags diag.Diagnostics) {
	value, err := jsontree.Decode([]byte(text))
	if err != nil {
		return nil // The type reports text that is not JSON.
	}
	payload, ok := value.(map[string]any)
	if !ok {
		return message.ErrorAt("payload_json", "Invalid payload",
			"`payload_json` must be a JSON object: the request body, in the service's own field names, for example "+
				"`jsonencode({ description = \"...\", federalServiceCode = \"17.01\", total = { invoiceAmount = 100 } })`.")
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		if why := ownedFields[strings.ToLower(name)]; why != "" { // A service may ignore case in names.
			diags.Append(message.ErrorAt("payload_json", "Field that does not belong in the payload",
				fmt.Sprintf("`payload_json` holds %q. %s Take it out of `payload_json`.", name, why))...)
		}
	}
	return diags
}

// samePayload reports whether two payloads are the same for an invoice of this status. What
// was issued is the same in every spelling. What may be sent again is compared to the
// letter: the authority may have rejected just the punctuation.
func samePayload(status, planned, prior string) bool {
	if einvoice.MeaningOf(status).Correctable {
		return jsontree.SameText(planned, prior)
	}
	return fiscal.SamePayload(planned, prior)
}

// changedMembers names the members of an issued payload that another one changes.
func changedMembers(planned, prior string) string {
	wanted, err := jsontree.Members(json.RawMessage(planned))
	held, _ := jsontree.Members(json.RawMessage(prior))
	if planned == "" || err != nil {
		return "" // It is not known, or no object.
	}
	alone := func(of map[string]json.RawMessage, name string) string {
		text, _ := json.Marshal(map[string]json.RawMessage{name: of[name]}) // It was decoded.
		return string(text)
	}
	var changed []string
	for name := range wanted {
		if !fiscal.SamePayload(alone(wanted, name), alone(held, name)) {
			changed = append(changed, "`"+name+"`")
		}
	}
	for name := range held {
		if _, stays := wanted[name]; !stays {
			changed = append(changed, "`"+name+"` (removed)")
		}
	}
	if len(changed) == 0 {
		return ""
	}
	slices.Sort(changed)
	return " Changed in `payload_json`: " + strings.Join(changed, ", ") + "."
}

// keepSpelling plans the prior text of a payload if the configured one is the same.
func (m *issuanceModel) keepSpelling(state *issuanceModel) {
	planned, prior := m.PayloadJSON, state.PayloadJSON
	if attribute.IsUnset(planned) || attribute.IsUnset(prior) {
		return
	}
	if samePayload(state.Status.ValueString(), planned.ValueString(), prior.ValueString()) {
		m.PayloadJSON = prior
	}
}

// maxFindings is how many findings a warning shows: it is read in a terminal.
const maxFindings = 20

// payloadWarnings says, in one warning, what is found in a payload that is about to be
// sent. Nothing here ends a plan: the service and the authority decide.
func (m *issuanceModel) payloadWarnings(ctx context.Context, s *session.Session, now time.Time) diag.Diagnostics {
	isOff := !attribute.IsUnset(m.PayloadCheck) && !m.PayloadCheck.ValueBool()
	if isOff || attribute.IsUnset(m.PayloadJSON) || m.Model.IsUnknown() {
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
	slices.SortStableFunc(found, func(a, b fiscal.Finding) int { // Errors first.
		return cmp.Compare(a.Severity, b.Severity)
	})
	refusal := "The service or the authority may refuse this payload."
	if found[0].Severity == fiscal.SeverityError {
		refusal = "The service will refuse this payload."
	}
	var lines []string
	for _, f := range found[:min(len(found), maxFindings)] {
		at := ""
		if f.Path != "" {
			at = "`" + f.Path + "`: "
		}
		lines = append(lines, fmt.Sprintf("- %s%s (%s %s)", at, f.Message.In(ctx), f.Severity, f.Code))
	}
	if more := len(found) - maxFindings; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more, which provider::einvoice::payload_check lists", more))
	}
	diags.AddAttributeWarning(path.Root("payload_json"), "Problems in payload_json: "+m.label(), message.Paragraphs(
		strings.Join(lines, "\n"), refusal+" `payload_check = false` turns these messages off."))
	return diags
}
