package month

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*numberingDataSource)(nil)

// NewNumberingDataSource returns the data source einvoice_numbering.
func NewNumberingDataSource() datasource.DataSource { return &numberingDataSource{} }

// numberingDataSource looks for numbers that were skipped: the law wants each to be
// used or to be declared unused. Numbers do not follow dates exactly, so the months
// on both sides are looked at too.
type numberingDataSource struct {
	session.DataSourceBase
}

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

func (d *numberingDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_numbering"
}

func (d *numberingDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	number := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The numbers that the invoices of a series used in a month, and those that are missing: neither used nor declared unused (inutilização). " +
			"Numbers that were skipped must be declared unused at the authority, commonly by the 10th day of the next month. " +
			"All invoices of the month and of the one before are read, and those of the next month where something is missing; where one cannot be read there is an error. Needs the key of the company that issued them.\n\n" +
			"The number of an invoice that was rejected or removed is not used, so it shows as a gap until the invoice is corrected or the number is declared unused.",
		Attributes: map[string]schema.Attribute{
			"model": modelArgument(" Of a `serviceInvoice` the numbers and the series are those of the RPS: the city gives the others, and has no declaration of unused ones."),
			"series": schema.StringAttribute{
				MarkdownDescription: "Series; zeros in front of it do not count.",
				Required:            true,
				Validators:          []validator.String{attribute.TextValidator{Example: "1"}},
			},
			"month": monthArgument("whose numbers are read, in the time of São Paulo"),
			"environment_type": attribute.WordFilter("Environment whose numbers are read; each has its own. Needed only where the month has invoices of several",
				einvoice.EnvironmentTypes),
			"issuer":   attribute.IssuerArgument(),
			"first":    number("Lowest number that an invoice of the month uses; null where there is none."),
			"last":     number("Highest number that an invoice of the month uses; null where there is none."),
			"used":     number("How many numbers the invoices of the month use."),
			"disabled": number("How many numbers were declared unused, from the last number of the month before up to `last`; null where the service does not list them."),
			"gaps": schema.ListNestedAttribute{
				MarkdownDescription: "Ranges of numbers that are missing, from the last number of the month before, where it has one, up to `last`; empty when all is well.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"from": number("First number that is missing."),
					"to":   number("Last number that is missing."),
				}},
			},
		},
	}
}

func (d *numberingDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config numberingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	n := &numbering{
		client: reading.Client, model: config.Model.ValueString(), series: plainSeries(config.Series.ValueString()), environment: config.EnvironmentType.ValueString(),
	}
	wanted, _ := parseMonth(config.Month.ValueString(), einvoice.SaoPaulo) // Checked by the validator.
	err := n.read(ctx, wanted)
	var several *severalEnvironmentsError
	switch {
	case errors.As(err, &several):
		resp.Diagnostics.AddAttributeError(path.Root("environment_type"), "Invoices of several environments", fmt.Sprintf(
			"In %s the series %s has invoices of the environments %s, and each has numbers of its own. Set `environment_type` to one of them.",
			config.Month.ValueString(), config.Series.ValueString(), strings.Join(several.found, " and ")))
		return
	case err != nil:
		resp.Diagnostics.Append(unread(ctx, "read the numbers", n.model, err)...)
		return
	}
	if resp.Diagnostics.Append(reading.RefuseOther()...); resp.Diagnostics.HasError() {
		return
	}
	if n.unlisted != nil {
		resp.Diagnostics.Append(notListed(n.model, n.unlisted))
	}
	config.fill(n)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// notListed warns that gaps may be none.
func notListed(model string, err error) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("disabled"), "Unused numbers are not listed", fmt.Sprintf(
		"The service does not list the numbers of %s that were declared unused (%s). So `disabled` is null, and `gaps` also has numbers that were declared unused. Compare them with the authority's list.",
		message.DocumentNames[model], message.Clause(err)))
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

// plainSeries is a series as it is compared: 001 is 1.
func plainSeries(series string) string {
	plain := strings.TrimLeft(strings.TrimSpace(series), "0")
	if plain == "" && series != "" {
		return "0"
	}
	return plain
}

// severalEnvironmentsError is of a month whose numbers are of several sequences.
type severalEnvironmentsError struct{ found []string }

func (e *severalEnvironmentsError) Error() string { return strings.Join(e.found, ", ") }

// read reads what the numbers of a month are judged by.
func (n *numbering) read(ctx context.Context, wanted months) error {
	if err := n.readInvoices(ctx, wanted.since(1), wanted); err != nil {
		return err
	}
	n.judge()
	if err := n.readDisablements(ctx); err != nil {
		return err
	}
	if len(n.gaps()) == 0 {
		return nil
	}
	return n.readInvoices(ctx, wanted.next(), wanted)
}

// readInvoices reads those of some months. Of one that is not of the wanted month
// only the number counts.
func (n *numbering) readInvoices(ctx context.Context, in, wanted months) error {
	members := []string{"number", "series", "environmentType"}
	if n.model == einvoice.ModelService {
		members = []string{"rps", "environmentType"}
	}
	var entries []entry
	environments := map[string]bool{}
	for v, err := range issued(ctx, n.client, n.model, in, members...) {
		if err != nil {
			return err
		}
		e := entry{number: n.numberOf(v), environment: string(v.EnvironmentType), inMonth: wanted.has(dateOf(v)), disabled: string(v.Status) == einvoice.StatusDisabled}
		if e.number == 0 || !e.disabled && !usesNumber(v) {
			continue
		}
		if entries = append(entries, e); e.inMonth && e.environment != "" {
			environments[e.environment] = true
		}
	}
	if n.environment == "" && len(environments) > 0 {
		var found []string
		for environment := range environments {
			found = append(found, environment)
		}
		if slices.Sort(found); len(found) > 1 {
			return &severalEnvironmentsError{found}
		}
		n.environment = found[0]
	}
	for _, e := range entries {
		if n.environment == "" || e.environment == n.environment {
			n.take(e)
		}
	}
	n.sort()
	return nil
}

// numberOf is the number of an invoice of the series; 0 for another one, and for one
// that has none yet.
func (n *numbering) numberOf(v *einvoice.Invoice) int64 {
	number, series := v.Number, v.Series
	if n.model == einvoice.ModelService {
		if v.RPS == nil {
			return 0
		}
		number, series = v.RPS.Number, v.RPS.Series
	}
	if number == nil || plainSeries(string(series)) != n.series {
		return 0
	}
	return int64(*number)
}

// usesNumber tells that an invoice uses its number, or is about to.
func usesNumber(v *einvoice.Invoice) bool {
	switch string(v.Status) {
	case einvoice.StatusCreated, einvoice.StatusRejected, einvoice.StatusRemoved, einvoice.StatusDisabled:
		return false
	}
	return true
}

// readDisablements reads the numbers that were declared unused, whenever that was.
func (n *numbering) readDisablements(ctx context.Context) error {
	const registered = "registered"
	if n.model == einvoice.ModelService {
		return nil
	}
	for v, err := range n.client.Disablements(ctx, n.model, einvoice.DisablementFilter{Status: registered}) {
		switch {
		case n.model == einvoice.ModelConsumer && (errors.Is(err, einvoice.ErrNotFound) || errors.Is(err, einvoice.ErrMethodNotAllowed)):
			n.unlisted = err // The list of NFC-e is assumed.
			return nil
		case err != nil:
			return err
		case string(v.Status) != registered || v.InitialNumber == nil || v.FinalNumber == nil || plainSeries(string(v.Series)) != n.series:
		case n.environment == "" || v.Environment == "" || string(v.Environment) == n.environment:
			n.disabled = append(n.disabled, span{int64(*v.InitialNumber), int64(*v.FinalNumber)})
		}
	}
	return nil
}
