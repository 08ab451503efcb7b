package functions

import (
	"context"
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

var findingTypes = map[string]attr.Type{
	"severity": types.StringType, "path": types.StringType, "code": types.StringType, "message": types.StringType,
}

type payloadCheck struct{}

func newPayloadCheck() function.Function { return payloadCheck{} }

func (payloadCheck) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "payload_check"
}

func (payloadCheck) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Say what is wrong with the payload of an invoice",
		MarkdownDescription: "Returns a list of objects, empty when nothing is found:\n\n" +
			"- `severity` (string): `error` for what the service refuses, " +
			"`warning` for what the service or the authority may refuse.\n" +
			"- `path` (string): where it is, such as `items[0].cfop`; empty for the payload as a whole.\n" +
			"- `code` (string): the rule, of those below.\n" +
			"- `message` (string): what is wrong and what to do.\n\n" +
			"Each plan that is about to send a payload checks the same, and warns. " +
			"With `environments` in the provider block a plan also knows the tax regime of the company, " +
			"and judges by it. The function knows no time of its own: it judges a past date, " +
			"and the rates of a year, only where a third argument such as `plantimestamp()` gives a time; " +
			"for the rates an `effectiveDate` suffices. " +
			"No rule replaces the authority: a payload without findings may be rejected, " +
			"and [rejection_explain](rejection_explain.md) says what to do then.\n\n" + ruleTable() + since,
		Parameters: []function.Parameter{
			modelParameter,
			function.StringParameter{Name: "json", MarkdownDescription: "The payload, as a JSON text."},
		},
		VariadicParameter: function.StringParameter{Name: "at", MarkdownDescription: "When it is to be issued, " +
			"once at most: a date and time as of RFC 3339."},
		Return: function.ListReturn{ElementType: types.ObjectType{AttrTypes: findingTypes}},
	}
}

// ruleTable shows the rules as they are, so that it cannot be out of step.
func ruleTable() string {
	var b strings.Builder
	b.WriteString("| Code | Severity | What it finds | Source |\n|---|---|---|---|\n")
	for _, rule := range fiscal.PayloadRules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", rule.Code, rule.Severity, rule.About, rule.Sources())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (payloadCheck) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var model, text string
	var at []string
	if resp.Error = req.Arguments.Get(ctx, &model, &text, &at); resp.Error != nil {
		return
	}
	if err := fiscal.CheckModel(model); err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error())
		return
	}
	if len(at) > 1 {
		resp.Error = function.NewArgumentFuncError(3, "only one date is wanted")
		return
	}
	now := strings.Join(at, "")
	if len(at) == 1 && !fiscal.IsDate(now) {
		resp.Error = function.NewArgumentFuncError(2, fmt.Sprintf("%q is no date, "+
			"such as \"2026-11-22T10:30:00-03:00\"", now))
		return
	}
	value, err := jsontree.Decode([]byte(text))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(1, fmt.Sprintf("it is no JSON (%v); "+
			"jsonencode or provider::einvoice::payload writes it", err))
		return
	}
	found := []finding{}
	for _, f := range fiscal.CheckPayload(model, value, now, "") {
		found = append(found, finding{string(f.Severity), f.Path, f.Code, f.Message})
	}
	resp.Error = resp.Result.Set(ctx, found)
}
