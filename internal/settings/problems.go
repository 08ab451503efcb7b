package settings

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// What is said about the settings of a company. None of it shows a secret.

func failure(ctx context.Context, at path.Path, key string, with text.With) diag.Diagnostics {
	return say.ErrorAt(ctx, message.ShownAt(at), key, with)
}

// unexpectedSetting reports a field in a form that is not known: its block cannot be merged.
func unexpectedSetting(ctx context.Context, at path.Path, err error) diag.Diagnostics {
	return failure(ctx, at, "settings.unexpected", text.With{"path": at.String(), "cause": message.Cause(err)})
}

// writeOnlyArguments are those of `secrets` that set the secret.
func (p place) writeOnlyArguments() text.Text {
	return text.Of("settings.write_only", text.With{
		"argument": p.writeOnlyPath().String(), "version": p.versionPath().String(),
	})
}

func unreadableSecret(ctx context.Context, s place) diag.Diagnostics {
	at, direct := s.at, s.at.String()
	if s.kind == secretJSON {
		at, direct = s.writeOnlyPath(), ""
	}
	return failure(ctx, at, "settings.unreadable_secret", text.With{
		"block": s.parent(), "name": s.name, "direct": direct, "write_only": s.writeOnlyArguments(),
	})
}

// versionWithoutSecret reports a version that would send nothing.
func versionWithoutSecret(ctx context.Context, s place) diag.Diagnostics {
	return failure(ctx, s.versionPath(), "settings.version_alone", text.With{
		"version": s.versionPath().String(), "argument": s.writeOnlyPath().String(),
	})
}

func secretStays(ctx context.Context, s place, company text.Text) diag.Diagnostics {
	return say.WarningAt(ctx, message.ShownAt(s.at), "settings.secret_stays", text.With{
		"path": s.at.String(), "company": company, "write_only": s.writeOnlyArguments(),
	})
}

func settingIgnored(ctx context.Context, s setting, held, companyID string) diag.Diagnostics {
	at, with := s.at, text.With{"company": companyID, "sent": string(s.wire()), "held": held, "secret": s.isSecret()}
	if s.isWriteOnly {
		at = s.writeOnlyPath()
	}
	with["path"] = at.String()
	if s.kind == anyJSON {
		with["path"] = s.key()
	}
	return failure(ctx, at, "settings.ignored", with)
}

// incompleteContingency is empty where neither is missing.
func incompleteContingency(ctx context.Context, noToken, noCSC bool) diag.Diagnostics {
	if !noToken && !noCSC {
		return nil
	}
	at := path.Root("consumer_invoice").AtName("allow_offline_contingency")
	return say.ErrorAt(ctx, at, "settings.contingency", text.With{"token": noToken})
}
