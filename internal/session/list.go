package session

import (
	"context"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// ReadList reads all objects of the service's list into the attribute of a data
// source that plural names.
func ReadList[T, M any](ctx context.Context, s *Session, plural string, objects func(*einvoice.Client, context.Context) iter.Seq2[*T, error],
	model func(*T) M, state *tfsdk.State,
) diag.Diagnostics {
	if diags := s.Usable(); diags.HasError() {
		return diags
	}
	found, err := einvoice.All(objects(s.Client, ctx))
	if err != nil {
		return message.APIError(ctx, "read "+plural, err, nil)
	}
	models := make([]M, 0, len(found))
	for _, object := range found {
		models = append(models, model(object))
	}
	return state.SetAttribute(ctx, path.Root(plural), models)
}

// needsQuery ends the description of each list resource. They find existing
// objects for `terraform query`: what is found is of the resource that has the
// name of the list.
const needsQuery = "\n\nNeeds `terraform query` of Terraform 1.14 or later, in a file that ends in `.tfquery.hcl`. OpenTofu and older versions of Terraform do not have it: " +
	"see the guide [Adopting an existing account](../guides/adopting-an-existing-account.md) for what to do there."

// ListSchema describes a list resource, which has no arguments.
func ListSchema(description string) schema.Schema {
	return schema.Schema{MarkdownDescription: description + " A query stops at its `limit`, which is 100 unless it is set, and reads no further page of the service's list. " +
		"Objects are read whole only with `include_resource = true` or for generated configuration." + needsQuery}
}

// FoundObject is one object that a query has found.
type FoundObject struct {
	ID   einvoice.Text
	Name string // shown to a person
	// State gives the model of the resource, as a read would fill it.
	State func() (any, diag.Diagnostics)
}

// ListInto streams the objects of the service's list to a query, up to its limit.
// The limit is applied here: a CLI asks for results before it shows them, so that
// otherwise every page would be read.
func ListInto[T any](ctx context.Context, s *Session, plural string, req list.ListRequest, stream *list.ListResultsStream,
	objects func(*einvoice.Client, context.Context) iter.Seq2[*T, error], found func(*T) FoundObject,
) {
	if diags := s.Usable(); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		left := req.Limit
		if left <= 0 {
			return
		}
		for object, err := range objects(s.Client, ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: message.APIError(ctx, "list "+plural, err, nil)})
				return
			}
			entry := found(object)
			result := req.NewListResult(ctx)
			result.DisplayName = entry.Name
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("id"), attribute.TextOrNull(entry.ID))...)
			if req.IncludeResource {
				state, diags := entry.State()
				result.Diagnostics.Append(diags...)
				result.Diagnostics.Append(result.Resource.Set(ctx, state)...)
			}
			if left--; !push(result) || left == 0 {
				return
			}
		}
	}
}

// DisplayName reads "Padaria Central (11.222.333/0001-81)". What is missing is
// left out, and the id stands for an object that has neither.
func DisplayName(name, detail, id einvoice.Text) string {
	switch {
	case name == "" && detail == "":
		return string(id)
	case name == "":
		return string(detail)
	case detail == "":
		return string(name)
	}
	return strings.TrimSpace(string(name)) + " (" + string(detail) + ")"
}

// TaxNumberShown is a tax number as people write it.
func TaxNumberShown(number einvoice.Text) einvoice.Text {
	return einvoice.Text(fiscal.FormatTaxNumber(string(number)))
}
