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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

// NewDataSource is einvoice_invoice, one issued invoice. The read does not ask the authority.
func NewDataSource() datasource.DataSource {
	attributes := shown.Attributes(invoiceFields)
	attributes["model"] = attribute.ModelArgument(einvoice.Models, "")
	attributes["id"] = session.IDArgument(
		"Identifier of the invoice at the service (a UUID). Set this or `integration_id`.")
	attributes["integration_id"] = schema.StringAttribute{
		MarkdownDescription: "The issuer's own identifier of the invoice. Set this or `id`. " +
			"If several invoices have it, rejected ones do not count where exactly one other is left.",
		Optional:   true,
		Computed:   true,
		Validators: []validator.String{attribute.TextValidator{Max: 36, Example: "order-1024"}},
	}
	return &session.DataSource[types.Object]{
		Company: "issuer", Name: "invoice", Attributes: attributes, Fill: readInvoice,
		Description: "One issued invoice, by `id` or by `integration_id`, as the service holds it: a read " +
			"does not ask the authority. Needs the key of the company that issued it.",
		Validators: []datasource.ConfigValidator{
			datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("integration_id")),
		},
	}
}

func readInvoice(ctx context.Context, reading *session.Session, m *types.Object) (diags diag.Diagnostics) {
	config := m.Attributes()
	model, id := string(attribute.AttrText(config["model"])), attribute.AttrText(config["id"])
	integrationID, found := attribute.AttrText(config["integration_id"]), string(id)
	if found == "" {
		found, diags = findByIntegrationID(ctx, reading.Client, model, string(integrationID))
		if diags.HasError() {
			return diags
		}
	}
	v, err := reading.Client.Invoice(ctx, model, found) // A list may lag; the read by id is current.
	if errors.Is(err, einvoice.ErrNotFound) {
		return invoiceNotFound(model, "id", found)
	}
	if err != nil {
		return message.APIError(ctx, "read invoice", err, nil)
	}
	v.ID, v.IntegrationID = cmp.Or(id, v.ID), cmp.Or(v.IntegrationID, integrationID)
	v.Model = einvoice.Enum(model)
	*m = invoiceFields(v).Into(ctx, *m)
	return nil
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
		return "", invoiceNotFound(model, "integration_id", integrationID)
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
func invoiceNotFound(model, key, value string) diag.Diagnostics {
	return message.ErrorAt(key, "Invoice not found", fmt.Sprintf(
		"No invoice has %s %q among those of the model %s (%s). Check both, and that `api_key` is the key of the "+
			"company that issued it.",
		key, value, model, message.DocumentNames[model]))
}
