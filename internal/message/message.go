package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

const (
	MissingBaseURL = "The address of the service is neither configured nor in the environment. Set `base_url` in the provider block, " +
		"or " + EnvBaseURL + ", for example https://host.example/v1. For a try without an account run the sandbox of this provider and use the address it prints."

	EmptyAPIKey = "`api_key` of the provider configuration of this object is an empty string, as it is for a company that was imported: the service shows a key " +
		"only once, in the answer that created the company. Nothing was sent, and EINVOICE_API_KEY is not used in its place, because it may be another company's key. " +
		"Give the key, for example `api_key = coalesce(var.branch_key, einvoice_company.branch.api_key)`; a new one can be generated in the back office."

	MissingAPIKey = "The API key is neither configured nor in the environment. Set `api_key` in the provider block, or " + EnvAPIKey +
		". The key of a company is shown once, in the answer that creates it; a new one can be generated in the back office."
)

func UnknownConfiguration(names string) string {
	return fmt.Sprintf("The provider configuration of this object is not known yet (%s): it probably comes from a company that this run creates or replaces. "+
		"For a data source add `depends_on = [einvoice_company.NAME]`, so that it is read during apply. "+
		"For an existing object apply the company first: `-target=einvoice_company.NAME`.", names)
}

func EmptyString(at path.Path) string {
	return fmt.Sprintf("`%s` is an empty string. The service does not tell an empty value from a missing one. Give it a value; where it is optional, omit the argument or set it to null.", at)
}

// ProviderBug reports what should be impossible.
func ProviderBug(format string, args ...any) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Provider bug", fmt.Sprintf(format, args...)+
		". Please report this to the maintainers of the provider.")
}

// PathSchema is what a schema offers to tell whether an attribute exists.
type PathSchema interface {
	TypeAtPath(ctx context.Context, p path.Path) (attr.Type, diag.Diagnostics)
}

// ApiError words a failed request for somebody who applies a configuration.
func ApiError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	return Applying.ApiError(ctx, task, err, schema)
}

// ApiError turns a failed request into diagnostics: one on each attribute that
// the service names, or one for the whole object. task reads "create customer".
func (f Front) ApiError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	var diags diag.Diagnostics
	summary := "Cannot " + task
	var failure *einvoice.Error
	if !errors.As(err, &failure) {
		diags.AddError(summary, Sentence(err.Error()))
		return diags
	}
	var rest []string
	for _, m := range failure.Messages {
		if at, ok := attributePath(ctx, schema, m.Path); ok && failure.Status == 400 {
			about := ""
			if len(at.Steps()) > 1 { // The CLIs show the line of a root attribute only.
				about = " about `" + at.String() + "`"
			}
			diags.AddAttributeError(at, summary, Paragraphs("API message"+about+": "+Sentence(m.Message), f.Advice(err), Reference(failure)))
			continue
		}
		text := Sentence(m.Message)
		if m.Path != "" {
			text = m.Path + ": " + text
		}
		rest = append(rest, text)
	}
	if len(rest) == 0 && diags.HasError() {
		return diags
	}
	happened := "API message: " + strings.Join(rest, " ")
	if len(rest) == 0 {
		happened = Sentence(failure.Error())
	}
	diags.AddError(summary, Paragraphs(happened, f.Advice(err), Reference(failure)))
	return diags
}

// Reference is the line that a support request needs.
func Reference(failure *einvoice.Error) string {
	if failure.Status == 0 {
		return ""
	}
	line := fmt.Sprintf("%s %s · HTTP %d", failure.Method, failure.Path, failure.Status)
	if failure.TraceID != "" {
		line += " · trace " + failure.TraceID
	}
	if failure.Attempts > 1 {
		line += fmt.Sprintf(" · %d attempts", failure.Attempts)
	}
	return line
}

// attributePath finds the attribute that the service means by a field such as
// "Address.City.Code" or "items[0].price".
func attributePath(ctx context.Context, schema PathSchema, field string) (path.Path, bool) {
	if field == "" || schema == nil {
		return path.Empty(), false
	}
	at := path.Empty()
	for step := range strings.SplitSeq(strings.TrimPrefix(field, "$."), ".") {
		name, index, indexed := strings.Cut(step, "[")
		at = at.AtName(SnakeCase(name))
		if n := 0; indexed {
			if _, err := fmt.Sscanf(index, "%d]", &n); err != nil {
				return path.Empty(), false
			}
			at = at.AtListIndex(n)
		}
	}
	_, diags := schema.TypeAtPath(ctx, at)
	return at, !diags.HasError()
}

// SnakeCase turns a field name of the service into an attribute name.
func SnakeCase(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func Paragraphs(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// Sentence ends a text with a period.
func Sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

const ForgetInstead = "To forget it without canceling, remove `cancellation_reason`, apply, and destroy then."

// LastStep is the name of the attribute at the end of a path.
func LastStep(at path.Path) string {
	steps := at.Steps()
	for i := len(steps) - 1; i >= 0; i-- {
		if name, ok := steps[i].(path.PathStepAttributeName); ok {
			return string(name)
		}
	}
	return "value"
}

// StaysAtService tells, once, what a destroy has left behind.
func StaysAtService(kind, name, id string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(kind+" stays at the service",
		fmt.Sprintf("The service cannot delete %s %q (id %s). It was only removed from state; it is still in the account.", strings.ToLower(kind), name, id))
}

// ReadError is the error of a data source that looks up one object by its id.
func ReadError(ctx context.Context, kind, key, value string, err error) diag.Diagnostics {
	return Applying.ReadError(ctx, kind, key, value, err)
}

// ReadError words that an object was asked for by its id in vain.
func (f Front) ReadError(ctx context.Context, kind, key, value string, err error) diag.Diagnostics {
	if errors.Is(err, einvoice.ErrNotFound) {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root(key), SentenceCase(kind)+" not found",
			fmt.Sprintf("No %s has %s %q. Check the value, and that `api_key` belongs to the account that has it.", kind, key, value))}
	}
	return f.ApiError(ctx, "read "+kind, err, nil)
}

// ExactlyOne reports a look-up by a natural key that found none or several.
func ExactlyOne(found int, kind, key, value string) diag.Diagnostics {
	var diags diag.Diagnostics
	switch {
	case found == 0:
		diags.AddAttributeError(path.Root(key), SentenceCase(kind)+" not found",
			fmt.Sprintf("No %s has %s %q. Check the value, and that `api_key` belongs to the account that has it.", kind, key, value))
	case found > 1:
		diags.AddAttributeError(path.Root(key), SentenceCase(kind)+" is not the only one",
			fmt.Sprintf("%d objects have %s %q. Use `id` to choose one.", found, key, value))
	}
	return diags
}

func SentenceCase(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func Error(summary string, texts ...string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic(summary, Paragraphs(texts...))}
}

// RefusalWords quotes the service verbatim, where it said anything.
func RefusalWords(failure *einvoice.Error) string {
	if len(failure.Messages) == 0 {
		return Sentence(failure.Error())
	}
	var messages []string
	for _, m := range failure.Messages {
		text := Sentence(m.Message)
		if m.Path != "" {
			text = m.Path + ": " + text
		}
		messages = append(messages, text)
	}
	return "API message: " + strings.Join(messages, " ")
}
