package attribute

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// UpgradeState changes a state of version 0, attribute by attribute. what names the object.
func UpgradeState(what string, change func(state map[string]json.RawMessage)) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {
		StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var state map[string]json.RawMessage
			if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
				resp.Diagnostics.AddError("State cannot be read", "The state of this "+what+" is not JSON: "+err.Error())
				return
			}
			change(state)
			upgraded, _ := json.Marshal(state) // It was JSON before.
			resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
		},
	}}
}
