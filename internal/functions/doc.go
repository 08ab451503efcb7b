// Package functions holds the provider's functions, by which a configuration asks
// about tax numbers, access keys, payloads, rejection codes and identifiers. Their results
// depend on their arguments alone, so that they run without a configured provider.
// The rules are those of package fiscal.
package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// since ends the description of each function.
const since = "\n\nRuns without an account, in `terraform console` and in tests too. " +
	"Needs Terraform 1.8 or later, or OpenTofu 1.8 or later."

// All returns the constructors of all functions.
func All() []func() function.Function {
	return []func() function.Function{
		newAccessKeyParse,
		newIntegrationID,
		newPayload,
		newPayloadCheck,
		newRejectionExplain,
		newTaxNumberKind,
		newTaxNumberNormalize,
	}
}

// ofText is a function of one text.
type ofText struct {
	name       string
	definition function.Definition
	result     func(text string) (any, error)
}

func (f ofText) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f ofText) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f ofText) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	result, err := f.result(text)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, result)
}
