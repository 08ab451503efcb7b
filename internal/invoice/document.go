package invoice

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/issuance"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*documentEphemeral)(nil)

// NewDocumentEphemeral returns the ephemeral resource einvoice_invoice_document.
func NewDocumentEphemeral() ephemeral.EphemeralResource { return &documentEphemeral{} }

// documentEphemeral is the document without a trace in state. A CLI opens it while planning and
// again while applying, so Open only reads. It opens it in apply alone while an argument is
// not known yet.
type documentEphemeral struct {
	*session.Session
}

type documentModel struct {
	Model             types.String      `tfsdk:"model"`
	Issuer            attribute.Spelled `tfsdk:"issuer"`
	CorrectionEventID types.String      `tfsdk:"correction_event_id"`
	issuance.Document
}

// preview is the format of the PDF of a draft.
const preview = "preview"

func documentAttributes() map[string]schema.Attribute {
	attributes := issuance.DocumentAttributes()
	attributes["model"] = attribute.ModelArgument(einvoice.Models, "")
	attributes["correction_event_id"] = schema.StringAttribute{
		MarkdownDescription: "`event_id` of a correction letter (carta de correção), to read the letter's document. " +
			"NF-e only.",
		Optional: true,
	}
	attributes["format"] = schema.StringAttribute{
		MarkdownDescription: "`pdf` for the printed document, `xml` for the signed one, which is the legal document. " +
			"`preview` is the PDF of a draft, without fiscal value: no source shows its path, so `operations` of the " +
			"provider has to name `preview_invoice`.",
		Required:   true,
		Validators: []validator.String{attribute.EnumValidator{Words: []string{"pdf", issuance.FormatXML, preview}}},
	}
	return attributes
}

const documentAvailable = "It exists once the invoice is authorized, and for an NFC-e in contingency at once. "

// NewDocumentDataSource is einvoice_invoice_document, the printed or the signed document of an issued
// invoice. Nobody specifies the form of the response; the client reads each that was met.
func NewDocumentDataSource() datasource.DataSource {
	return &session.DataSource[documentModel]{
		Company: "issuer", Name: "invoice_document", Attributes: documentAttributes(),
		Description: "The printed document (DANFE, PDF) or the signed document (XML) of an issued invoice. " +
			documentAvailable + "The state keeps the document. To keep it out of the state, use the " +
			"[ephemeral resource](../ephemeral-resources/invoice_document.md) of the same name. " +
			"Needs the key of the company that issued the invoice.",
		Fill: func(ctx context.Context, reading *session.Session, m *documentModel) diag.Diagnostics {
			return m.read(ctx, reading.Client)
		},
	}
}

func (e *documentEphemeral) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_document"
}

func (e *documentEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	read, attributes := documentAttributes(), map[string]ephemeralschema.Attribute{}
	read["issuer"] = attribute.IssuerArgument()
	read["content_base64"] = attribute.ComputedText(issuance.DocumentContentDescription)
	for name, a := range read {
		text, _ := a.(schema.StringAttribute) // Each is one.
		attributes[name] = ephemeralschema.StringAttribute(text)
	}
	resp.Schema = ephemeralschema.Schema{
		MarkdownDescription: "Reads the printed document (DANFE, PDF) or the signed document (XML) of an issued " +
			"invoice, which names the customer and what was bought. No state and no plan contains it: pass it to a " +
			"write-only argument, as in the example. " + documentAvailable +
			"The provider reads it in each plan and again in each apply. Needs the key of the company that issued " +
			"the invoice. The [data source](../data-sources/invoice_document.md) of the same name keeps it in " +
			"state.\n\nNeeds Terraform 1.10 or later, or OpenTofu 1.11 or later; write-only arguments need Terraform " +
			"1.11.",
		Attributes: attributes,
	}
}

func (e *documentEphemeral) Configure(
	ctx context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse,
) {
	e.Session = session.From(ctx, req.ProviderData, &resp.Diagnostics)
}

// Open fails while the provider configuration is unknown, as that of einvoice_webhook_secret
// does.
func (e *documentEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var config documentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := e.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(config.read(ctx, reading.Client)...); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Result.Set(ctx, config)...)
	}
}

// read downloads the document.
func (m *documentModel) read(ctx context.Context, client *einvoice.Client) diag.Diagnostics {
	model, id := m.Model.ValueString(), m.ID.ValueString()
	if m.Format.ValueString() == preview && !client.IsNamed("preview_invoice") {
		return say.ErrorAt(ctx, path.Root("format"), "invoice.no_preview", text.With{
			"missing": message.MissingOperation("preview_invoice"),
		})
	}
	content, err := client.InvoiceDocument(ctx, model, id, m.Format.ValueString(), m.CorrectionEventID.ValueString())
	if err != nil {
		return documentUnavailable(ctx, client, model, id, err)
	}
	m.Fill(content)
	return nil
}

// documentUnavailable explains a failed download by the invoice itself. Nobody specifies
// the response before the authorization.
func documentUnavailable(
	ctx context.Context, client *einvoice.Client, model, id string, failure error,
) diag.Diagnostics {
	unexplained := message.APIError(ctx, message.Task("read", "invoice_document"), failure, nil)
	if !issuance.AnsweredAboutDocument(failure) {
		return unexplained
	}
	v, err := client.Invoice(ctx, model, id)
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return message.ReadError(ctx, message.DocumentNames[model], "id", id, err)
	case err != nil || v.Meaning().Documents == einvoice.DocumentsNow:
		return unexplained
	}
	return say.ErrorAt(ctx, path.Root("id"), "invoice.no_document", text.With{
		"label": message.InvoiceLabel(model, string(v.IntegrationID), attribute.IntOrNull(v.Number)),
		"id":    id, "status": string(v.Status), // Of a newer status, nobody knows what comes next.
		"never": v.Meaning().Documents == einvoice.DocumentsNever,
		"later": v.Meaning().Documents == einvoice.DocumentsLater,
	})
}
