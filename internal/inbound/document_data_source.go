package inbound

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/invoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type documentModel struct {
	Company attribute.Spelled `tfsdk:"company"`
	invoice.Document
}

// NewDocumentDataSource is einvoice_inbound_invoice_document. The models have operations
// of their own and ids that are unique over both.
func NewDocumentDataSource() datasource.DataSource {
	return &session.DocumentDataSource[documentModel]{
		DataSourceBase: readsForCompany, Name: "inbound_invoice_document",
		Description: "The printed document (PDF) or the signed document (XML) of an invoice that was issued against " +
			"the company, NF-e or NFS-e. Until an NF-e is complete, after its manifestation, its XML is only the " +
			"summary. The document is kept in state. Needs the key of the company that received the invoice.",
		Attributes: invoice.DocumentAttributes(),
		Fill: func(ctx context.Context, reading *session.Session, m *documentModel) diag.Diagnostics {
			document, diags := download(ctx, reading.Client, m.ID.ValueString(), m.Format.ValueString())
			if diags.HasError() {
				return diags
			}
			if m.Format.ValueString() == invoice.FormatXML && isSummary(document) {
				diags.AddAttributeWarning(path.Root("id"), "Only the summary of an inbound invoice", fmt.Sprintf(
					"The XML of invoice %s is its summary, which is not a fiscal document. "+
						"The complete one comes after the manifestation of the invoice.", m.ID.ValueString()))
			}
			return append(diags, m.Document.Fill(document)...)
		},
	}
}

// download asks for the document of each model. A refusal counts more than that one of
// the models does not know the id.
func download(ctx context.Context, client *einvoice.Client, id, format string) ([]byte, diag.Diagnostics) {
	var failure error
	for _, model := range InboundModels {
		document, err := client.InboundDocument(ctx, model, id, format)
		if err == nil {
			return document, nil
		}
		failure = cmp.Or(failure, err)
		if !errors.Is(err, einvoice.ErrNotFound) {
			failure = err
			break
		}
	}
	return nil, unavailable(ctx, client, id, failure)
}

// unavailable explains a failed download by the invoice itself.
func unavailable(ctx context.Context, client *einvoice.Client, id string, failure error) diag.Diagnostics {
	refused := message.APIError(ctx, "read inbound invoice document", failure, nil)
	if !invoice.AnsweredAboutDocument(failure) {
		return refused
	}
	for _, model := range InboundModels {
		held, err := client.InboundInvoice(ctx, model, id)
		switch {
		case errors.Is(err, einvoice.ErrNotFound):
			continue
		case err != nil, held.IsComplete == nil, bool(*held.IsComplete):
			return refused
		}
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("id"), "No document of an inbound invoice "+
			"yet",
			message.Paragraphs(
				fmt.Sprintf("The service has only the summary of invoice %s: its status is %q, and the status of its "+
					"manifestation is %q.", id, held.Status, declared(held)),
				"The document comes after the manifestation of the invoice, for example `acknowledged`. "+
					"Read it again when `is_complete` is true."))}
	}
	return message.ReadError(ctx, "inbound invoice", "id", id, einvoice.ErrNotFound)
}

// isSummary reports whether a document is the authority's summary of an NF-e.
func isSummary(document []byte) bool {
	return bytes.Contains(document[:min(len(document), 512)], []byte("<resNFe"))
}
