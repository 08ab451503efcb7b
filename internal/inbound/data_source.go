// Package inbound is the invoices that were issued against the company: data sources that
// read them, their documents and the state of the search for them, and what asks for a
// search or declares to the authority what the company says of an invoice.
package inbound

import (
	"context"
	"errors"
	"fmt"

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

// companyArgument names the company whose key acts in everything inbound: the issuer is
// the supplier there.
const companyArgument = "company"

const exampleID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

var (
	readsForCompany = session.DataSourceBase{Argument: companyArgument}
	actsForCompany  = session.DocumentActionBase{ActionBase: session.ActionBase{Argument: companyArgument}}
)

type invoiceDataModel struct {
	Company attribute.Spelled `tfsdk:"company"`
	invoiceModel
}

// NewDataSource is einvoice_inbound_invoice. Each model has an operation of its own.
func NewDataSource() datasource.DataSource {
	attributes := invoiceAttributes()
	attributes["id"] = schema.StringAttribute{
		MarkdownDescription: "Identifier of the invoice at the service (a UUID).",
		Required:            true,
		Validators:          []validator.String{attribute.TextValidator{Example: exampleID}},
	}
	attributes["model"] = schema.StringAttribute{
		MarkdownDescription: "Kind of invoice: " + attribute.WordList(InboundModels) + ".",
		Required:            true,
		Validators:          []validator.String{attribute.EnumValidator{Words: InboundModels}},
	}
	return &session.DocumentDataSource[invoiceDataModel]{
		DataSourceBase: readsForCompany, Name: "inbound_invoice", Attributes: attributes, Fill: readInvoice,
		Description: "One invoice that was issued against the company (NF-e or NFS-e). " +
			"Needs the key of the company that received it.",
	}
}

func readInvoice(ctx context.Context, reading *session.Session, m *invoiceDataModel) diag.Diagnostics {
	id, model := m.ID, m.Model
	invoice, err := reading.Client.InboundInvoice(ctx, model.ValueString(), id.ValueString())
	if errors.Is(err, einvoice.ErrNotFound) {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("id"), "Inbound invoice not "+
			"found", fmt.Sprintf(
			"The company has received no %s with id %q. Check the value, `model` and `company`: "+
				"the key must be the one of the company that received it.",
			message.DocumentNames[model.ValueString()], id.ValueString()))}
	}
	if err != nil {
		return message.APIError(ctx, "read inbound invoice", err, nil)
	}
	m.invoiceModel = invoiceFromAPI(invoice, model.ValueString())
	m.ID, m.Model = id, model
	return nil
}
