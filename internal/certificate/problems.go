package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The texts of a certificate. None holds anything of the file or its password.

// warning names the company in the summary, because a CLI folds warnings with equal summaries.
func warning(summary, companyID, detail string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(summary+": company "+companyID, detail)
}

// expiryWarning is empty for a certificate that is valid for long enough, or that the company does
// not sign with any more.
func expiryWarning(m *certificateModel, now time.Time) diag.Diagnostics {
	const soon = 30 * 24 * time.Hour
	end, known := einvoice.ParseTime(m.ExpiresAt.ValueString())
	left := end.Sub(now)
	if !known || m.isReplaced() || left >= soon {
		return nil
	}
	summary, happened := "Certificate has expired", "ended at "+m.ExpiresAt.ValueString()
	if left > 0 {
		summary, happened = "Certificate expires soon", "ends at "+m.ExpiresAt.ValueString()+", in "+inDays(left)
	}
	warned := warning(summary, m.CompanyID.ValueString(), message.Paragraphs(
		"Certificate "+m.label()+" "+happened+".",
		"Without a valid certificate, no invoice is authorized and no inbound invoice is received. "+
			"Upload the new file under a new `pfx_base64_wo_version`."))
	return diag.Diagnostics{diag.WithPath(path.Root("expires_at"), warned)}
}

func inDays(d time.Duration) string {
	switch days := wholeDays(d); days {
	case 0:
		return "less than a day"
	case 1:
		return "1 day"
	default:
		return fmt.Sprintf("%d days", days)
	}
}

var (
	aboutPassword = regexp.MustCompile(`(?i)password|senha`)
	aboutFile     = regexp.MustCompile(`(?i)certificate|certificado|file`)
)

// requestError puts each of the service's messages on the argument that it is about. The parts of
// the upload have other names than the arguments.
func requestError(
	ctx context.Context, task, companyID string, err error, schema message.PathSchema,
) diag.Diagnostics {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	switch {
	case errors.Is(err, einvoice.ErrNotFound):
		return message.CompanyNotFound(ctx, companyID, err)
	case !isAnswer:
		return message.APIError(ctx, task, err, schema)
	}
	placed := *failure
	placed.Messages = make([]einvoice.FieldMessage, 0, len(failure.Messages))
	for _, m := range failure.Messages {
		about := cmp.Or(m.Path, m.Message)
		switch {
		case aboutPassword.MatchString(about):
			m.Path = message.LastStep(pathPassword)
		case aboutFile.MatchString(about):
			m.Path = message.LastStep(pathPFX)
		}
		placed.Messages = append(placed.Messages, m)
	}
	return message.APIError(ctx, task, &placed, schema)
}

// adoptedRegistered is about a file that the company had already.
func adoptedRegistered(m *certificateModel, isCertain bool) diag.Diagnostic {
	text := "The company has this file already, so the service refused it. " +
		"Nothing was uploaded, and the certificate was taken into state."
	if !isCertain {
		text += " The company has several certificates, and the service does not say which one is in the file, " +
			"so the provider adopted the active one. Check that `subject` and `expires_at` are those of the file: " +
			"uploading an older certificate again does not make it active."
	}
	if m.isReplaced() {
		text += " It is not the active one: the company signs with another, which was uploaded later. " +
			"To sign with this one, make it active in the back office."
	}
	return diag.NewWarningDiagnostic("Adopted certificate "+m.label(), text)
}

// registeredNotFound is about a file that the company has, while its list does not show which of
// its certificates that is.
func registeredNotFound(companyID string, listed []*einvoice.Certificate, refusal error) diag.Diagnostics {
	seen := "The company's list of certificates is empty."
	if len(listed) > 0 {
		var lines []string
		for _, c := range listed {
			lines = append(lines, fmt.Sprintf("%s (%s, until %s)", c.ID, c.Subject, c.ExpirationAt))
		}
		seen = "Its list does not show which of these certificates is in the file: " + strings.Join(lines, ", ") + "."
	}
	return message.Error("Certificate is registered and cannot be found: company "+companyID,
		"The service refused the file because the company has it already ("+message.Cause(refusal)+"). "+seen,
		"Make the certificate of the file active in the back office and run apply again, or upload another file.")
}

// adoptedAfterLostAnswer is about an upload that was found in the list.
func adoptedAfterLostAnswer(m *certificateModel, lost error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Adopted certificate "+m.label(),
		"The response to its upload was lost ("+message.Cause(lost)+"). The company has exactly one certificate more "+
			"than before, and this one was taken into state. Nothing was sent a second time.")
}

// uploadLost is about an upload that was not found in the list.
func uploadLost(companyID string, lost, lookErr error, more int) diag.Diagnostics {
	seen := "The service lists no new certificate."
	switch {
	case lookErr != nil:
		seen = "Looking for it failed too: " + message.Cause(lookErr)
	case more > 1:
		seen = fmt.Sprintf("The service lists %d new certificates.", more)
	}
	return message.Error("Response to an upload lost: company "+companyID,
		"The response to the upload of a certificate was lost ("+message.Cause(lost)+"). "+seen+
			" Nothing was sent a second time.",
		"Run apply again: the service refuses a file that the company has already, and then it is adopted.")
}

// staysAtService says before a destroy what it does not undo.
func staysAtService(m *certificateModel) diag.Diagnostic {
	return warning("Certificate stays at the service", m.CompanyID.ValueString(),
		"The service cannot delete a certificate. Certificate "+m.label()+" is only removed from state. "+
			"If the company stays, it continues to sign with its active certificate.")
}

const noImport = "The service does not give back the file of a certificate and its password, so an import cannot " +
	"compare them with the configuration. Create this resource with the file instead: " +
	"a certificate that the company has already is adopted, and not uploaded again."
