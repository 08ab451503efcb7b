package issuance

import (
	"encoding/base64"
	"errors"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Document is what the documents of issued and of inbound invoices have in common.
type Document struct {
	ID            types.String `tfsdk:"id"`
	Format        types.String `tfsdk:"format"`
	ContentBase64 types.String `tfsdk:"content_base64"`
	Content       types.String `tfsdk:"content"`
}

// FormatXML is the format of the signed document.
const FormatXML = "xml"

var documentFormats = []string{"pdf", FormatXML}

// DocumentContentDescription describes content_base64.
const DocumentContentDescription = "The document, byte for byte, in base64."

// DocumentAttributes are what the documents of issued and of inbound invoices share.
func DocumentAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id": attribute.RequiredText("Identifier of the invoice at the service (a UUID)."),
		"format": schema.StringAttribute{
			MarkdownDescription: "`pdf` for the printed document, `xml` for the signed one, which is the " +
				"legal document.",
			Required:   true,
			Validators: []validator.String{attribute.EnumValidator{Words: documentFormats}},
		},
		"content_base64": attribute.ComputedText(DocumentContentDescription +
			" Save this, for example as `content_base64` of a `local_file`."),
		"content": attribute.ComputedText("The XML as text; null for a PDF, and for an XML in another encoding " +
			"than UTF-8."),
	}
}

// Fill takes the content, which is text where it is UTF-8: Terraform holds no other.
func (d *Document) Fill(content []byte) {
	d.ContentBase64, d.Content = types.StringValue(base64.StdEncoding.EncodeToString(content)), types.StringNull()
	if d.Format.ValueString() == FormatXML && utf8.Valid(content) {
		d.Content = types.StringValue(string(content))
	}
}

// AnsweredAboutDocument reports whether a failure may be about the document, and not about
// the key, the limit or the way to the service.
func AnsweredAboutDocument(err error) bool {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	isOther := errors.Is(err, einvoice.ErrForbidden) || errors.Is(err, einvoice.ErrUnauthorized) ||
		errors.Is(err, einvoice.ErrRateLimited) || errors.Is(err, einvoice.ErrRedirect)
	return isAnswer && failure.Status != 0 && !isOther
}
