package session

import (
	"cmp"
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// needsQuery ends the description of each list resource.
const needsQuery = "\n\nNeeds `terraform query` of Terraform 1.14 or later, in a file that ends in `.tfquery.hcl`. " +
	"OpenTofu and older versions of Terraform do not have it: " +
	"see the guide [Moving in](../guides/moving-in.md) for what to do there."

// ListResource finds objects of type T in one of the service's lists for a query. They are
// objects of the resource that has the same name.
type ListResource[T any] struct {
	ResourceBase

	Kind        *Kind[T]
	Description string
	Name        func(*T) string // shown to a person
}

// Metadata names the resource whose objects are found.
func (l *ListResource[T]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_" + l.Kind.One
}

// ListResourceConfigSchema has no arguments.
func (l *ListResource[T]) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{MarkdownDescription: l.Description + needsQuery}
}

// List streams the objects of the service's list to a query, up to its limit. A CLI reads
// all results before it applies the limit, so that without it here every page would be read.
func (l *ListResource[T]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	if diags := l.Usable(ctx); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		left := req.Limit
		if left <= 0 {
			return
		}
		for object, err := range l.Kind.List(l.Client, ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: message.APIError(ctx, message.Task("list", l.Kind.Many), err, nil)})
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = l.Name(object)
			id := attribute.TextOrNull(l.Kind.ID(object))
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("id"), id)...)
			if req.IncludeResource {
				state := l.Kind.New()
				result.Diagnostics.Append(state.FromAPI(object)...)
				result.Diagnostics.Append(result.Resource.Set(ctx, state)...)
			}
			if left--; !push(result) || left == 0 {
				return
			}
		}
	}
}

// Named names an object of a kind in messages: "customer Padaria Central (11.222.333/0001-81)".
func Named(kind, name string) text.Text {
	return text.Of("object.named", text.With{"noun": message.Noun(kind), "name": name})
}

// DisplayName reads "Padaria Central (11.222.333/0001-81)", without the part that is missing.
// The id is the name of an object that has neither.
func DisplayName(name, detail, id einvoice.Text) string {
	if name == "" || detail == "" {
		return string(cmp.Or(name, detail, id))
	}
	return strings.TrimSpace(string(name)) + " (" + string(detail) + ")"
}

// TaxNumberShown is a tax number as people write it.
func TaxNumberShown(number einvoice.TaxNumber) einvoice.Text {
	return einvoice.Text(fiscal.FormatTaxNumber(string(number)))
}
