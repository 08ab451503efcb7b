package invoice

import (
	"context"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// modelArgument is the kind of invoice that a data source reads.
var modelArgument = schema.StringAttribute{
	MarkdownDescription: "Kind of invoice: " + attribute.WordList(einvoice.Models) + ".",
	Required:            true,
	Validators:          []validator.String{attribute.EnumValidator{Words: einvoice.Models}},
}

var integrationIDForm = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,36}$`)

// IntegrationIDValidator checks the identity of an invoice.
type IntegrationIDValidator struct{}

func (IntegrationIDValidator) Description(context.Context) string {
	return "1 to 36 letters, digits and _ . : -"
}

func (v IntegrationIDValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (IntegrationIDValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if attribute.IsUnset(req.ConfigValue) || integrationIDForm.MatchString(req.ConfigValue.ValueString()) {
		return
	}
	summary, detail := attribute.InvalidValue(req, "1 to 36 letters, digits and _ . : -", "order-2026-0001")
	resp.Diagnostics.AddAttributeError(req.Path, summary, fmt.Sprintf("%s This one has %d characters.", detail, utf8.RuneCountInString(req.ConfigValue.ValueString())))
}

// CancellationReasonValidator checks what the authority wants of a reason.
type CancellationReasonValidator struct{}

func (CancellationReasonValidator) Description(context.Context) string {
	return "15 to 255 characters."
}

func (v CancellationReasonValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (CancellationReasonValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if attribute.IsUnset(req.ConfigValue) {
		return
	}
	if length := utf8.RuneCountInString(req.ConfigValue.ValueString()); length < 15 || length > 255 {
		summary, detail := attribute.InvalidValue(req, "a text of 15 to 255 characters", "Ordered twice by mistake")
		resp.Diagnostics.AddAttributeError(req.Path, summary, fmt.Sprintf("%s This one has %d.", detail, length))
	}
}
