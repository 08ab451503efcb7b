package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// rejection is the result.
type rejection struct {
	Origin string `tfsdk:"origin"`
	Kind   string `tfsdk:"kind"`
	Cause  string `tfsdk:"cause"`
	Action string `tfsdk:"action"`
}

var rejectionTypes = map[string]attr.Type{"origin": types.StringType, "kind": types.StringType, "cause": types.StringType, "action": types.StringType}

func newRejectionExplain() function.Function {
	return ofText{
		name: "rejection_explain",
		definition: function.Definition{
			Summary: "Explain the code of a rejected invoice",
			MarkdownDescription: "Says who rejected an invoice and what to do about it. Returns an object of strings:\n\n" +
				"- `origin`: `authority` (the tax authority or the city: numeric codes, `E9999` and the frequent codes of the NFS-e), `service` (codes that begin with `SPD`) or `unknown`.\n" +
				"- `kind`: `transient` (passes by itself), `definitive` (stays until its cause is removed), `internal` (settled by the service itself) or `unknown`.\n" +
				"- `cause`: why it was refused, in whole sentences, for the frequent codes of the authorities; empty for the others, of which the message of the authority tells.\n" +
				"- `action`: what to do next, in whole sentences.\n\n" +
				"Any text gets an answer, which is safe to follow even if the code is not known. The known codes are in the guide [Frequent rejections](../guides/frequent-rejections.md)." + since,
			Parameters: []function.Parameter{
				function.StringParameter{Name: "code", MarkdownDescription: "The code, such as the `processing_detail.code` of an invoice."},
			},
			Return: function.ObjectReturn{AttributeTypes: rejectionTypes},
		},
		result: func(text string) (any, error) {
			explained := fiscal.ExplainRejection(text)
			return rejection{Origin: string(explained.Origin), Kind: string(explained.Kind), Cause: explained.Cause, Action: explained.Action}, nil
		},
	}
}
