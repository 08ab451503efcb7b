package functions

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var payload = pure{
	name: "payload",
	definition: function.Definition{
		Summary: "Write the payload of an invoice",
		MarkdownDescription: "Returns the JSON text for `payload_json` of an " +
			"[einvoice_invoice_issuance](../resources/invoice_issuance.md). It works like `jsonencode`, and " +
			"also:\n\n- leaves out null values, at every depth, so that an optional variable needs no condition.\n- " +
			"removes the punctuation of tax numbers, state registrations (inscrição estadual), postal codes and " +
			"phones in `receiver`, `pickup`, `delivery` and `intermediary`, and in `authorizedPersons`. It writes " +
			"the codes of their cities, and of `location`, as numbers.\n- accepts an " +
			"[einvoice_customer](../resources/customer.md), or its `address`, in place of one of these parties: " +
			"`receiver = einvoice_customer.cafe`. It then translates the names of the fields. The name is " +
			"`legal_name` if there is one, the phone is `phone` or else `mobile_phone`, and the country Brazil " +
			"becomes `BRA`.\n- writes numbers without the rounding error of Terraform: `3 * 19.9` is 59.7, where `jsonencode` " +
			"may write 150 digits. It does not round: write `tonumber(format(\"%.2f\", x))` for an amount in reais.\n\n" +
			"It checks nothing: [payload_check](payload_check.md) does that.",
		Parameters: []function.Parameter{
			modelParameter,
			function.DynamicParameter{
				Name: "object", MarkdownDescription: "The invoice as an object, in the service's own field names.",
			},
		},
		Return: function.StringReturn{},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var model string
		var argument types.Dynamic
		if err := req.Arguments.Get(ctx, &model, &argument); err != nil {
			return nil, err
		}
		if err := fiscal.CheckModel(model); err != nil {
			return nil, wrongArgument(ctx, 0, err)
		}
		decoded, err := decodedValue(argument)
		if err != nil {
			return nil, wrongArgument(ctx, 1, err)
		}
		object, isObject := decoded.(map[string]any)
		if !isObject {
			return nil, say.FuncError(ctx, 1, "function.not_an_object", nil)
		}
		written, err := fiscal.Payload(object)
		return written, wrongArgument(ctx, 1, err)
	},
}

// decodedValue is a value of the configuration as a decoded JSON value.
func decodedValue(value attr.Value) (any, error) {
	if value == nil || value.IsNull() {
		return nil, nil //nolint:nilnil // Null, and no error.
	}
	switch value := value.(type) {
	case types.Dynamic:
		return decodedValue(value.UnderlyingValue())
	case types.String:
		return value.ValueString(), nil
	case types.Bool:
		return value.ValueBool(), nil
	case types.Number:
		return jsonNumber(value.ValueBigFloat())
	case types.Object:
		return decodedMembers(value.Attributes())
	case types.Map:
		return decodedMembers(value.Elements())
	case types.List:
		return decodedElements(value.Elements())
	case types.Set:
		return decodedElements(value.Elements())
	case types.Tuple:
		return decodedElements(value.Elements())
	}
	return nil, text.NewError("function.unknown_kind", nil)
}

func decodedMembers(values map[string]attr.Value) (any, error) {
	members := make(map[string]any, len(values))
	for name, value := range values {
		decoded, err := decodedValue(value)
		if err != nil {
			return nil, text.NewError("function.member", text.With{"name": name, "problem": err})
		}
		members[name] = decoded
	}
	return members, nil
}

func decodedElements(values []attr.Value) (any, error) {
	elements := make([]any, len(values))
	for i, value := range values {
		decoded, err := decodedValue(value)
		if err != nil {
			return nil, text.NewError("function.element", text.With{"index": i, "problem": err})
		}
		elements[i] = decoded
	}
	return elements, nil
}

// widestExponent is the largest power of two that is written without an exponent: all digits
// of any number might not fit into memory.
const widestExponent = 4096

// jsonNumber writes the shortest decimal that is the same number, without the rounding error of Terraform, which
// computes with 512 bits: 3 * 19.9 is written as 59.7, not with 150 digits. A third, which needs them, is not rounded.
func jsonNumber(number *big.Float) (json.Number, error) {
	if number.IsInf() {
		return "", text.NewError("function.infinite", nil)
	}
	if exponent := number.MantExp(nil); exponent > widestExponent || exponent < -widestExponent {
		return json.Number(number.Text('e', -1)), nil
	}
	whole, decimals, _ := strings.Cut(number.Text('f', 30), ".")
	decimals = strings.TrimRight(decimals, "0")
	if len(decimals) > 20 || strings.Trim(whole+decimals, "-0") == "" {
		return json.Number(number.Text('f', -1)), nil
	}
	return json.Number(strings.TrimSuffix(whole+"."+decimals, ".")), nil
}

var payloadCheck = pure{
	name: "payload_check",
	definition: function.Definition{
		Summary: "Find problems in the payload of an invoice",
		MarkdownDescription: "Returns a list of problems, empty if it finds none. Each is an object:\n\n- `severity` " +
			"(string): `error` if the service refuses it, `warning` if it may be refused.\n- `path` (string): where " +
			"it is, such as `items[0].cfop`; empty for the payload as a whole.\n- `code` (string): the rule, from " +
			"the table below.\n- `message` (string): what is wrong and what to do.\n\nEach plan that would send a " +
			"payload makes the same checks and warns about the problems. If the provider block has `environments`, a " +
			"plan also checks the tax regime and the state of the company. The function does not read the clock: it checks whether " +
			"a date is past only if you give the current time as third argument, such as `plantimestamp()`. The " +
			"authority may still reject a payload without problems: [rejection_explain](rejection_explain.md) then " +
			"says what to do.\n\n" + ruleTable(),
		Parameters: []function.Parameter{
			modelParameter,
			function.StringParameter{Name: "json", MarkdownDescription: "The payload, as a JSON text."},
		},
		VariadicParameter: function.StringParameter{
			Name: "at", MarkdownDescription: "The time at which the invoice is issued, in RFC 3339. At most one.",
		},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"severity": types.StringType, "path": types.StringType,
			"code": types.StringType, "message": types.StringType,
		}}},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var model, written string
		var at []string
		if err := req.Arguments.Get(ctx, &model, &written, &at); err != nil {
			return nil, err
		}
		if err := fiscal.CheckModel(model); err != nil {
			return nil, wrongArgument(ctx, 0, err)
		}
		if len(at) > 1 {
			return nil, say.FuncError(ctx, 3, "function.one_date", nil)
		}
		now := strings.Join(at, "")
		if len(at) == 1 && !fiscal.IsDate(now) {
			return nil, say.FuncError(ctx, 2, "function.no_date", text.With{"written": now})
		}
		if err := jsontree.Check(written); err != nil {
			return nil, say.FuncError(ctx, 1, "function.no_json", text.With{"cause": err.Said()})
		}
		value, _ := jsontree.Decode([]byte(written)) // It was checked.
		found := []finding{}                         // An empty list, not null.
		for _, f := range fiscal.CheckPayload(model, value, now, "") {
			found = append(found, finding{string(f.Severity), f.Path, f.Code, f.Message.In(ctx)})
		}
		return found, nil
	},
}

// finding is a [fiscal.Finding] in the language of the CLI.
type finding struct {
	Severity string `tfsdk:"severity"`
	Path     string `tfsdk:"path"`
	Code     string `tfsdk:"code"`
	Message  string `tfsdk:"message"`
}

// ruleTable lists the rules as they are, so that the description always agrees with them.
func ruleTable() string {
	lines := []string{"| Code | Severity | What it finds | Source |", "|---|---|---|---|"}
	for _, rule := range fiscal.PayloadRules() {
		cells := []string{"`" + rule.Code + "`", string(rule.Severity), rule.About, rule.Sources()}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
	}
	return strings.Join(lines, "\n")
}
