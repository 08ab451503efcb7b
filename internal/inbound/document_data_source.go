package inbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ datasource.DataSourceWithConfigure = (*inboundInvoiceDocumentDataSource)(nil)

// NewDocumentDataSource is einvoice_inbound_invoice_document.
func NewDocumentDataSource() datasource.DataSource {
	return &inboundInvoiceDocumentDataSource{}
}

// inboundInvoiceDocumentDataSource downloads the printed or the signed document
// of an invoice issued against the company. The models have routes of their own
// and ids that are unique over both, so an id that the one does not know is
// asked of the other.
type inboundInvoiceDocumentDataSource struct {
	session.DataSourceBase
}

type inboundDocumentModel struct {
	Company attribute.Spelled `tfsdk:"company"`
	invoice.Document
}

func (d *inboundInvoiceDocumentDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_inbound_invoice_document"
}

func (d *inboundInvoiceDocumentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := invoice.DocumentAttributes()
	attributes[companyArgument] = attribute.IssuerArgument()
	resp.Schema = schema.Schema{
		MarkdownDescription: "The printed document (PDF) or the signed document (XML) of an invoice that was issued against the company, NF-e or NFS-e. Until an NF-e is complete, " +
			"after its manifestation, its XML is only the summary. The document is kept in state. Needs the key of the company that received the invoice.",
		Attributes: attributes,
	}
}

func (d *inboundInvoiceDocumentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config inboundDocumentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	d = &inboundInvoiceDocumentDataSource{reading}
	id, format := config.ID.ValueString(), config.Format.ValueString()
	document, diags := d.download(ctx, id, format)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if format == invoice.FormatXML && isSummary(document) {
		resp.Diagnostics.AddAttributeWarning(path.Root("id"), "Only the summary of an inbound invoice",
			fmt.Sprintf("The XML of invoice %s is its summary, which is not a fiscal document. The whole one comes after the manifestation of the invoice.", id))
	}
	resp.Diagnostics.Append(config.Fill(document)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// download asks for the model that knows the id. A refusal counts more than that
// one of the models does not know it.
func (d *inboundInvoiceDocumentDataSource) download(ctx context.Context, id, format string) ([]byte, diag.Diagnostics) {
	var failure error
	for _, model := range InboundModels {
		document, err := d.Client.InboundDocument(ctx, model, id, format)
		if err == nil {
			return document, nil
		}
		if !errors.Is(err, einvoice.ErrNotFound) {
			return nil, d.unavailable(ctx, id, err)
		}
		failure = cmp.Or(failure, err)
	}
	return nil, d.unavailable(ctx, id, failure)
}

// unavailable explains a failed download by the invoice itself.
func (d *inboundInvoiceDocumentDataSource) unavailable(ctx context.Context, id string, failure error) diag.Diagnostics {
	if !invoice.AnsweredAboutDocument(failure) {
		return message.APIError(ctx, "read inbound invoice document", failure, nil)
	}
	for _, model := range InboundModels {
		invoice, err := d.Client.InboundInvoice(ctx, model, id)
		if errors.Is(err, einvoice.ErrNotFound) {
			continue
		}
		if err != nil || invoice.IsComplete == nil || bool(*invoice.IsComplete) {
			return message.APIError(ctx, "read inbound invoice document", failure, nil)
		}
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("id"), "No document of an inbound invoice yet", message.Paragraphs(
			fmt.Sprintf("Invoice %s is known in summary only: its status is %q, and the status of its manifestation is %q.", id, invoice.Status, declared(invoice)),
			"The document comes after the manifestation of the invoice, `acknowledged` for example. Read it again when `is_complete` is true."))}
	}
	return message.ReadError(ctx, "inbound invoice", "id", id, einvoice.ErrNotFound)
}

// isSummary tells the authority's summary of an NF-e from the NF-e.
func isSummary(document []byte) bool {
	return bytes.Contains(document[:min(len(document), 512)], []byte("<resNFe"))
}
