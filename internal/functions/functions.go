// Package functions has the provider's functions about tax numbers, access keys, payloads,
// rejection codes and identifiers. Their results depend on their arguments alone, so that
// they run without a configured provider. Package fiscal has the rules.
package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// since ends the description of each function.
const since = "\n\nRuns without an account, in `terraform console` and in tests too. " +
	"Needs Terraform 1.8 or later, or OpenTofu 1.8 or later."

// All returns the constructors of all functions.
func All() []func() function.Function {
	var constructors []func() function.Function
	for _, f := range []pure{
		accessKeyParse, integrationID, payload, payloadCheck, rejectionExplain, taxNumberKind, taxNumberNormalize,
	} {
		constructors = append(constructors, func() function.Function { return f })
	}
	return constructors
}

// pure is one function.
type pure struct {
	name       string
	definition function.Definition
	run        run
}

type run func(context.Context, function.RunRequest) (any, *function.FuncError)

func (f pure) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f pure) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
	resp.Definition.MarkdownDescription += since
}

func (f pure) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	result, err := f.run(ctx, req)
	if resp.Error = err; err == nil {
		resp.Error = resp.Result.Set(ctx, result)
	}
}

// ofText runs a function of one text.
func ofText(result func(text string) (any, error)) run {
	return func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var text string
		if err := req.Arguments.Get(ctx, &text); err != nil {
			return nil, err
		}
		value, err := result(text)
		return value, wrongArgument(0, err)
	}
}

// wrongArgument is the error about the argument of that position; nil for nil.
func wrongArgument(position int64, err error) *function.FuncError {
	if err == nil {
		return nil
	}
	return function.NewArgumentFuncError(position, err.Error())
}

var modelParameter = function.StringParameter{
	Name:                "model",
	MarkdownDescription: "`productInvoice` (NF-e), `consumerInvoice` (NFC-e) or `serviceInvoice` (NFS-e).",
}

var taxNumberNormalize = pure{
	name: "tax_number_normalize",
	definition: function.Definition{
		Summary: "Normalize a CPF or CNPJ",
		MarkdownDescription: "Returns a CPF as its 11 digits, and a CNPJ as its 14 digits or upper-case letters, " +
			"in whatever punctuation and case it was written. " +
			"The alphanumeric CNPJ in force since July 2026 is understood.\n\n" +
			"It is an error when the text is neither: another length, a character that cannot stand there, or wrong " +
			"check digits. The error names the character and its position, counted from 1 in the given text. Where " +
			"foreign documents are possible, ask [tax_number_kind](tax_number_kind.md) first or use `try`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "text",
			MarkdownDescription: "A CPF or CNPJ, with or without punctuation, such as `12.ABC.345/01DE-35`.",
		}},
		Return: function.StringReturn{},
	},
	run: ofText(func(text string) (any, error) { return fiscal.ParseTaxNumber(text) }),
}

var taxNumberKind = pure{
	name: "tax_number_kind",
	definition: function.Definition{
		Summary: "Tell a CPF from a CNPJ and from a foreign document",
		MarkdownDescription: "Returns `cpf`, `cnpj` or `foreign`, by the form alone: 11 digits are a CPF; 12 digits " +
			"or letters followed by 2 digits are a CNPJ; anything else counts as a foreign document. Punctuation, " +
			"case and check digits do not matter: [tax_number_normalize](tax_number_normalize.md) checks the digits.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "A tax number in any spelling."},
		},
		Return: function.StringReturn{},
	},
	run: ofText(func(text string) (any, error) { return string(fiscal.TaxNumberKind(text)), nil }),
}
