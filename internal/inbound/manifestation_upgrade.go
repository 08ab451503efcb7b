package inbound

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// UpgradeState writes the company of version 0, which was in issuer, into company.
func (r *manifestationResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {
		StateUpgrader: func(_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var state map[string]json.RawMessage
			if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
				resp.Diagnostics.AddError("State cannot be read", "The state of this declaration is not "+
					"JSON: "+err.Error())
				return
			}
			state[companyArgument] = state["issuer"]
			delete(state, "issuer")
			upgraded, _ := json.Marshal(state) // It was JSON before.
			resp.DynamicValue = &tfprotov6.DynamicValue{JSON: upgraded}
		},
	}}
}

// UpgradeIdentity does the same to the identity.
func (r *manifestationResource) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{0: {IdentityUpgrader: upgradeIdentity}}
}

func upgradeIdentity(
	ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse,
) {
	var former struct {
		InvoiceID string  `json:"invoice_id"`
		Company   *string `json:"issuer"`
	}
	if err := json.Unmarshal(req.RawIdentity.JSON, &former); err != nil {
		resp.Diagnostics.AddError("Identity cannot be read", "The identity of this declaration is not "+
			"JSON: "+err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, manifestationIdentity{
		InvoiceID: types.StringValue(former.InvoiceID), Company: types.StringPointerValue(former.Company),
	})...)
}
