// Package message words what a person reads when something goes wrong: errors as
// diagnostics, the names of things, and the texts that more than one kind of
// object uses. A summary names the thing; the detail says what happened and then
// what to do. No text holds a key, a secret or a whole body.
package message

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// Error is one error whose detail are the texts, a paragraph each.
func Error(summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, Paragraphs(texts...))}
}

// ErrorAt is [Error] on an argument.
func ErrorAt(argument, summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(argument), summary, Paragraphs(texts...))}
}

// ProviderBug reports what should be impossible.
func ProviderBug(format string, args ...any) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Provider bug", fmt.Sprintf(format, args...)+
		". Please report this to the maintainers of the provider.")
}

// EmptyString says what to do about an attribute that is "".
func EmptyString(at path.Path) string {
	return fmt.Sprintf("`%s` is an empty string. The service does not tell an empty value from a missing one. Give it a value; where it is optional, omit the argument or set it to null.", at)
}

// InvalidImportID refuses an import ID. forms says what it may be, with an example.
func InvalidImportID(given, forms string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Invalid import ID", fmt.Sprintf("The import ID is %q. %s", given, forms))
}

// StaysAtService warns of what a destroy has left at the service.
func StaysAtService(kind, name, id string) diag.Diagnostic {
	object := strings.ToLower(kind)
	return diag.NewWarningDiagnostic(kind+" stays at the service", Paragraphs(
		fmt.Sprintf("The service cannot delete %s %q (id %s). It was only removed from state; it is still in the account.", object, name, id),
		MissingOperation("delete_"+object)))
}

// ReadError is the error of a data source that looks up one object by its id.
func ReadError(ctx context.Context, kind, key, value string, err error) diag.Diagnostics {
	return Applying.ReadError(ctx, kind, key, value, err)
}

// ReadError is [ReadError] for one front.
func (f Front) ReadError(ctx context.Context, kind, key, value string, err error) diag.Diagnostics {
	if errors.Is(err, einvoice.ErrNotFound) {
		return notFound(kind, key, value)
	}
	return f.APIError(ctx, "read "+kind, err, nil)
}

// CompanyNotFound is the error of a request about what a company has, such as its
// settings, where there is no such company. The request was sent for company_id.
func CompanyNotFound(id string, err error) diag.Diagnostics {
	reference := ""
	if failure := (*einvoice.Error)(nil); errors.As(err, &failure) {
		reference = Reference(failure)
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("company_id"), "Company not found", Paragraphs(
		fmt.Sprintf("No company of the account has the id %q.", id),
		"Check `company_id`, and that `api_key` is the main company's key: no other key reaches the settings and certificates of companies.", reference))}
}

// ExactlyOne reports a look-up that found none or several, which it names by their
// ids.
func ExactlyOne[T any](found []*T, id func(*T) einvoice.Text, kind, key, value string) diag.Diagnostics {
	switch len(found) {
	case 0:
		return notFound(kind, key, value)
	case 1:
		return nil
	}
	ids := make([]string, 0, len(found))
	for _, v := range found {
		ids = append(ids, string(id(v)))
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(key), SentenceCase(kind)+" is not the only one",
		fmt.Sprintf("%d objects have %s %q. Use `id` to choose one: %s.", len(found), key, value, strings.Join(ids, ", ")))}
}

func notFound(kind, key, value string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(key), SentenceCase(kind)+" not found",
		fmt.Sprintf("No %s has %s %q. Check the value, and that `api_key` belongs to the account that has it.", kind, key, value))}
}
