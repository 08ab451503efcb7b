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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// PathSchema is the part of a schema that tells whether an attribute exists.
type PathSchema interface {
	TypeAtPath(ctx context.Context, p path.Path) (attr.Type, diag.Diagnostics)
}

// APIError turns a failed request into diagnostics: one for each attribute that the service names, or one for the
// object. task reads "create customer": a verb and an object of the catalog, or the label of an object.
func APIError(ctx context.Context, task text.Text, err error, schema PathSchema) diag.Diagnostics {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	if !isAnswer {
		return say.Error(ctx, "request.failed", text.With{"task": task, "cause": Cause(err)})
	}
	var diags diag.Diagnostics
	with := func(said text.Text) text.With {
		return text.With{"task": task, "said": said, "advice": Advice(err), "request": Reference(failure)}
	}
	var rest []einvoice.FieldMessage
	for _, m := range failure.Messages {
		at, ok := attributePath(ctx, schema, m.Path)
		if !ok || failure.Status != http.StatusBadRequest {
			rest = append(rest, m)
			continue
		}
		about := ""
		if len(at.Steps()) > 1 { // The CLIs show the line of a root attribute only.
			about = at.String()
		}
		said := text.Of("request.attribute", text.With{"message": m.Message, "about": about})
		diags.Append(say.ErrorAt(ctx, ShownAt(at), "request.refused", with(said))...)
	}
	if len(rest) > 0 || !diags.HasError() {
		diags.Append(say.Error(ctx, "request.refused", with(beside(rest, failure)))...)
	}
	return diags
}

// Task is what a request was for: a verb, and an object of the catalog or its label.
func Task(verb string, object any) text.Text {
	if kind, ok := object.(string); ok {
		object = text.Of("object", text.With{"kind": kind})
	}
	return text.Of("task."+verb, text.With{"object": object})
}

// RefusalWords quotes the messages of the service, else its status.
func RefusalWords(failure *einvoice.Error) text.Text { return quote(failure.Messages, failure) }

// beside is quoted beside the [Reference], which shows the status.
func beside(messages []einvoice.FieldMessage, failure *einvoice.Error) text.Text {
	if len(messages) > 0 || failure.Status == 0 {
		return quote(messages, failure)
	}
	detail := failure.Detail()
	return text.Of("request.detail", text.With{
		"detail": OneLine(inWords.Replace(detail)), "unexplained": detail == "" && errors.Is(failure, einvoice.ErrBadRequest),
	})
}

func quote(messages []einvoice.FieldMessage, failure *einvoice.Error) text.Text {
	if len(messages) == 0 {
		return Cause(failure)
	}
	var quotes []string
	for _, m := range messages {
		quotes = append(quotes, strings.TrimPrefix(m.Path+": "+text.Sentence(m.Message), ": "))
	}
	return text.Of("request.quoted", text.With{"messages": strings.Join(quotes, " ")})
}

// Reference is the line that a support request needs.
func Reference(failure *einvoice.Error) text.Text {
	if failure.Status == 0 {
		return text.Text{}
	}
	return text.Of("request.line", text.With{
		"method": failure.Method, "path": failure.Path, "status": failure.Status, "trace": failure.TraceID,
		"attempts": failure.Attempts,
	})
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
