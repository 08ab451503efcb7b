package session

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Listing reads a list of the service for a data source.
type Listing[T, M any] struct {
	Task    string // read invoices
	Plural  string // invoices
	Entries iter.Seq2[*T, error]
	Matches func(*T) bool // nil for every entry
	Model   func(*T) M

	Limit   types.Int64 // configured
	Default int64       // where no limit is configured
	Advice  string      // how to narrow the list; "" where it has no filters
}

// Read returns the models of the entries that match. It cuts them at a configured limit, with
// a warning. Without a configured limit, more than the default are an error.
func (l *Listing[T, M]) Read(ctx context.Context) ([]*M, diag.Diagnostics) {
	limit := cmp.Or(l.Limit.ValueInt64(), l.Default, attribute.DefaultLimit)
	models := []*M{} // An empty list, not null.
	matches := l.Matches
	if matches == nil {
		matches = func(*T) bool { return true }
	}
	more, err := einvoice.Each(l.Entries, matches, limit, func(entry *T) { // Of each only the model is kept.
		model := l.Model(entry)
		models = append(models, &model)
	})
	switch {
	case err != nil:
		return nil, message.APIError(ctx, l.Task, err, nil)
	case more && l.Limit.IsNull():
		advice := "Set `limit` to as many as are wanted."
		if l.Advice != "" {
			advice = l.Advice + ", or set `limit` to as many as are wanted."
		}
		return nil, message.ErrorAt("limit", fmt.Sprintf("More than %d %s", limit, l.Plural),
			fmt.Sprintf("More than %d %s match, so the data source reads none of them. %s", limit, l.Plural, advice))
	case more:
		return models, diag.Diagnostics{diag.NewAttributeWarningDiagnostic(
			path.Root("limit"), fmt.Sprintf("List of %s cut at the limit", l.Plural),
			fmt.Sprintf("The data source read only the first %d %s that match. Narrow the filters, or raise `limit`.",
				limit, l.Plural))}
	}
	return models, nil
}

// ListDataSource reads all objects of one of the service's lists, whose objects
// are of type T, as models of type M.
type ListDataSource[T, M any] struct {
	DataSourceBase

	Kind        *Kind[T] // Many is the attribute too
	Description string
	Attributes  map[string]datasourceschema.Attribute // of one object
	Model       func(*T) M
}

// Metadata names the data source.
func (d *ListDataSource[T, M]) Metadata(
	_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = "einvoice_" + d.Kind.Many
}

// Schema is the list, and how long it may be.
func (d *ListDataSource[T, M]) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	resp.Schema = datasourceschema.Schema{
		MarkdownDescription: d.Description,
		Attributes: map[string]datasourceschema.Attribute{
			"limit": attribute.Limit(d.Kind.Many),
			d.Kind.Many: datasourceschema.ListNestedAttribute{
				MarkdownDescription: "The " + d.Kind.Many + ", in the order of the service.",
				Computed:            true,
				NestedObject:        datasourceschema.NestedAttributeObject{Attributes: d.Attributes},
			},
		},
	}
}

// Read reads every page.
func (d *ListDataSource[T, M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	listing := Listing[T, M]{Task: "read " + d.Kind.Many, Plural: d.Kind.Many, Model: d.Model}
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("limit"), &listing.Limit)...)
	if resp.Diagnostics.Append(d.Usable()...); resp.Diagnostics.HasError() {
		return
	}
	listing.Entries = d.Kind.List(d.Client, ctx)
	models, diags := listing.Read(ctx)
	if resp.Diagnostics.Append(d.Kind.clean(diags)...); diags.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("limit"), listing.Limit)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(d.Kind.Many), models)...)
}

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
	Name        func(*T) string                  // shown to a person
	State       func(*T) (any, diag.Diagnostics) // the model of the resource, as a read would fill it
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
	if diags := l.Usable(); diags.HasError() {
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
				push(list.ListResult{Diagnostics: message.APIError(ctx, "list "+l.Kind.Many, err, nil)})
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = l.Name(object)
			id := attribute.TextOrNull(l.Kind.ID(object))
			result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("id"), id)...)
			if req.IncludeResource {
				state, diags := l.State(object)
				result.Diagnostics.Append(diags...)
				result.Diagnostics.Append(result.Resource.Set(ctx, state)...)
			}
			if left--; !push(result) || left == 0 {
				return
			}
		}
	}
}

// DisplayName reads "Padaria Central (11.222.333/0001-81)", without the part that is missing.
// The id is the name of an object that has neither.
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
