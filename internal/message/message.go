// Package message has the texts of errors and warnings that several kinds of objects use. A
// summary names the thing; the detail says what happened and then what to do. No text has a
// key, a secret or a whole body.
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

// Error is one error. Each text is a paragraph of its detail.
func Error(summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, Paragraphs(texts...))}
}

// ErrorAt is one error at the attribute name.
func ErrorAt(name, summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(name), summary, Paragraphs(texts...))}
}

// ProviderBug reports an impossible state.
func ProviderBug(format string, args ...any) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Provider bug", fmt.Sprintf(format, args...)+
		". Please report this to the maintainers of the provider.")
}

// InvalidImportID refuses an import ID. forms says what it must be, with an example.
func InvalidImportID(given, forms string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Invalid import ID", fmt.Sprintf("The import ID is %q. %s", given, forms))
}

// StaysAtService warns that a destroy has left an object at the service.
func StaysAtService(kind, name, id string) diag.Diagnostic {
	object := strings.ToLower(kind)
	return diag.NewWarningDiagnostic(kind+" stays at the service", Paragraphs(
		fmt.Sprintf("The service cannot delete %s %q (id %s). It was only removed from state.", object, name, id),
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

// CompanyNotFound is the error of a request for the settings or certificate of a company that
// does not exist.
func CompanyNotFound(id string, err error) diag.Diagnostics {
	reference := ""
	if failure, ok := errors.AsType[*einvoice.Error](err); ok {
		reference = Reference(failure)
	}
	return ErrorAt("company_id", "Company not found", fmt.Sprintf("No company of the account has the id %q.", id),
		"A company that was created moments ago may show a little later: then run again. "+
			"Otherwise check `company_id`, and that `api_key` is the main company's key: "+
			"no other key reaches the settings and certificates of companies.", reference)
}

// ExactlyOne is the error of a look-up that found none or several objects.
func ExactlyOne[T any](found []*T, id func(*T) einvoice.Text, kind, key, value string) diag.Diagnostics {
	switch len(found) {
	case 0:
		return notFound(kind, key, value)
	case 1:
		return nil
	}
	return ErrorAt(key, fmt.Sprintf("More than one %s has %s %q", kind, key, value), fmt.Sprintf(
		"The service has %d. Give the id of one of them instead: %s.", len(found), IDs(found, id)))
}

// IDs lists the ids of objects.
func IDs[T any](objects []*T, id func(*T) einvoice.Text) string {
	var ids []string
	for _, object := range objects {
		ids = append(ids, string(id(object)))
	}
	return strings.Join(ids, ", ")
}

func notFound(kind, key, value string) diag.Diagnostics {
	return ErrorAt(key, SentenceCase(kind)+" not found", fmt.Sprintf(
		"No %s has %s %q. Check the value, and that `api_key` belongs to the account that has it.", kind, key, value))
}
