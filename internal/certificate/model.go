package certificate

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
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

// fromAPI takes what the service shows, and drops what is write-only: beside an error the
// framework does not take it out of the state.
func (m *certificateModel) fromAPI(c *einvoice.Certificate) {
	m.ID = attribute.KeepID(m.ID, c.ID)
	m.PFXBase64WO, m.PasswordWO = types.StringNull(), types.StringNull()
	m.Subject = attribute.TextOrNull(c.Subject)
	m.Issuer = attribute.TextOrNull(c.Issuer)
	m.ExpiresAt = attribute.TextOrNull(c.ExpirationAt)
	m.IsActive = attribute.FlagOrNull(c.IsActive)
}

// label names the certificate in a text.
func (m *certificateModel) label() text.Text {
	return text.Of("certificate.label", text.With{
		"subject": m.Subject.ValueString(), "id": m.ID.ValueString(), "company": m.CompanyID.ValueString(),
	})
}

// isReplaced reports whether the company signs with another certificate.
func (m *certificateModel) isReplaced() bool { return m.IsActive.Equal(types.BoolValue(false)) }

// certificateFile decodes the base64 of a file. Programs break it into lines, and some omit the
// padding.
func certificateFile(text string) ([]byte, error) {
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	file, err := base64.RawStdEncoding.DecodeString(text)
	if err == nil && len(file) == 0 {
		err = errors.New("it is empty")
	}
	return file, err
}

// fileCheck checks the form of a file. It shows nothing of it.
var fileCheck = attribute.TextCheck{Rule: text.Of("rule.pfx", nil), Check: func(c attribute.Checked) {
	const pemBegin = "-----BEGIN"
	switch file, err := certificateFile(c.Text); {
	case err != nil:
		c.Error("certificate.not_base64", nil)
	case strings.HasPrefix(string(file), pemBegin):
		c.Error("certificate.pem", nil)
	}
}}

var passwordCheck = attribute.TextCheck{Rule: text.Of("rule.pfx_password", nil), Check: func(c attribute.Checked) {
	if c.Text == "" {
		c.Error("certificate.empty_password", nil)
	}
}}

// readExpiry opens a PKCS #12 file and returns when its certificate expires, to tell the service's
// certificates apart. It is zero for a file that cannot be read here: the service decides what it takes.
func readExpiry(file []byte, password string) time.Time {
	key, certificate, others, err := pkcs12.DecodeChain(file, password)
	if err != nil {
		return time.Time{}
	}
	// Some programs write the chain in another order: the certificate has the key's public half.
	for _, other := range others {
		if !belongs(key, certificate) && belongs(key, other) {
			certificate = other
		}
	}
	return certificate.NotAfter
}

func belongs(key any, certificate *x509.Certificate) bool {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return false
	}
	public, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && public.Equal(certificate.PublicKey)
}

// expiryTolerance covers ends of validity that the service gives as a day, or in another zone. A
// renewed certificate is valid for months longer.
const expiryTolerance = 48 * time.Hour

// isOther reports whether a certificate of the service ends at another time than the file.
func isOther(held *einvoice.Certificate, expires time.Time) bool {
	end, ok := einvoice.ParseTime(string(held.ExpirationAt))
	return ok && !expires.IsZero() && end.Sub(expires).Abs() > expiryTolerance
}

// among finds the certificate of the file in a list. Where several may be it, that is the only
// active one of them, and isCertain is false.
func among(listed []*einvoice.Certificate, expires time.Time) (found *einvoice.Certificate, isCertain bool) {
	listed = slices.DeleteFunc(slices.Clone(listed), func(c *einvoice.Certificate) bool { return isOther(c, expires) })
	isCertain = len(listed) == 1
	if !isCertain {
		listed = slices.DeleteFunc(listed, func(c *einvoice.Certificate) bool { return !isActive(c) })
	}
	if len(listed) != 1 {
		return nil, false
	}
	return listed[0], isCertain
}

func isActive(c *einvoice.Certificate) bool { return c.IsActive != nil && bool(*c.IsActive) }
