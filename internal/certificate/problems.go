package certificate

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// expiryWarning is empty for a certificate that is valid for long enough, or that the company does
// not sign with any more.
func expiryWarning(ctx context.Context, m *certificateModel, now time.Time) diag.Diagnostics {
	const soon = 30 * 24 * time.Hour
	end, known := einvoice.ParseTime(m.ExpiresAt.ValueString())
	left := end.Sub(now)
	if !known || m.isReplaced() || left >= soon {
		return nil
	}
	return say.WarningAt(ctx, path.Root("expires_at"), "certificate.expires", text.With{
		"certificate": m.label(), "company": m.CompanyID.ValueString(), "end": m.ExpiresAt.ValueString(),
		"has_expired": left <= 0, "days": int(wholeDays(left)),
	})
}

var (
	aboutPassword = regexp.MustCompile(`(?i)password|senha`)
	aboutFile     = regexp.MustCompile(`(?i)certificate|certificado|file`)
)

// requestError puts each of the service's messages on the argument that it is about. The parts of
// the upload have other names than the arguments.
func requestError(
	ctx context.Context, task text.Text, companyID string, err error, schema message.PathSchema,
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

// adoptedRegistered is about a file that the company had already. It says nothing of the certificate that the company
// certainly signs with.
func adoptedRegistered(ctx context.Context, m *certificateModel, isCertain bool) diag.Diagnostics {
	if isCertain && !m.isReplaced() {
		return nil
	}
	return say.Warning(ctx, "certificate.adopted", text.With{
		"certificate": m.label(), "is_guess": !isCertain, "is_replaced": m.isReplaced(),
	})
}

// registeredNotFound is about a file that the company has, while its list does not show which of
// its certificates that is.
func registeredNotFound(
	ctx context.Context, companyID string, listed []*einvoice.Certificate, refusal error,
) diag.Diagnostics {
	var shown []text.Text
	for _, c := range listed {
		shown = append(shown, text.Of("certificate.listed", text.With{
			"id": c.ID, "subject": c.Subject, "end": c.ExpirationAt,
		}))
	}
	return say.Error(ctx, "certificate.registered_not_found", text.With{
		"company": companyID, "listed": shown, "cause": message.Cause(refusal),
	})
}

// uploadLost is about an upload that was not found in the list.
func uploadLost(ctx context.Context, companyID string, lost, lookErr error, more int) diag.Diagnostics {
	return say.Error(ctx, "certificate.upload_lost", text.With{
		"company": companyID, "cause": message.Cause(lost), "failure": message.Cause(lookErr), "more": more,
	})
}
