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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// ownedFields are the payload fields that have an attribute, or that only the service may
// set.
var ownedFields = map[string]string{
	"integrationid": "integration_id", "issue": "issue", "status": "status",
}

// validatePayload refuses what can never be sent.
func validatePayload(ctx context.Context, payloadJSON string) (diags diag.Diagnostics) {
	value, err := jsontree.Decode([]byte(payloadJSON))
	if err != nil {
		return nil // The type reports text that is not JSON.
	}
	payload, ok := value.(map[string]any)
	if !ok {
		return say.ErrorAt(ctx, path.Root("payload_json"), "invoice.invalid_payload", nil)
	}
	for _, name := range slices.Sorted(maps.Keys(payload)) {
		if field, ok := ownedFields[strings.ToLower(name)]; ok { // A service may ignore case in names.
			diags.Append(say.ErrorAt(ctx, path.Root("payload_json"), "invoice.owned_field", text.With{
				"name": name, "field": field,
			})...)
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

// mostChanges is how many changed members an error names.
const mostChanges = 10

// changedMembers names the members of an issued payload that another one changes, with both values.
func changedMembers(planned, prior string) (changed []text.Text) {
	wanted, err := jsontree.Decode(fiscal.SendablePayload(json.RawMessage(planned)))
	held, _ := jsontree.Decode(fiscal.SendablePayload(json.RawMessage(prior)))
	if _, isObject := wanted.(map[string]any); err != nil || !isObject && wanted != nil {
		return nil // It is not known, or no object.
	}
	var walk func(at string, now, was any)
	walk = func(at string, now, was any) {
		members, isObject := now.(map[string]any)
		former, wasObject := was.(map[string]any)
		elements, isList := now.([]any)
		old, wasList := was.([]any)
		switch {
		case jsontree.Same(now, was):
		case isObject && wasObject || at == "":
			all := maps.Clone(former)
			maps.Copy(all, members)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				walk(strings.TrimPrefix(at+"."+name, "."), members[name], former[name])
			}
		case isList && wasList && len(elements) == len(old):
			for n, element := range elements {
				walk(fmt.Sprintf("%s[%d]", at, n), element, old[n])
			}
		default:
			with := text.With{"path": at, "now": "", "was": ""}
			if !isPersonal(at) {
				with["now"], with["was"] = shownValue(now), shownValue(was)
			}
			changed = append(changed, text.Of("invoice.change", with))
		}
	}
	walk("", wanted, held)
	return changed[:min(len(changed), mostChanges)]
}

// isPersonal reports whether a member is of a person: a configuration may have marked it as sensitive.
func isPersonal(at string) bool {
	party, _, _ := strings.Cut(at, ".")
	return slices.Contains([]string{"receiver", "pickup", "delivery", "intermediary"}, party) ||
		strings.HasPrefix(at, "authorizedPersons")
}

// shownValue is a value for a person, who needs no more than its beginning; "" for none.
func shownValue(value any) string {
	if value == nil {
		return ""
	}
	const most = 60
	written, _ := json.Marshal(value) // It was decoded.
	shown := []rune(message.OneLine(string(written)))
	if len(shown) > most {
		return string(shown[:most]) + "..."
	}
	return string(shown)
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

// payloadWarnings says, in one warning, what is found in a payload that is about to be sent, or that the plan does not
// know it. Nothing here ends a plan: the service and the authority decide.
func (m *issuanceModel) payloadWarnings(ctx context.Context, s *session.Session, now time.Time) diag.Diagnostics {
	if m.PayloadJSON.IsUnknown() {
		return say.WarningAt(ctx, path.Root("payload_json"), "invoice.payload_unseen", text.With{"label": m.label()})
	}
	isOff := !attribute.IsUnset(m.PayloadCheck) && !m.PayloadCheck.ValueBool()
	if isOff || attribute.IsUnset(m.PayloadJSON) || m.Model.IsUnknown() {
		return nil
	}
	value, err := jsontree.Decode([]byte(m.PayloadJSON.ValueString()))
	if err != nil {
		return nil // The type reports text that is not JSON.
	}
	var issuer fiscal.Issuer
	if m.Model.ValueString() != einvoice.ModelService {
		issuer = s.PlannedIssuer(ctx)
	}
	found := issuer.CheckPayload(m.Model.ValueString(), value, now.Format(time.RFC3339))
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b fiscal.Finding) int { // Errors first.
		return cmp.Compare(a.Severity, b.Severity)
	})
	var lines []text.Text
	for _, f := range found[:min(len(found), maxFindings)] {
		lines = append(lines, text.Of("invoice.finding", text.With{
			"path": f.Path, "message": f.Message, "severity": string(f.Severity), "code": f.Code,
		}))
	}
	if more := len(found) - maxFindings; more > 0 {
		lines = append(lines, text.Of("invoice.more_findings", text.With{"more": more}))
	}
	return say.WarningAt(ctx, path.Root("payload_json"), "invoice.payload_problems", text.With{
		"label": m.label(), "lines": lines, "surely": found[0].Severity == fiscal.SeverityError,
	})
}
