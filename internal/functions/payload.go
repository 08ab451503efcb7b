package functions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

var payload = pure{
	name: "payload",
	definition: function.Definition{
		Summary: "Write the payload of an invoice",
		MarkdownDescription: "Returns the JSON text for `payload_json` of an " +
			"[einvoice_invoice_issuance](../resources/invoice_issuance.md), as `jsonencode` does, and:\n\n" +
			"- leaves out what is null, at every depth, so that an optional variable needs no condition.\n" +
			"- writes tax numbers, state registrations (inscrição estadual), postal codes and phones of `receiver`, " +
			"`pickup`, `delivery` and `intermediary`, and `authorizedPersons`, without punctuation, " +
			"and the codes of their cities and of `location` as numbers.\n" +
			"- takes an [einvoice_customer](../resources/customer.md) in place of one of these, or its `address`, " +
			"and writes its fields in the service's own names: `receiver = einvoice_customer.cafe`. " +
			"The `legal_name` becomes the name where there is one, `phone` or else `mobile_phone` the phone, " +
			"and the country Brazil `BRA`.\n\n" +
			"Numbers keep every digit. Nothing is checked: [payload_check](payload_check.md) does that.",
		Parameters: []function.Parameter{
			modelParameter,
			function.DynamicParameter{
				Name: "object", MarkdownDescription: "The issuing body in the service's own field names.",
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
			return nil, wrongArgument(0, err)
		}
		decoded, err := decodedValue(argument)
		if err != nil {
			return nil, wrongArgument(1, err)
		}
		object, isObject := decoded.(map[string]any)
		if !isObject {
			return nil, wrongArgument(1, errNotObject)
		}
		text, err := fiscal.Payload(object)
		return text, wrongArgument(1, err)
	},
}

var errNotObject = errors.New("an object is needed, for example " +
	"{ description = \"...\", federalServiceCode = \"17.01\", total = { invoiceAmount = 100 } }")

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
	return nil, errors.New("it is neither text, number, true or false, nor a list or object of these")
}

func decodedMembers(values map[string]attr.Value) (any, error) {
	members := make(map[string]any, len(values))
	for name, value := range values {
		decoded, err := decodedValue(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
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
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		elements[i] = decoded
	}
	return elements, nil
}

// widestExponent is the largest power of two that is written without an exponent: all digits
// of any number might not fit into memory.
const widestExponent = 4096

// jsonNumber writes the shortest decimal that is the same number.
func jsonNumber(number *big.Float) (json.Number, error) {
	if number.IsInf() {
		return "", errors.New("an infinite number has no form in JSON")
	}
	format := byte('f')
	if exponent := number.MantExp(nil); exponent > widestExponent || exponent < -widestExponent {
		format = 'e'
	}
	return json.Number(number.Text(format, -1)), nil
}

// finding is an element of the result.
type finding struct {
	Severity string `tfsdk:"severity"`
	Path     string `tfsdk:"path"`
	Code     string `tfsdk:"code"`
	Message  string `tfsdk:"message"`
}

var payloadCheck = pure{
	name: "payload_check",
	definition: function.Definition{
		Summary: "Say what is wrong with the payload of an invoice",
		MarkdownDescription: "Returns a list of objects, empty when nothing is found:\n\n" +
			"- `severity` (string): `error` for what the service refuses, `warning` for what may be refused.\n" +
			"- `path` (string): where it is, such as `items[0].cfop`; empty for the payload as a whole.\n" +
			"- `code` (string): the rule, of those below.\n" +
			"- `message` (string): what is wrong and what to do.\n\n" +
			"Each plan that is about to send a payload makes the same checks and warns of the findings. " +
			"With `environments` in the provider block a plan also checks against the tax regime of the company. " +
			"The function knows no time of its own: it judges a past date only where a third argument gives one, " +
			"such as `plantimestamp()`. No rule replaces the authority: a payload without findings may be rejected, " +
			"and [rejection_explain](rejection_explain.md) says what to do then.\n\n" + ruleTable(),
		Parameters: []function.Parameter{
			modelParameter,
			function.StringParameter{Name: "json", MarkdownDescription: "The payload, as a JSON text."},
		},
		VariadicParameter: function.StringParameter{
			Name: "at", MarkdownDescription: "When it is to be issued, once at most: a date and time in RFC 3339.",
		},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: map[string]attr.Type{
			"severity": types.StringType, "path": types.StringType,
			"code": types.StringType, "message": types.StringType,
		}}},
	},
	run: func(ctx context.Context, req function.RunRequest) (any, *function.FuncError) {
		var model, text string
		var at []string
		if err := req.Arguments.Get(ctx, &model, &text, &at); err != nil {
			return nil, err
		}
		if err := fiscal.CheckModel(model); err != nil {
			return nil, wrongArgument(0, err)
		}
		if len(at) > 1 {
			return nil, wrongArgument(3, errors.New("only one date is wanted"))
		}
		now := strings.Join(at, "")
		if len(at) == 1 && !fiscal.IsDate(now) {
			return nil, wrongArgument(2, fmt.Errorf("%q is no date, such as \"2026-11-22T10:30:00-03:00\"", now))
		}
		value, err := jsontree.Decode([]byte(text))
		if err != nil {
			return nil, wrongArgument(1, fmt.Errorf("it is no JSON (%w); jsonencode writes it", err))
		}
		findings := []finding{}
		for _, f := range fiscal.CheckPayload(model, value, now, "") {
			findings = append(findings, finding{string(f.Severity), f.Path, f.Code, f.Message})
		}
		return findings, nil
	},
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
