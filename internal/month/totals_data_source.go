package month

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"math/big"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

type totalsModel struct {
	Model    types.String             `tfsdk:"model"`
	Month    types.String             `tfsdk:"month"`
	TimeZone types.String             `tfsdk:"time_zone"`
	Issuer   attribute.Spelled        `tfsdk:"issuer"`
	Count    types.Int64              `tfsdk:"invoice_count"` // count is a word of the language
	Amount   types.String             `tfsdk:"amount"`
	ByStatus map[string]subtotalModel `tfsdk:"by_status"`
}

type subtotalModel struct {
	Count  types.Int64  `tfsdk:"invoice_count"`
	Amount types.String `tfsdk:"amount"`
}

// NewTotalsDataSource is einvoice_invoice_totals. It adds up the invoices of a month and keeps
// none of them, so a month may have any number.
func NewTotalsDataSource() datasource.DataSource {
	amount := attribute.ComputedText("What they amount to, in reais, as an exact decimal such as `\"1234.50\"`.")
	return &session.DataSource[totalsModel]{
		Company: "issuer", Name: "invoice_totals", Fill: addUp,
		Description: "The number and the total amount of a company's invoices of one model in a month, overall and " +
			"by status. It counts all of them, however many there are. If it cannot read one of them, it fails and " +
			"gives no sum. Needs the key of the company that issued them.\n\nIt costs one request for each 100 " +
			"invoices. `by_status[\"authorized\"]` has the valid invoices, with returns and other incoming ones. " +
			"`invoice_count` and `amount` include every status, such as canceled and rejected invoices.",
		Attributes: map[string]schema.Attribute{
			"model": attribute.ModelArgument(einvoice.Models, ""),
			"month": monthArgument("that is added up"),
			"time_zone": schema.StringAttribute{
				MarkdownDescription: "Time zone of the company, by its name in the IANA database, for example " +
					"`America/Rio_Branco` in Acre. The month begins and ends in it, and it applies to dates without " +
					"an offset. Defaults to `" + defaultZone + "`.",
				Optional:   true,
				Computed:   true,
				Validators: []validator.String{zoneValidator},
			},
			"invoice_count": attribute.ComputedInt("Number of invoices, of every status."),
			"amount":        amount,
			"by_status": schema.MapNestedAttribute{
				MarkdownDescription: "Number and amount by status. Each " +
					"of " + attribute.WordList(einvoice.InvoiceStatuses) +
					" is always present, with `0` and `\"0.00\"` if no invoice has it. A newer status is present if " +
					"an invoice has it.",
				Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"invoice_count": attribute.ComputedInt("How many invoices have this status."),
					"amount":        amount,
				}},
			},
		},
	}
}

var zoneValidator = attribute.TextCheck{
	Rule: text.Of("rule.time_zone", nil),
	Check: func(c attribute.Checked) {
		if _, ok := zone(c.Text); !ok {
			c.Refuse(defaultZone, text.Of("rule.another_time_zone", nil))
		}
	},
}

func addUp(ctx context.Context, reading *session.Session, m *totalsModel) diag.Diagnostics {
	m.TimeZone = types.StringValue(cmp.Or(m.TimeZone.ValueString(), defaultZone))
	in, _ := zone(m.TimeZone.ValueString()) // As the month, checked by a validator.
	wanted, _ := parseMonth(m.Month.ValueString(), in)
	sums, err := add(issued(ctx, reading, m.Model.ValueString(), wanted, "amount"))
	if err != nil {
		return countError(ctx, text.Of("month.add_up", nil), m.Model.ValueString(), err)
	}
	m.fill(sums)
	return nil
}

func (m *totalsModel) fill(sums map[string]*sum) {
	all := sum{}
	m.ByStatus = map[string]subtotalModel{}
	for _, status := range einvoice.InvoiceStatuses {
		m.ByStatus[status] = (&sum{}).subtotal()
	}
	for status, s := range sums {
		all.count += s.count
		all.amount.Add(&all.amount, &s.amount)
		m.ByStatus[status] = s.subtotal()
	}
	total := all.subtotal()
	m.Count, m.Amount = total.Count, total.Amount
}

// sum is of money, so it is exact: binary fractions lose cents over a month.
type sum struct {
	count  int64
	amount big.Rat
}

func (s *sum) subtotal() subtotalModel {
	return subtotalModel{types.Int64Value(s.count), types.StringValue(decimal(&s.amount))}
}

// add adds up invoices by their status.
func add(invoices iter.Seq2[*einvoice.Invoice, error]) (map[string]*sum, error) {
	sums := map[string]*sum{}
	for v, err := range invoices {
		if err != nil {
			return nil, err
		}
		s := sums[string(v.Status)]
		if s == nil {
			s = &sum{}
			sums[string(v.Status)] = s
		}
		s.count++
		amount, ok := amountOf(v)
		switch {
		case ok:
			s.amount.Add(&s.amount, amount)
		case isDecided(v) || v.Amount != nil:
			return nil, &incompleteError{v, "amount"}
		}
	}
	return sums, nil
}

// writtenNumber is a number as JSON has it, with as many digits as money needs: nothing
// promises that a power of ten is small enough to be written out.
var writtenNumber = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$`)

// amountOf is the amount as the service wrote it, as a number or as a text.
func amountOf(v *einvoice.Invoice) (*big.Rat, bool) {
	var entry struct {
		Amount json.RawMessage `json:"amount"`
	}
	if json.Unmarshal(v.Raw, &entry) != nil {
		return nil, false
	}
	text := string(entry.Amount)
	_ = json.Unmarshal(entry.Amount, &text) // A number stays as it is written.
	if !writtenNumber.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// decimal writes an amount with all of its digits, and with cents at least.
func decimal(amount *big.Rat) string {
	digits, exact := amount.FloatPrec()
	if !exact {
		digits = 2 // A sum of decimals is one.
	}
	return amount.FloatString(max(digits, 2))
}
