package certificate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Every text of a certificate that is not in its schema. None holds anything of
// the file or its password.

func certificateLabel(m *certificateModel) string {
	if m.Subject.IsNull() {
		return fmt.Sprintf("id %s of company %s", m.ID.ValueString(), m.CompanyID.ValueString())
	}
	return fmt.Sprintf("%q of company %s", m.Subject.ValueString(), m.CompanyID.ValueString())
}

// expiryWarning is empty while there is time enough, and for a certificate that
// another one has taken the place of.
func expiryWarning(m *certificateModel, now time.Time) diag.Diagnostics {
	left, known := m.expiry(now)
	replaced := !m.IsActive.IsNull() && !m.IsActive.ValueBool()
	if !known || replaced || left >= expirySoon {
		return nil
	}
	const what = "Without a valid one no invoice is authorized and nothing is received. Upload the new file under a new `pfx_base64_wo_version`."
	summary, happened := "Certificate has expired", fmt.Sprintf("Certificate %s ended at %s.", certificateLabel(m), m.ExpiresAt.ValueString())
	if left > 0 {
		summary = "Certificate expires soon"
		happened = fmt.Sprintf("Certificate %s ends at %s, in %s.", certificateLabel(m), m.ExpiresAt.ValueString(), days(left))
	}
	// With the company in the summary: a CLI folds warnings with the same one.
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("expires_at"), summary+": company "+m.CompanyID.ValueString(), message.Paragraphs(happened, what))}
}

func days(d time.Duration) string {
	switch n := int(d / (24 * time.Hour)); n {
	case 0:
		return "less than a day"
	case 1:
		return "1 day"
	default:
		return fmt.Sprintf("%d days", n)
	}
}

// certificateError puts the service's words on the argument that they are about.
// The parts of the upload have other names than the arguments.
func certificateError(ctx context.Context, task string, err error, schema message.PathSchema) diag.Diagnostics {
	var failure *einvoice.Error
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("company_id"), "Company not found", message.Paragraphs(message.Sentence(err.Error()),
			"Check `company_id`, and that `api_key` is the main company's: it alone reaches the certificates of companies."))}
	case !errors.As(err, &failure):
		return message.ApiError(ctx, task, err, schema)
	}
	placed := *failure
	placed.Messages = make([]einvoice.FieldMessage, 0, len(failure.Messages))
	for _, m := range failure.Messages {
		about := strings.ToLower(m.Path)
		if m.Path == "" {
			about = strings.ToLower(m.Message)
		}
		switch {
		case strings.Contains(about, "password"), strings.Contains(about, "senha"):
			m.Path = message.LastStep(pathPassword)
		case strings.Contains(about, "certificate"), strings.Contains(about, "certificado"), strings.Contains(about, "file"):
			m.Path = message.LastStep(pathPFX)
		}
		placed.Messages = append(placed.Messages, m)
	}
	return message.ApiError(ctx, task, &placed, schema)
}

// certificateAdopted is a file that the company had already.
func certificateAdopted(m *certificateModel, certain bool) diag.Diagnostic {
	text := "The service refused the file because the company has it already. Nothing was uploaded, and it was taken into state."
	if !certain {
		text += " The company has several certificates and the service does not tell which of them the file is, so the active one was taken. " +
			"Check that `subject` and `expires_at` are those of the file: an older certificate does not become active again by this."
	}
	if !m.IsActive.IsNull() && !m.IsActive.ValueBool() {
		text += " It is not the active one: the company signs with another, which was uploaded later. Make this one active in the back office if it is the one that is meant."
	}
	return diag.NewWarningDiagnostic("Adopted certificate "+certificateLabel(m), text)
}

// certificateUnidentified is a file that the company has, in a list that does
// not tell which of its certificates that is.
func certificateUnidentified(companyID string, listed []*einvoice.Certificate, refusal error) diag.Diagnostics {
	var lines []string
	for _, c := range listed {
		lines = append(lines, fmt.Sprintf("%s (%s, until %s)", c.ID, c.Subject, c.ExpirationAt))
	}
	which := "lists none"
	if len(lines) > 0 {
		which = "lists these, and which of them it is cannot be told: " + strings.Join(lines, ", ")
	}
	return message.Error("Certificate is registered and cannot be found: company "+companyID,
		"The service refused the file because the company has it already ("+strings.TrimSuffix(refusal.Error(), ".")+"), and "+which+".",
		"Make the certificate that is meant the active one in the back office, or upload another file.")
}

// certificateMistaken is an upload that the service answers with a certificate
// that is not the one of the file.
func certificateMistaken(companyID string, content certificateContent, answered *einvoice.Certificate, lookErr error) diag.Diagnostics {
	seen := "The company's list does not show that one."
	if lookErr != nil {
		seen = "Looking for that one in the company's list failed: " + message.Sentence(lookErr.Error())
	}
	return message.Error("Upload answered with another certificate: company "+companyID,
		fmt.Sprintf("The file was uploaded, and the service answered with the certificate %s (%q), which ends at %s. The one in the file (%q) ends at %s. %s",
			answered.ID, answered.Subject, answered.ExpirationAt, content.owner, content.expires.Format(time.RFC3339), seen),
		"Nothing is kept in state. Look in the back office at which certificate is active; when it is the new one run apply again, and it is adopted. Check also that the file is the new one.")
}

// certificateOfAnother is an answer whose subject has nothing of the file's.
func certificateOfAnother(m *certificateModel, content certificateContent) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Subject of the certificate differs: company "+m.CompanyID.ValueString(),
		fmt.Sprintf("The file was issued to %q, and the service calls the uploaded certificate %q. Check that it is the one that is meant.", content.owner, m.Subject.ValueString()))
}

// certificateSettled is an upload whose answer was lost, found in the list.
func certificateSettled(m *certificateModel, lost error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Adopted certificate "+certificateLabel(m),
		"The answer to its upload was lost ("+message.Sentence(lost.Error())+"). The company has exactly one certificate more than before, and it was taken into state. Nothing was sent a second time.")
}

// certificateLost is an upload whose answer was lost and that nothing is seen of.
func certificateLost(companyID string, lost, lookErr error, more int) diag.Diagnostics {
	seen := "The service lists no new certificate."
	switch {
	case lookErr != nil:
		seen = "Looking for it failed too: " + message.Sentence(lookErr.Error())
	case more > 1:
		seen = fmt.Sprintf("The service lists %d new certificates.", more)
	}
	return message.Error("Answer to an upload lost: company "+companyID,
		"The answer to the upload of a certificate was lost ("+strings.TrimSuffix(lost.Error(), ".")+"). "+seen+" Nothing was sent a second time.",
		"Run apply again: the service refuses a file that the company has already, and it is adopted then.")
}

// certificateStays tells before a destroy what it does not undo.
func certificateStays(m *certificateModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Certificate stays at the service: company "+m.CompanyID.ValueString(),
		"The service cannot delete a certificate. Certificate "+certificateLabel(m)+" is only removed from state; the company goes on signing with its active one.")
}

const certificateNoImport = "The file of a certificate and its password cannot be read from the service, so nothing could tell whether a configuration has the same one. " +
	"Create this resource with the file instead: a certificate that the company has already is adopted, and not uploaded again."
