package certificate

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

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

// expirySoon is how much validity has to be left for silence.
const expirySoon = 30 * 24 * time.Hour

// expiry tells how long a certificate is still valid, where the service tells
// when it ends.
func (m *certificateModel) expiry(now time.Time) (left time.Duration, known bool) {
	end, ok := attribute.ParseDateTime(m.ExpiresAt.ValueString())
	return end.Sub(now), ok
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

// certificateFileValidator checks what can be told from the outside. It never
// shows anything of the value.
type certificateFileValidator struct{}

const certificateFileRule = "a PKCS #12 file (.pfx or .p12) in base64"

func (certificateFileValidator) Description(context.Context) string { return certificateFileRule + "." }

func (v certificateFileValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (certificateFileValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if attribute.IsUnset(req.ConfigValue) {
		return
	}
	const example = "for example `filebase64(\"certificate.pfx\")`. (Its value is not shown.)"
	file, err := certificateFile(req.ConfigValue.ValueString())
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(req.Path, "Certificate is not base64",
			"`"+req.Path.String()+"` is empty or not base64. It must be "+certificateFileRule+", "+example)
	case slices.Equal(file[:min(len(file), len(pemBegin))], []byte(pemBegin)):
		resp.Diagnostics.AddAttributeError(req.Path, "Certificate is not a PKCS #12 file",
			"`"+req.Path.String()+"` holds PEM text. It must be "+certificateFileRule+", with the private key in it: `openssl pkcs12 -export` makes one from PEM files.")
	case file[0] != derSequence:
		resp.Diagnostics.AddAttributeWarning(req.Path, "Certificate does not look like a PKCS #12 file",
			"`"+req.Path.String()+"` must be "+certificateFileRule+", and its first byte is not that of one. Perhaps it was encoded twice. The service decides.")
	}
}

// certificatePasswordValidator refuses an empty password, and shows nothing of
// any.
type certificatePasswordValidator struct{}

const emptyPassword = "`password_wo` is empty. It must be the password that opens the certificate file."

func (certificatePasswordValidator) Description(context.Context) string {
	return "The password that opens the file."
}

func (v certificatePasswordValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (certificatePasswordValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !attribute.IsUnset(req.ConfigValue) && req.ConfigValue.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Empty password", emptyPassword)
	}
}

const (
	pemBegin    = "-----BEGIN"
	derSequence = 0x30 // Every PKCS #12 file begins with it.
)
