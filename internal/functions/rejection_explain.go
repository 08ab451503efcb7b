package functions

import (
	"context"
	"strings"

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

var rejectionTypes = map[string]attr.Type{
	"origin": types.StringType, "kind": types.StringType, "cause": types.StringType, "action": types.StringType,
}

type rejectionExplain struct{}

func newRejectionExplain() function.Function { return rejectionExplain{} }

func (rejectionExplain) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "rejection_explain"
}

func (rejectionExplain) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Explain the code of a rejected invoice",
		MarkdownDescription: "Says who rejected an invoice and what to do about it. Returns an object of strings:\n\n" +
			"- `origin`: `authority` (the tax authority or the city: numeric codes, " +
			"`E9999` and the known codes of the NFS-e), " +
			"`service` (codes that begin with `SPD`) or `unknown`.\n" +
			"- `kind`: `transient` (passes by itself), `definitive` (stays until its cause is removed), " +
			"`internal` (settled by the service itself) or `unknown`.\n" +
			"- `cause`: why it was refused, in whole sentences, for the known codes of the authorities; " +
			"empty for the others, of which the message of the authority tells.\n" +
			"- `action`: what to do next, in whole sentences.\n\n" +
			"The codes of the state authorities (SEFAZ) explain NF-e and NFC-e only, " +
			"and those of the cities NFS-e only: " +
			"with `model`, a code of the other kind has no cause. " +
			"Any text gets an answer, which is safe to follow even if the code is not known. " +
			"The known codes are in the guide [Frequent rejections](../guides/frequent-rejections.md)." + since,
		Parameters: []function.Parameter{
			function.StringParameter{Name: "code", MarkdownDescription: "The code, such as the " +
				"`processing_detail.code` of an invoice."},
		},
		VariadicParameter: function.StringParameter{Name: "model", MarkdownDescription: "The model of the invoice, " +
			"once at most: " +
			modelParameter.MarkdownDescription},
		Return: function.ObjectReturn{AttributeTypes: rejectionTypes},
	}
}

func (rejectionExplain) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var code string
	var models []string
	if resp.Error = req.Arguments.Get(ctx, &code, &models); resp.Error != nil {
		return
	}
	if len(models) > 1 {
		resp.Error = function.NewArgumentFuncError(2, "only one model is wanted")
		return
	}
	model := strings.Join(models, "")
	if err := fiscal.CheckModel(model); len(models) == 1 && err != nil {
		resp.Error = function.NewArgumentFuncError(1, err.Error())
		return
	}
	e := fiscal.ExplainRejection(code, model)
	resp.Error = resp.Result.Set(ctx, rejection{string(e.Origin), string(e.Kind), e.Cause, e.Action})
}
