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
