package invoice

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

var _ ephemeral.EphemeralResourceWithConfigure = (*documentEphemeral)(nil)

// NewDocumentEphemeral returns the ephemeral resource einvoice_invoice_document.
func NewDocumentEphemeral() ephemeral.EphemeralResource { return &documentEphemeral{} }

// documentEphemeral is the data source of that name without a trace in state.
// A CLI opens it while planning and again while applying, so Open only reads; while
// an argument is not known yet, it opens it in apply alone.
type documentEphemeral struct {
	*session.Session
}

func (e *documentEphemeral) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "einvoice_invoice_document"
}

func (e *documentEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	computed := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	issuer := attribute.IssuerArgument()
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the printed document (DANFE, PDF) or the signed document (XML) of an issued invoice, which names the customer and what was bought. " +
			"It reaches neither state nor plan; hand it to a write-only argument, as in the example. It exists from the authorization on; an NFC-e in contingency has it at once. " +
			"It is read in plan and again in apply. Needs the key of the company that issued the invoice. The [data source](../data-sources/invoice_document.md) of the same name keeps it in state.\n\n" +
			"Needs Terraform 1.10 or later, or OpenTofu 1.11 or later; write-only arguments need Terraform 1.11.",
		Attributes: map[string]schema.Attribute{
			"model": schema.StringAttribute{MarkdownDescription: modelArgument.MarkdownDescription, Required: true, Validators: modelArgument.Validators},
			"id": schema.StringAttribute{
				MarkdownDescription: "Identifier of the invoice at the service (a UUID).",
				Required:            true,
				Validators:          idValidators,
			},
			"issuer": schema.StringAttribute{MarkdownDescription: issuer.MarkdownDescription, CustomType: issuer.CustomType, Optional: true, Validators: issuer.Validators},
			"format": schema.StringAttribute{
				MarkdownDescription: "`pdf` for the printed document, `xml` for the signed one, which is what counts before the law.",
				Required:            true,
				Validators:          []validator.String{attribute.EnumValidator{Words: documentFormats}},
			},
			"content_base64": computed("The document, byte for byte, in base64."),
			"content":        computed("The XML as text; null for a PDF, and for an XML in another encoding than UTF-8."),
		},
	}
}

func (e *documentEphemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	e.Session = session.From(req.ProviderData, &resp.Diagnostics)
}

// Open fails while the provider configuration is unknown, as that of
// einvoice_webhook_secret does.
func (e *documentEphemeral) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var config documentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	reading, diags := (&session.DataSourceBase{Session: e.Session}).Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(config.read(ctx, reading.Client)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Result.Set(ctx, config)...)
	}
}
