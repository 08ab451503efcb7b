package message

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// PathSchema is the part of a schema that tells whether an attribute exists.
type PathSchema interface {
	TypeAtPath(ctx context.Context, p path.Path) (attr.Type, diag.Diagnostics)
}

// APIError turns a failed request into diagnostics: one for each attribute that the service
// names, or one for the object. task reads "create customer".
func APIError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	return Applying.APIError(ctx, task, err, schema)
}

// APIError is [APIError] for one front.
func (f Front) APIError(ctx context.Context, task string, err error, schema PathSchema) diag.Diagnostics {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	if !isAnswer {
		return Error("Cannot "+task, SentenceCase(Reason(err)))
	}
	var diags diag.Diagnostics
	summary, advice := "Cannot "+task, f.Advice(err)
	var rest []einvoice.FieldMessage
	for _, m := range failure.Messages {
		at, ok := attributePath(ctx, schema, m.Path)
		if !ok || failure.Status != http.StatusBadRequest {
			rest = append(rest, m)
			continue
		}
		text := "API message"
		if len(at.Steps()) > 1 { // The CLIs show the line of a root attribute only.
			text += " about `" + at.String() + "`"
		}
		text += ": " + Sentence(m.Message)
		diags.AddAttributeError(ShownAt(at), summary, Paragraphs(text, advice, Reference(failure)))
	}
	if len(rest) > 0 || !diags.HasError() {
		diags.AddError(summary, Paragraphs(quotedBeside(rest, failure), advice, Reference(failure)))
	}
	return diags
}

// RefusalWords quotes the messages of the service, else its status.
func RefusalWords(failure *einvoice.Error) string { return quoted(failure.Messages, failure) }

// quotedBeside is quoted beside the [Reference], which shows the status.
func quotedBeside(messages []einvoice.FieldMessage, failure *einvoice.Error) string {
	if len(messages) > 0 || failure.Status == 0 {
		return quoted(messages, failure)
	}
	detail := inWords.Replace(failure.Detail())
	if detail == "" && errors.Is(failure, einvoice.ErrBadRequest) {
		detail = "the service gives no reason"
	}
	return SentenceCase(Sentence(detail))
}

func quoted(messages []einvoice.FieldMessage, failure *einvoice.Error) string {
	if len(messages) == 0 {
		return Reason(failure)
	}
	text := "API message:"
	for _, m := range messages {
		text += " "
		if m.Path != "" {
			text += m.Path + ": "
		}
		text += Sentence(m.Message)
	}
	return text
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
