// Package message has what several kinds of objects say: errors of requests, labels, advice. A summary names the thing;
// the detail says what happened and then what to do. No text has a key, a secret or a whole body.
package message

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Noun is the word for a kind of object. An NF-e, NFC-e or NFS-e is one in every language.
func Noun(kind string) text.Text { return text.Of("noun", text.With{"kind": kind}) }

// inWords has plain words for Go's errors of a context.
var inWords = strings.NewReplacer(
	"context deadline exceeded", "the time for it was over", "context canceled", "the run was interrupted")

// Cause is why something failed, as a clause, or nothing without an error. The texts of other programs stay as they
// are.
func Cause(err error) text.Text {
	if err == nil {
		return text.Text{}
	}
	if spoken, ok := errors.AsType[text.SpokenError](err); ok {
		return spoken.Text
	}
	return text.Of("cause", text.With{"error": strings.TrimSuffix(OneLine(inWords.Replace(err.Error())), ".")})
}

// ProviderBug reports an impossible state.
func ProviderBug(format string, args ...any) diag.Diagnostics {
	return say.Bug(fmt.Sprintf(format, args...))
}

// InvalidImportID refuses an import ID. forms says what it must be, with an example.
func InvalidImportID(ctx context.Context, given string, forms text.Text) diag.Diagnostics {
	return say.Error(ctx, "import.invalid_id", text.With{"given": given, "forms": forms})
}

// StaysAtService warns that a destroy has left an object at the service.
func StaysAtService(ctx context.Context, kind, name, id string) diag.Diagnostics {
	return say.Warning(ctx, "object.stays", text.With{
		"noun": Noun(kind), "name": name, "id": id, "missing": MissingOperation("delete_" + kind),
	})
}

// ReadError is the error of a data source that looks up one object by its id.
func ReadError(ctx context.Context, kind, key, value string, err error) diag.Diagnostics {
	if errors.Is(err, einvoice.ErrNotFound) {
		return absent(ctx, kind, key, value)
	}
	return APIError(ctx, Task("read", kind), err, nil)
}

// CompanyNotFound is the error of a request for the settings or certificate of a company that does not exist.
func CompanyNotFound(ctx context.Context, id string, err error) diag.Diagnostics {
	with := text.With{"id": id, "request": text.Text{}}
	if failure, ok := errors.AsType[*einvoice.Error](err); ok {
		with["request"] = Reference(failure)
	}
	return say.ErrorAt(ctx, path.Root("company_id"), "company.none", with)
}

// ExactlyOne is the error of a look-up that found none or several objects.
func ExactlyOne[T any](
	ctx context.Context, found []*T, id func(*T) einvoice.Text, kind, key, value string,
) diag.Diagnostics {
	switch len(found) {
	case 0:
		return absent(ctx, kind, key, value)
	case 1:
		return nil
	}
	return say.ErrorAt(ctx, path.Root(key), "object.several", text.With{
		"noun": Noun(kind), "key": key, "value": value, "n": len(found), "ids": IDs(found, id),
	})
}

func absent(ctx context.Context, kind, key, value string) diag.Diagnostics {
	return say.ErrorAt(ctx, path.Root(key), "object.absent", text.With{"noun": Noun(kind), "key": key, "value": value})
}

// IDs lists the ids of objects.
func IDs[T any](objects []*T, id func(*T) einvoice.Text) string {
	var ids []string
	for _, object := range objects {
		ids = append(ids, string(id(object)))
	}
	return strings.Join(ids, ", ")
}
