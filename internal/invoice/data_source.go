package invoice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
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

var (
	_ datasource.DataSourceWithConfigure        = (*dataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*dataSource)(nil)
)

// NewDataSource returns the data source einvoice_invoice.
func NewDataSource() datasource.DataSource { return &dataSource{} }

// dataSource reads one issued invoice. The read does not ask the authority.
type dataSource struct {
	session.DataSourceBase
}

func (d *dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoice"
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := attributesOf(invoiceFields)
	attributes["model"] = modelArgument
	attributes["issuer"] = attribute.IssuerArgument()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the invoice at the service (a UUID). Set this or `integration_id`.",
		Optional:            true,
		Computed:            true,
		Validators:          idValidators,
	}
	attributes["integration_id"] = schema.StringAttribute{
		MarkdownDescription: "The issuer's own identifier of the invoice. Set this or `id`. If several invoices have " +
			"it, rejected ones are ignored, and exactly one must remain.",
		Optional:   true,
		Computed:   true,
		Validators: []validator.String{attribute.TextValidator{Max: 36, Example: "order-1024"}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One issued invoice, by `id` or by `integration_id`, as the service holds it: a read " +
			"does not ask the authority. Needs the key of the company that issued it.",
		Attributes: attributes,
	}
}

func (d *dataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{
		datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("integration_id")),
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model, id, integrationID types.String
	var issuer attribute.Spelled
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("model"), &model)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("id"), &id)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("integration_id"), &integrationID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("issuer"), &issuer)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	found := id.ValueString()
	if id.IsNull() {
		found, diags = findByIntegrationID(ctx, reading.Client, model.ValueString(), integrationID.ValueString())
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
	}
	v, err := reading.Client.Invoice(ctx, model.ValueString(), found) // A list may lag; the read by id is current.
	if errors.Is(err, einvoice.ErrNotFound) {
		resp.Diagnostics.Append(invoiceNotFound(model.ValueString(), "id", found))
		return
	}
	if err != nil {
		resp.Diagnostics.Append(message.APIError(ctx, "read invoice", err, nil)...)
		return
	}
	v.ID = cmp.Or(einvoice.Text(id.ValueString()), v.ID)
	v.IntegrationID = cmp.Or(v.IntegrationID, einvoice.Text(integrationID.ValueString()))
	v.Model = einvoice.Enum(model.ValueString())
	resp.Diagnostics.Append(reading.RefuseOther()...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("issuer"), issuer)...)
	for name, field := range invoiceFields(v) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), field.value)...)
	}
}

// findByIntegrationID finds the id of the invoice in the list.
func findByIntegrationID(
	ctx context.Context, client *einvoice.Client, model, integrationID string,
) (string, diag.Diagnostics) {
	list := client.Invoices(ctx, model, einvoice.InvoiceFilter{IntegrationID: integrationID})
	found, err := einvoice.Matching(list, func(v *einvoice.Invoice) bool {
		return string(v.IntegrationID) == integrationID
	})
	if err != nil {
		return "", message.APIError(ctx, "read invoice", err, nil)
	}
	if len(found) == 0 {
		return "", diag.Diagnostics{invoiceNotFound(model, "integration_id", integrationID)}
	}
	candidates := found
	if len(found) > 1 { // A service that does not merge keeps rejected ones beside the one that was sent again.
		candidates = slices.DeleteFunc(slices.Clone(found), func(v *einvoice.Invoice) bool {
			return string(v.Status) == einvoice.StatusRejected
		})
	}
	if len(candidates) == 1 {
		return string(candidates[0].ID), nil
	}
	idAndStatus := func(v *einvoice.Invoice) einvoice.Text { return v.ID + " (" + einvoice.Text(v.Status) + ")" }
	return "", message.ExactlyOne(found, idAndStatus, "invoice", "integration_id", integrationID)
}

// invoiceNotFound names the model too: each has a list of its own.
func invoiceNotFound(model, key, value string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(key), "Invoice not found", fmt.Sprintf(
		"No invoice has %s %q among those of the model %s (%s). Check both, and that `api_key` is the key of the "+
			"company that issued it.",
		key, value, model, message.DocumentNames[model]))
}
