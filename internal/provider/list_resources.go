package provider

import (
	"context"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
)

// What the list resources share. They find existing objects for `terraform
// query`; the resource of the same name is what is found.

// queryCLI ends the description of each list resource.
const queryCLI = "\n\nNeeds `terraform query` of Terraform 1.14 or later, in a file that ends in `.tfquery.hcl`. OpenTofu and older versions of Terraform do not have it and are not disturbed " +
	"by it; see the guide [Adopting an existing account](../guides/adopting-an-existing-account.md) for what to do there."

// listSchema describes a list without arguments.
func listSchema(description string) schema.Schema {
	return schema.Schema{MarkdownDescription: description + " A query stops at its `limit`, which is 100 unless it is set, and reads no further page of the service's list. " +
		"Objects are read whole only with `include_resource = true` or for generated configuration." + queryCLI}
}

// foundObject is one object that a query has found.
type foundObject struct {
	id   einvoice.Text
	name string // shown to a person
	// state gives the model of the resource, as a read would fill it.
	state func() (any, diag.Diagnostics)
}

// listInto streams the objects of the service's list, up to the limit of the
// query. The limit is kept here: a CLI takes results ahead of what it shows, and
// would have every page read.
func listInto[T any](ctx context.Context, s *session, plural string, req list.ListRequest, stream *list.ListResultsStream,
	objects func(*einvoice.Client, context.Context) iter.Seq2[*T, error], found func(*T) foundObject,
) {
	if diags := s.usable(); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		left := req.Limit
		if left <= 0 {
			return
		}
		for object, err := range objects(s.client, ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: apiError(ctx, "list "+plural, err, nil)})
				return
			}
			entry := found(object)
			result := req.NewListResult(ctx)
			result.DisplayName = entry.name
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("id"), textOrNull(entry.id))...)
			if req.IncludeResource {
				state, diags := entry.state()
				result.Diagnostics.Append(diags...)
				result.Diagnostics.Append(result.Resource.Set(ctx, state)...)
			}
			if left--; !push(result) || left == 0 {
				return
			}
		}
	}
}

// displayName reads "Padaria Central (11.222.333/0001-81)". What is missing is
// left out, and the id stands for an object that has neither.
func displayName(name, detail, id einvoice.Text) string {
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

// taxNumberShown is a tax number as people write it.
func taxNumberShown(number einvoice.Text) einvoice.Text {
	return einvoice.Text(fiscal.FormatTaxNumber(string(number)))
}
