package certificate

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

type certificateModel struct {
	ID                 types.String `tfsdk:"id"`
	CompanyID          types.String `tfsdk:"company_id"`
	PFXBase64WO        types.String `tfsdk:"pfx_base64_wo"`
	PasswordWO         types.String `tfsdk:"password_wo"`
	PFXBase64WOVersion types.String `tfsdk:"pfx_base64_wo_version"`
	Subject            types.String `tfsdk:"subject"`
	Issuer             types.String `tfsdk:"issuer"`
	ExpiresAt          types.String `tfsdk:"expires_at"`
	IsActive           types.Bool   `tfsdk:"is_active"`
}

var (
	pathPFX      = path.Root("pfx_base64_wo")
	pathPassword = path.Root("password_wo")
)

// fromAPI takes what the service shows. What is write-only stays null: nothing
// of it may come into state, not even beside an error, where the framework does
// not take it out.
func (m *certificateModel) fromAPI(c *einvoice.Certificate) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	m.PFXBase64WO, m.PasswordWO = types.StringNull(), types.StringNull()
	m.Subject = attribute.TextOrNull(c.Subject)
	m.Issuer = attribute.TextOrNull(c.Issuer)
	m.ExpiresAt = attribute.TextOrNull(c.ExpirationAt)
	m.IsActive = attribute.FlagOrNull(c.IsActive)
}

// label names the certificate in a text.
func (m *certificateModel) label() string {
	if m.Subject.IsNull() {
		return fmt.Sprintf("id %s of company %s", m.ID.ValueString(), m.CompanyID.ValueString())
	}
	return fmt.Sprintf("%q of company %s", m.Subject.ValueString(), m.CompanyID.ValueString())
}

// isReplaced tells that the company signs with another certificate.
func (m *certificateModel) isReplaced() bool {
	return !m.IsActive.IsNull() && !m.IsActive.ValueBool()
}

// certificateFile decodes the base64 of a file. Programs break it into lines,
// and some leave out the padding.
func certificateFile(text string) ([]byte, error) {
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	file, err := base64.RawStdEncoding.DecodeString(text)
	if err == nil && len(file) == 0 {
		err = errors.New("it is empty")
	}
	return file, err
}

// check is the rule of a write-only argument. Create asks it again, because a
// value that is unknown while planning is not validated then.
type check struct {
	rule  string
	apply func(value string) diag.Diagnostics
}

func (c check) Description(context.Context) string { return c.rule }

func (c check) MarkdownDescription(context.Context) string { return c.rule }

func (c check) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !attribute.IsUnset(req.ConfigValue) {
		resp.Diagnostics.Append(c.apply(req.ConfigValue.ValueString())...)
	}
}

const pemBegin = "-----BEGIN"

// fileCheck checks what a file shows from the outside.
var fileCheck = check{rule: "A PKCS #12 file (.pfx or .p12) in base64.", apply: func(value string) diag.Diagnostics {
	const derSequence = 0x30 // Every PKCS #12 file begins with it.
	var diags diag.Diagnostics
	switch file, err := certificateFile(value); {
	case err != nil:
		diags.AddAttributeError(pathPFX, "Certificate is not base64", wrongFile+"is empty or not base64. "+rightFile+", for example `filebase64(\"certificate.pfx\")`. (Its value is not shown.)")
	case strings.HasPrefix(string(file), pemBegin):
		diags.AddAttributeError(pathPFX, "Certificate is not a PKCS #12 file", wrongFile+"holds PEM text. "+rightFile+", with the private key in it: `openssl pkcs12 -export` makes one from PEM files.")
	case file[0] != derSequence:
		diags.AddAttributeWarning(pathPFX, "Certificate does not look like a PKCS #12 file", wrongFile+"does not begin as such a file does. "+rightFile+". Perhaps it was encoded twice. The service decides.")
	}
	return diags
}}

const (
	wrongFile = "`pfx_base64_wo` "
	rightFile = "It must be a PKCS #12 file (.pfx or .p12) in base64"
)

var passwordCheck = check{rule: "The password that opens the file.", apply: func(value string) diag.Diagnostics {
	var diags diag.Diagnostics
	if value == "" {
		diags.AddAttributeError(pathPassword, "Empty password", "`password_wo` is empty. It must be the password that opens the certificate file.")
	}
	return diags
}}
