// Package say makes diagnostics of the texts of the catalogs. Nothing else makes them: so no literal reaches one.
package say

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Error is the error of a key.
func Error(ctx context.Context, key string, with text.With) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(parts(ctx, key, with))}
}

// ErrorAt is the error of a key about an attribute.
func ErrorAt(ctx context.Context, at path.Path, key string, with text.With) diag.Diagnostics {
	summary, detail := parts(ctx, key, with)
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, summary, detail)}
}

// Warning is the warning of a key.
func Warning(ctx context.Context, key string, with text.With) diag.Diagnostics {
	return diag.Diagnostics{diag.NewWarningDiagnostic(parts(ctx, key, with))}
}

// WarningAt is the warning of a key about an attribute.
func WarningAt(ctx context.Context, at path.Path, key string, with text.With) diag.Diagnostics {
	summary, detail := parts(ctx, key, with)
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(at, summary, detail)}
}

// FuncError is the error of a key about an argument of a function, by its place.
func FuncError(ctx context.Context, argument int64, key string, with text.With) *function.FuncError {
	return function.NewArgumentFuncError(argument, text.Of(key, with).In(ctx))
}

// Bug is the error of an impossible state, in the language of the environment.
func Bug(what string) diag.Diagnostics {
	summary, detail, _ := strings.Cut(text.Of("bug", text.With{"what": what}).String(), "\n\n")
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, detail)}
}

// parts are the summary and the detail of an entry.
func parts(ctx context.Context, key string, with text.With) (summary, detail string) {
	summary, detail, _ = strings.Cut(text.Of(key, with).In(ctx), "\n\n")
	return summary, detail
}

// Failure is what is said about why something was not done, on its way up as an error.
type Failure diag.Diagnostics

func (f Failure) Error() string {
	var said []string
	for _, d := range f {
		said = append(said, d.Summary()+": "+d.Detail())
	}
	return strings.Join(said, "; ")
}

// Edited are diagnostics whose words were edited, for example to take out secrets.
func Edited(diags diag.Diagnostics, edit func(string) string) diag.Diagnostics {
	edited := make(diag.Diagnostics, 0, len(diags))
	for _, d := range diags {
		summary, detail := edit(d.Summary()), edit(d.Detail())
		var one diag.Diagnostic = diag.NewErrorDiagnostic(summary, detail)
		if d.Severity() == diag.SeverityWarning {
			one = diag.NewWarningDiagnostic(summary, detail)
		}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			one = diag.WithPath(at.Path(), one)
		}
		edited = append(edited, one)
	}
	return edited
}
