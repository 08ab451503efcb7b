package issuance

import (
	"strings"
	"testing"
)

// A service may ignore case in member names.
func TestValidatePayload_refusesWhatHasAnAttributeInAnyCase(t *testing.T) {
	t.Parallel()
	for payload, attribute := range map[string]string{
		`{"integrationId":"a"}`: "`integration_id`", `{"integrationid":"a"}`: "`integration_id`", `{"INTEGRATIONID":"a"}`: "`integration_id`",
		`{"issue":false}`: "`issue`", `{"Issue":false}`: "`issue`", `{"Status":"created"}`: "Only the service sets it",
	} {
		diags := validatePayload(payload)
		if len(diags) != 1 || diags[0].Severity().String() != "Error" || !strings.Contains(diags[0].Detail(), attribute) {
			t.Errorf("%s: %v, want an error that says %s", payload, diags, attribute)
		}
	}
	if diags := validatePayload(`{"description":"Consulting","items":[{"status":"x"}]}`); len(diags) != 0 {
		t.Errorf("%v", diags)
	}
}
