package invoice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var (
	_ datasource.DataSourceWithConfigure        = (*dataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*dataSource)(nil)
)

// NewDataSource returns the data source einvoice_invoice.
func NewDataSource() datasource.DataSource { return &dataSource{} }

// dataSource reads one issued invoice. The read does not ask the
// authority.
type dataSource struct {
	session.DataSourceBase
}

type dataModel struct {
	invoiceModel
	Issuer attribute.Spelled `tfsdk:"issuer"`
}

func (d *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoice"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := invoiceAttributes()
	attributes["model"] = modelArgument
	attributes["issuer"] = attribute.IssuerArgument()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the invoice at the service (a UUID). Set this or `integration_id`.",
		Optional:            true,
		Computed:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: "7c9e6679-7425-40de-944b-e07fc1f90ae7"}},
	}
	attributes["integration_id"] = schema.StringAttribute{
		MarkdownDescription: "The issuer's own identifier of the invoice. Set this or `id`. " +
			"If several invoices have it, rejected ones do not count where exactly one other is left.",
		Optional:   true,
		Computed:   true,
		Validators: []validator.String{attribute.TextValidator{Max: 36, Example: "order-1024"}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One issued invoice, by `id` or by `integration_id`, as the service holds it: reading does not ask the authority. Needs the key of the company that issued it.",
		Attributes:          attributes,
	}
}

func (d *dataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("integration_id")),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config dataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	d = &dataSource{reading}
	model, id := config.Model.ValueString(), config.ID.ValueString()
	if config.ID.IsNull() {
		found, diags := d.findByIntegrationID(ctx, model, config.IntegrationID.ValueString())
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		id = string(found.ID) // A list may lag; the read by id is current.
	}
	invoice, err := d.Client.Invoice(ctx, model, id)
	if errors.Is(err, einvoice.ErrNotFound) {
		resp.Diagnostics.Append(invoiceNotFound(model, "id", id))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read invoice", err, nil)...)
		return
	}
	state := invoiceFromAPI(invoice, model)
	state.Model = config.Model
	if !config.ID.IsNull() {
		state.ID = config.ID
	}
	if state.IntegrationID.IsNull() {
		state.IntegrationID = config.IntegrationID
	}
	resp.Diagnostics.Append(d.RefuseOther()...)
	resp.Diagnostics.Append(resp.State.Set(ctx, dataModel{state, config.Issuer})...)
}

func (d *dataSource) findByIntegrationID(ctx context.Context, model, integrationID string) (*einvoice.Invoice, diag.Diagnostics) {
	list := d.Client.Invoices(ctx, model, einvoice.InvoiceFilter{IntegrationID: integrationID})
	found, err := einvoice.Matching(list, func(v *einvoice.Invoice) bool { return string(v.IntegrationID) == integrationID })
	if err != nil {
		return nil, message.APIError(ctx, "read invoice", err, nil)
	}
	if invoice := theOne(found); invoice != nil {
		return invoice, nil
	}
	if len(found) == 0 {
		return nil, diag.Diagnostics{invoiceNotFound(model, "integration_id", integrationID)}
	}
	return nil, severalInvoices(integrationID, found)
}

// theOne chooses among invoices with one integration_id: a service that does
// not merge by it keeps the rejected ones beside the one that was sent again.
func theOne(found []*einvoice.Invoice) *einvoice.Invoice {
	if len(found) > 1 {
		found = slices.DeleteFunc(slices.Clone(found), func(v *einvoice.Invoice) bool { return string(v.Status) == einvoice.StatusRejected })
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

func severalInvoices(integrationID string, found []*einvoice.Invoice) diag.Diagnostics {
	var lines []string
	for _, v := range found {
		lines = append(lines, fmt.Sprintf("%s (%s)", v.ID, v.Status))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("integration_id"), "Invoice is not the only one",
		fmt.Sprintf("%d invoices have integration_id %q. Use `id` to choose one: %s.", len(found), integrationID, strings.Join(lines, ", ")))}
}

// invoiceNotFound names the model too: each has a list of its own.
func invoiceNotFound(model, key, value string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(key), "Invoice not found",
		fmt.Sprintf("No invoice has %s %q among those of the model %s (%s). Check both, and that `api_key` is the key of the company that issued it.", key, value, model, message.DocumentNames[model]))
}
