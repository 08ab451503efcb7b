// Package functions has the provider's functions about tax numbers, access keys, payloads,
// rejection codes and identifiers. Their results depend on their arguments alone, so that
// they run without a configured provider. Package fiscal has the rules.
package functions

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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
func ofText(result func(argument string) (any, error)) run {
	return func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var argument string
		if err := req.Arguments.Get(ctx, &argument); err != nil {
			return nil, err
		}
		value, err := result(argument)
		return value, wrongArgument(ctx, 0, err)
	}
}

// wrongArgument is the error about the argument of that position; nil for nil.
func wrongArgument(ctx context.Context, position int64, err error) *function.FuncError {
	if err == nil {
		return nil
	}
	return say.FuncError(ctx, position, "function.wrong", text.With{"problem": err})
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
			"The function fails if the text is neither: another length, a wrong character, or wrong " +
			"check digits. The error names the character and its position, counted from 1 in the given text. Where " +
			"foreign documents are possible, ask [tax_number_kind](tax_number_kind.md) first or use `try`.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "text",
			MarkdownDescription: "A CPF or CNPJ, with or without punctuation, such as `12.ABC.345/01DE-35`.",
		}},
		Return: function.StringReturn{},
	},
	run: ofText(func(number string) (any, error) { return fiscal.ParseTaxNumber(number) }),
}

var taxNumberKind = pure{
	name: "tax_number_kind",
	definition: function.Definition{
		Summary: "Tell a CPF from a CNPJ and from a foreign document",
		MarkdownDescription: "Returns `cpf`, `cnpj` or `foreign`, by the form alone: 11 digits are a CPF; 12 digits " +
			"or letters followed by 2 digits are a CNPJ; anything else counts as a foreign document. Punctuation, " +
			"case and check digits do not matter: [tax_number_normalize](tax_number_normalize.md) checks the digits.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "text", MarkdownDescription: "A tax number, with or without punctuation."},
		},
		Return: function.StringReturn{},
	},
	run: ofText(func(number string) (any, error) { return string(fiscal.TaxNumberKind(number)), nil }),
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
			"or `000` and the CPF if the issuer has a CPF.\n" +
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
	run: ofText(func(key string) (any, error) { return fiscal.ParseAccessKey(key) }),
}

// integrationSpace is the namespace of the identifiers: the UUIDv5, in the URL
// namespace, of https://registry.terraform.io/providers/einvoice-br/einvoice. It
// must never change: with another identifier an invoice would be issued again.
var integrationSpace = uuid.MustParse("9f1377e0-64fc-5bc8-b132-f892a7587307")

const integrationIDLength = 36

// isNoName reports whether a part would not stay readable, or would not stay apart from the others.
func isNoName(part string) bool { return !name.MatchString(part) }

var name = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

var integrationID = pure{
	name: "integration_id",
	definition: function.Definition{
		Summary: "Derive an integration_id from the parts of a key",
		MarkdownDescription: "Returns the parts joined by colons, such as `acme:2026-11:c-012`, if each is made of letters, " +
			"digits, `_`, `.` and `-` and the whole has at most 36 characters. Otherwise, and for a single part in the " +
			"form of a UUID, it returns a UUID of 36 characters (a UUIDv5). The same parts always give the same " +
			"identifier, in every version of this provider, and different parts give different ones.\n\nPass " +
			"what identifies the document in your books. Leave out what may change afterwards, such as an amount or " +
			"the date of the run. If all parts are empty, the function fails.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "part", MarkdownDescription: "The first part of the key."},
		},
		VariadicParameter: function.StringParameter{Name: "parts", MarkdownDescription: "More parts of the key."},
		Return:            function.StringReturn{},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var first string
		var more []string
		if err := req.Arguments.Get(ctx, &first, &more); err != nil {
			return nil, err
		}
		parts := append([]string{first}, more...)
		id := strings.Join(parts, ":")
		isReadable := len(id) <= integrationIDLength && !slices.ContainsFunc(parts, isNoName)
		if isReadable && uuid.Validate(id) != nil { // A UUID may be that of other parts.
			return id, nil
		}
		// Each part begins with its length in bytes, so that ("a", "bc") and ("ab", "c") are not the same key.
		var key strings.Builder
		isEmpty := true
		for _, part := range parts {
			key.WriteString(strconv.Itoa(len(part)) + ":" + part)
			isEmpty = isEmpty && strings.TrimSpace(part) == ""
		}
		if isEmpty {
			return nil, say.FuncError(ctx, 0, "function.no_parts", nil)
		}
		return uuid.NewSHA1(integrationSpace, []byte(key.String())).String(), nil
	},
}

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
			return nil, say.FuncError(ctx, 2, "function.one_model", nil)
		}
		model := strings.Join(models, "")
		if err := fiscal.CheckModel(model); len(models) == 1 && err != nil {
			return nil, wrongArgument(ctx, 1, err)
		}
		e := fiscal.ExplainRejection(code, model)
		return struct {
			Origin string `tfsdk:"origin"`
			Kind   string `tfsdk:"kind"`
			Cause  string `tfsdk:"cause"`
			Action string `tfsdk:"action"`
		}{string(e.Origin), string(e.Kind), e.Cause.In(ctx), e.ActionFor("integration_id").In(ctx)}, nil
	},
}
