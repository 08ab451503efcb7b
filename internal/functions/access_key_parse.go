package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// accessKey is the result: the parts of the key under the names of the attributes.
type accessKey struct {
	StateCode        string `tfsdk:"state_code"`
	State            string `tfsdk:"state"`
	Year             int    `tfsdk:"year"`
	Month            int    `tfsdk:"month"`
	FederalTaxNumber string `tfsdk:"federal_tax_number"`
	Model            string `tfsdk:"model"`
	Series           int    `tfsdk:"series"`
	Number           int    `tfsdk:"number"`
	EmissionType     int    `tfsdk:"emission_type"`
	Code             string `tfsdk:"code"`
	CheckDigit       int    `tfsdk:"check_digit"`
}

var accessKeyParse = pure{
	name: "access_key_parse",
	definition: function.Definition{
		Summary: "Split an access key into its parts",
		MarkdownDescription: "Splits the access key (chave de acesso) of an NF-e or NFC-e into an object:\n\n" +
			"- `state_code` (string) and `state` (string): the IBGE code of the issuer's state and its abbreviation, " +
			"such as `35` and `SP`.\n" +
			"- `year` (number) and `month` (number) of the emission.\n" +
			"- `federal_tax_number` (string): the issuer's CNPJ, 14 digits or upper-case letters; " +
			"`000` and the CPF of a person who issues under a CPF.\n" +
			"- `model` (string): `55` (NF-e) or `65` (NFC-e).\n" +
			"- `series` (number) and `number` (number) of the invoice.\n" +
			"- `emission_type` (number): `1` normal, `2` FS-IA, `3` SCAN, `4` EPEC, `5` FS-DA, `6` SVC-AN, " +
			"`7` SVC-RS, `9` offline NFC-e.\n" +
			"- `code` (string): the eight random digits.\n" +
			"- `check_digit` (number).\n\n" +
			"White space and letter case do not matter. A wrong check digit or an impossible part is an error, " +
			"which names the position, counted from 1 without white space. " +
			"The 50-digit key of a national NFS-e has another layout and is refused.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "key", MarkdownDescription: "The access key: 44 characters."},
		},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"state_code": types.StringType, "state": types.StringType, "federal_tax_number": types.StringType,
			"model": types.StringType, "code": types.StringType, "year": types.Int64Type, "month": types.Int64Type,
			"series": types.Int64Type, "number": types.Int64Type, "emission_type": types.Int64Type,
			"check_digit": types.Int64Type,
		}},
	},
	run: ofText(func(text string) (any, error) {
		key, err := fiscal.ParseAccessKey(text)
		return accessKey(key), err
	}),
}
