package functions

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
)

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
		Summary: "Find problems in the payload of an invoice",
		MarkdownDescription: "Returns a list of problems, empty if it finds none. Each is an object:\n\n- `severity` " +
			"(string): `error` if the service refuses it, `warning` if it may be refused.\n- `path` (string): where " +
			"it is, such as `items[0].cfop`; empty for the payload as a whole.\n- `code` (string): the rule, from " +
			"the table below.\n- `message` (string): what is wrong and what to do.\n\nEach plan that would send a " +
			"payload makes the same checks and warns about the problems. If the provider block has `environments`, a " +
			"plan also checks the tax regime of the company. The function does not read the clock: it checks whether " +
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
