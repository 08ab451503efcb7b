package invoice

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// UpgradeState moves what version 0 of the state had at its root into details.
func (r *issuanceResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {
		StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var state map[string]json.RawMessage
			if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
				resp.Diagnostics.AddError("State cannot be read", "The state of this invoice is not JSON: "+err.Error())
				return
			}
			details := map[string]json.RawMessage{}
			for name := range attributesOf(detailFields) {
				details[name] = state[name]
				delete(state, name)
			}
			state["details"], _ = json.Marshal(details) // It was JSON before.
			upgraded, _ := json.Marshal(state)
			resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
		},
	}}
}
