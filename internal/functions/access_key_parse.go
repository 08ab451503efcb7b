package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

type accessKeyParse struct{}

func newAccessKeyParse() function.Function { return accessKeyParse{} }

func (accessKeyParse) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "access_key_parse"
}

// accessKey is the result, part by part.
type accessKey struct {
	StateCode        string `tfsdk:"state_code"`
	State            string `tfsdk:"state"`
	Year             int64  `tfsdk:"year"`
	Month            int64  `tfsdk:"month"`
	FederalTaxNumber string `tfsdk:"federal_tax_number"`
	Model            string `tfsdk:"model"`
	Series           int64  `tfsdk:"series"`
	Number           int64  `tfsdk:"number"`
	EmissionType     int64  `tfsdk:"emission_type"`
	Code             string `tfsdk:"code"`
	CheckDigit       int64  `tfsdk:"check_digit"`
}

var accessKeyTypes = map[string]attr.Type{
	"state_code": types.StringType, "state": types.StringType, "year": types.Int64Type, "month": types.Int64Type,
	"federal_tax_number": types.StringType, "model": types.StringType, "series": types.Int64Type, "number": types.Int64Type,
	"emission_type": types.Int64Type, "code": types.StringType, "check_digit": types.Int64Type,
}

func (accessKeyParse) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Take an access key apart",
		MarkdownDescription: "Takes the 44-character access key of an NF-e or NFC-e apart and returns an object:\n\n" +
			"- `state_code` (string) and `state` (string): the IBGE code of the issuer's state and its abbreviation, such as `35` and `SP`.\n" +
			"- `year` (number) and `month` (number) of the emission.\n" +
			"- `federal_tax_number` (string): the issuer's CNPJ, 14 digits or upper-case letters; `000` and the CPF of a person who issues under a CPF.\n" +
			"- `model` (string): `55` (NF-e) or `65` (NFC-e).\n" +
			"- `series` (number) and `number` (number) of the invoice.\n" +
			"- `emission_type` (number): `1` normal, `2` FS-IA, `3` SCAN, `4` EPEC, `5` FS-DA, `6` SVC-AN, `7` SVC-RS, `9` offline NFC-e.\n" +
			"- `code` (string): the eight random digits.\n" +
			"- `check_digit` (number).\n\n" +
			"White space and the case of letters do not matter. It is an error when the check digit is wrong, or when a part cannot be: the error names the position, counted from 1 " +
			"without white space. The 50-digit key of a national NFS-e has another layout and is refused." + since,
		Parameters: []function.Parameter{
			function.StringParameter{Name: "key", MarkdownDescription: "The access key: 44 characters."},
		},
		Return: function.ObjectReturn{AttributeTypes: accessKeyTypes},
	}
}

func (accessKeyParse) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var key string
	if resp.Error = req.Arguments.Get(ctx, &key); resp.Error != nil {
		return
	}
	k, err := fiscal.ParseAccessKey(key)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	resp.Error = resp.Result.Set(ctx, accessKey{
		StateCode: k.StateCode, State: k.State, Year: int64(k.Year), Month: int64(k.Month), FederalTaxNumber: k.FederalTaxNumber,
		Model: k.Model, Series: int64(k.Series), Number: int64(k.Number), EmissionType: int64(k.EmissionType),
		Code: k.Code, CheckDigit: int64(k.CheckDigit),
	})
}
