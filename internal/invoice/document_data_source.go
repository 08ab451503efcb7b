package invoice

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

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

var _ datasource.DataSourceWithConfigure = (*documentDataSource)(nil)

// NewDocumentDataSource returns the data source einvoice_invoice_document.
func NewDocumentDataSource() datasource.DataSource { return &documentDataSource{} }

// documentDataSource downloads the printed or the signed document of an
// issued invoice. In which form the service answers is not specified; the client
// reads each that was met.
type documentDataSource struct {
	session.DataSourceBase
}

type documentModel struct {
	Model  types.String      `tfsdk:"model"`
	Issuer attribute.Spelled `tfsdk:"issuer"`
	Document
}

// Document is what the documents of issued and of inbound invoices have in common.
type Document struct {
	ID            types.String `tfsdk:"id"`
	Format        types.String `tfsdk:"format"`
	ContentBase64 types.String `tfsdk:"content_base64"`
	Content       types.String `tfsdk:"content"`
}

// The formats of a document.
const (
	formatPDF = "pdf"
	FormatXML = "xml"
)

var documentFormats = []string{formatPDF, FormatXML}

// DocumentAttributes are what the documents of issued and of inbound invoices
// share.
func DocumentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": schema.StringAttribute{
			MarkdownDescription: "Identifier of the invoice at the service (a UUID).",
			Required:            true,
			Validators:          idValidators,
		},
		"format": schema.StringAttribute{
			MarkdownDescription: "`pdf` for the printed document, `xml` for the signed one, which is what counts before the law.",
			Required:            true,
			Validators:          []validator.String{attribute.EnumValidator{Words: documentFormats}},
		},
		"content_base64": attribute.ComputedText("The document, byte for byte, in base64. This is what to save: `content_base64` of a `local_file`, for example."),
		"content":        attribute.ComputedText("The XML as text; null for a PDF, and for an XML in another encoding than UTF-8."),
	}
}

// Fill takes the content.
func (d *Document) Fill(content []byte) (diags diag.Diagnostics) {
	d.ContentBase64, d.Content = types.StringValue(base64.StdEncoding.EncodeToString(content)), types.StringNull()
	switch {
	case d.Format.ValueString() != FormatXML:
	case utf8.Valid(content):
		d.Content = types.StringValue(string(content))
	default:
		diags.AddAttributeWarning(path.Root("content"), "XML is not UTF-8",
			"The document is in another encoding, which Terraform texts cannot hold, so `content` is null. Use `content_base64`: it has the document byte for byte.")
	}
	return diags
}

func (d *documentDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_document"
}

func (d *documentDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := DocumentAttributes()
	attributes["model"], attributes["issuer"] = modelArgument, attribute.IssuerArgument()
	resp.Schema = schema.Schema{
		MarkdownDescription: "The printed document (DANFE, PDF) or the signed document (XML) of an issued invoice. It exists from the authorization on; an NFC-e in contingency " +
			"has it at once. The document is kept in state; the [ephemeral resource](../ephemeral-resources/invoice_document.md) of the same name leaves no trace there. Needs the key of the company that issued the invoice.",
		Attributes: attributes,
	}
}

func (d *documentDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config documentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(config.read(ctx, reading.Client)...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}

// read downloads the document.
func (m *documentModel) read(ctx context.Context, client *einvoice.Client) (diags diag.Diagnostics) {
	model, id := m.Model.ValueString(), m.ID.ValueString()
	content, err := client.InvoiceDocument(ctx, model, id, m.Format.ValueString())
	if err != nil {
		return unavailable(ctx, client, model, id, err)
	}
	return m.Fill(content)
}

// documentedStatuses are those of an invoice that has documents: one that was
// canceled had been authorized.
var documentedStatuses = []string{einvoice.StatusAuthorized, einvoice.StatusInContingent, einvoice.StatusCanceled}

// unavailable explains a failed download. What the service answers before the
// authorization is not specified, so the invoice itself is asked.
func unavailable(ctx context.Context, client *einvoice.Client, model, id string, failure error) diag.Diagnostics {
	if !AnsweredAboutDocument(failure) {
		return message.APIError(ctx, "read invoice document", failure, nil)
	}
	invoice, err := client.Invoice(ctx, model, id)
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return message.ReadError(ctx, message.DocumentNames[model], "id", id, err)
	case err != nil || slices.Contains(documentedStatuses, string(invoice.Status)):
		return message.APIError(ctx, "read invoice document", failure, nil)
	}
	label := message.InvoiceLabel(model, string(invoice.IntegrationID), attribute.IntOrNull(invoice.Number))
	what := ""
	switch string(invoice.Status) {
	case einvoice.StatusRejected, einvoice.StatusDenied, einvoice.StatusRemoved, einvoice.StatusDisabled:
		what = "It has no document, because it was never authorized."
	case einvoice.StatusCreated, einvoice.StatusEnqueued, einvoice.StatusReceived:
		what = "Read it again after the authorization: with `id` taken from an `einvoice_invoice_issuance`, it is read once that is settled."
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("id"), "No document yet: "+label, message.Paragraphs(
		fmt.Sprintf("The document is available after authorization, and the status of %s is %q (id %s).", label, invoice.Status, id), what))}
}

// AnsweredAboutDocument tells a failure that may be about the document from one
// of the key, the limit or the way to the service.
func AnsweredAboutDocument(err error) bool {
	var failure *einvoice.Error
	if !errors.As(err, &failure) || failure.Status == 0 {
		return false
	}
	for _, other := range []error{einvoice.ErrForbidden, einvoice.ErrUnauthorized, einvoice.ErrRateLimited, einvoice.ErrRedirect} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}
