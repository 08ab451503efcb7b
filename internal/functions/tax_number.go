package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

func newTaxNumberNormalize() function.Function {
	return ofText{
		name: "tax_number_normalize",
		definition: function.Definition{
			Summary: "Normalize a CPF or CNPJ",
			MarkdownDescription: "Returns a CPF as its 11 digits and a CNPJ as its 14 characters, " +
				"digits or upper-case letters, whatever the punctuation and case it was written in. " +
				"The alphanumeric CNPJ in force since July 2026 is understood.\n\n" +
				"It is an error when the text is neither: another length, a character that cannot stand there, " +
				"or wrong check digits. The error names the character and its position, counted " +
				"from 1 in the text as it was given. Where foreign documents are possible, " +
				"ask [tax_number_kind](tax_number_kind.md) first or use `try`." + since,
			Parameters: []function.Parameter{
				function.StringParameter{Name: "text", MarkdownDescription: "A CPF or CNPJ, " +
					"with or without punctuation, such as `12.ABC.345/01DE-35`."},
			},
			Return: function.StringReturn{},
		},
		result: func(text string) (any, error) { return fiscal.ParseTaxNumber(text) },
	}
}

func newTaxNumberKind() function.Function {
	return ofText{
		name: "tax_number_kind",
		definition: function.Definition{
			Summary: "Tell a CPF from a CNPJ and from a foreign document",
			MarkdownDescription: "Returns `cpf`, `cnpj` or `foreign`, by the form of the text alone: " +
				"11 digits are a CPF; 12 digits or letters followed by 2 digits are a CNPJ; anything else counts " +
				"as a foreign document. Punctuation and case do not matter, and neither do check digits: " +
				"[tax_number_normalize](tax_number_normalize.md) checks those." + since,
			Parameters: []function.Parameter{
				function.StringParameter{Name: "text", MarkdownDescription: "A tax number in any spelling."},
			},
			Return: function.StringReturn{},
		},
		result: func(text string) (any, error) { return string(fiscal.TaxNumberKind(text)), nil },
	}
}
