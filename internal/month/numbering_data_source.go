package month

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type numberingModel struct {
	Model           types.String      `tfsdk:"model"`
	Series          types.String      `tfsdk:"series"`
	Month           types.String      `tfsdk:"month"`
	EnvironmentType types.String      `tfsdk:"environment_type"`
	Issuer          attribute.Spelled `tfsdk:"issuer"`
	First           types.Int64       `tfsdk:"first"`
	Last            types.Int64       `tfsdk:"last"`
	Used            types.Int64       `tfsdk:"used"`
	Disabled        types.Int64       `tfsdk:"disabled"`
	Gaps            []gapModel        `tfsdk:"gaps"`
}

type gapModel struct {
	From types.Int64 `tfsdk:"from"`
	To   types.Int64 `tfsdk:"to"`
}

// NewNumberingDataSource is einvoice_numbering. It looks for numbers that were skipped: the law
// wants each to be used or declared unused. Numbers do not follow dates exactly, so it also
// reads the months on both sides.
func NewNumberingDataSource() datasource.DataSource {
	return &session.DataSource[numberingModel]{
		Company: "issuer", Name: "numbering", Fill: readNumbers,
		Description: "The numbers that the invoices of a series used in a month, and the missing ones: " +
			"neither used nor declared unused (inutilização). Numbers that were skipped must be declared unused at " +
			"the authority, commonly by the 10th day of the next month. The data source reads all invoices of " +
			"the month and of the month before, and those of the next month if a number is missing. " +
			"If it cannot read one of them, it fails. Needs the key of the company that issued them.\n\n" +
			"The number of a rejected or removed invoice does not count as used. " +
			"It shows as a gap until the invoice is corrected or the number is declared unused.",
		Attributes: map[string]schema.Attribute{
			"model": attribute.ModelArgument(einvoice.Models, " For a `serviceInvoice` the numbers and the series "+
				"are those of the RPS: the city assigns those of the NFS-e, and has no declaration of unused "+
				"numbers."),
			"series": attribute.RequiredText("Series. Leading zeros are ignored."),
			"month":  monthArgument("whose numbers are read, in the time of São Paulo"),
			"environment_type": attribute.WordFilter("Environment whose numbers are read; each has its own. "+
				"Needed only if the month has invoices of several", einvoice.EnvironmentTypes),
			"first": attribute.ComputedInt("Lowest number that an invoice of the month uses; null if there is none."),
			"last":  attribute.ComputedInt("Highest number that an invoice of the month uses; null if there is none."),
			"used":  attribute.ComputedInt("How many numbers the invoices of the month use."),
			"disabled": attribute.ComputedInt("How many numbers were declared unused, from the last number of the " +
				"month before up to `last`; null if the service does not list them."),
			"gaps": schema.ListNestedAttribute{
				MarkdownDescription: "Ranges of missing numbers, after the last number of the month before, if it " +
					"has one, up to `last`. Empty if no number is missing.",
				Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"from": attribute.ComputedInt("First missing number."),
					"to":   attribute.ComputedInt("Last missing number."),
				}},
			},
		},
	}
}

func readNumbers(ctx context.Context, reading *session.Session, m *numberingModel) (diags diag.Diagnostics) {
	n := &numbering{
		reading: reading, model: m.Model.ValueString(),
		series: plainSeries(m.Series.ValueString()), environment: m.EnvironmentType.ValueString(),
	}
	wanted, _ := parseMonth(m.Month.ValueString(), einvoice.SaoPaulo) // Checked by the validator.
	err := n.read(ctx, wanted)
	switch several, ok := errors.AsType[*severalEnvironmentsError](err); {
	case ok:
		return say.ErrorAt(ctx, path.Root("environment_type"), "month.environments", text.With{
			"month": m.Month.ValueString(), "series": m.Series.ValueString(), "found": several.found,
		})
	case err != nil:
		return countError(ctx, text.Of("month.read_numbers", nil), n.model, err)
	case n.unlisted != nil:
		diags = say.WarningAt(ctx, path.Root("disabled"), "month.disabled_not_listed", text.With{
			"document": message.DocumentNames[n.model], "cause": message.Cause(n.unlisted),
		})
	}
	m.fill(n)
	return diags
}

func (m *numberingModel) fill(n *numbering) {
	m.First, m.Last, m.Disabled = types.Int64Null(), types.Int64Null(), types.Int64Null()
	m.Used = types.Int64Value(int64(len(n.used)))
	if len(n.used) > 0 {
		m.First, m.Last = types.Int64Value(n.used[0]), types.Int64Value(n.used[len(n.used)-1])
	}
	if n.unlisted == nil {
		m.Disabled = types.Int64Value(n.countDisabled())
	}
	m.Gaps = []gapModel{}
	for _, gap := range n.gaps() {
		m.Gaps = append(m.Gaps, gapModel{types.Int64Value(gap.from), types.Int64Value(gap.to)})
	}
}
