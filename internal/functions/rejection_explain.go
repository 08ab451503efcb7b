package functions

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

var rejectionExplain = pure{
	name: "rejection_explain",
	definition: function.Definition{
		Summary: "Explain the code of a rejected invoice",
		MarkdownDescription: "Returns who rejected an invoice, why, and what to do, as an object of strings:\n\n- " +
			"`origin`: `authority` (tax authority or city: numeric codes, `E9999` and known codes of the NFS-e), " +
			"`service` (codes that begin with `SPD`) or `unknown`.\n- `kind`: `transient` (passes by itself), " +
			"`definitive` (stays until its cause is removed), `internal` (settled by the service itself), `none` (no " +
			"rejection: the invoice is authorized) or `unknown`.\n- `cause`: why it was refused, in full sentences, " +
			"for the known codes of the authorities. For other codes it is empty: read the authority's message.\n- " +
			"`action`: what to do next, in full sentences.\n\nThe codes of SEFAZ explain NF-e and NFC-e only, and " +
			"those of the cities NFS-e only: with `model`, a code of the other kind has no cause. Any text gets an " +
			"answer, which is safe to follow even if the code is not known. The known codes are in the guide " +
			"[Frequent rejections](../guides/frequent-rejections.md).",
		Parameters: []function.Parameter{function.StringParameter{
			Name: "code", MarkdownDescription: "The code, such as the `processing_detail.code` of an invoice.",
		}},
		VariadicParameter: function.StringParameter{
			Name:                "model",
			MarkdownDescription: "The model of the invoice, once at most: " + modelParameter.MarkdownDescription,
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"origin": types.StringType, "kind": types.StringType, "cause": types.StringType, "action": types.StringType,
		}},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var code string
		var models []string
		if err := req.Arguments.Get(ctx, &code, &models); err != nil {
			return nil, err
		}
		if len(models) > 1 {
			return nil, wrongArgument(2, errors.New("only one model is wanted"))
		}
		model := strings.Join(models, "")
		if err := fiscal.CheckModel(model); len(models) == 1 && err != nil {
			return nil, wrongArgument(1, err)
		}
		e := fiscal.ExplainRejection(code, model)
		return struct {
			Origin string `tfsdk:"origin"`
			Kind   string `tfsdk:"kind"`
			Cause  string `tfsdk:"cause"`
			Action string `tfsdk:"action"`
		}{string(e.Origin), string(e.Kind), e.Cause, e.Action}, nil
	},
}
