package session

import (
	"cmp"
	"context"
	"iter"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource[struct{}])(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource[struct{}])(nil)
)

// DataSource reads what the service has. M is the configuration, and becomes the state.
type DataSource[M any] struct {
	*Session

	Name        string // without "einvoice_"
	Description string
	Company     string                      // the argument that names the company whose key is used; "" for none
	Attributes  map[string]schema.Attribute // apart from it
	Validators  []datasource.ConfigValidator
	Fill        func(ctx context.Context, reading *Session, m *M) diag.Diagnostics
}

// Metadata names the data source.
func (d *DataSource[M]) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "einvoice_" + d.Name
}

// Schema adds the company to the attributes.
func (d *DataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := maps.Clone(d.Attributes)
	if d.Company != "" {
		attributes[d.Company] = attribute.IssuerArgument()
	}
	resp.Schema = schema.Schema{MarkdownDescription: d.Description, Attributes: attributes}
}

func (d *DataSource[M]) Configure(
	ctx context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	d.Session = From(ctx, req.ProviderData, &resp.Diagnostics)
}

// ConfigValidators are those of several arguments.
func (d *DataSource[M]) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return d.Validators
}

// Read refuses what, as has shown by now, is another company's.
func (d *DataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m := new(M)
	resp.Diagnostics.Append(req.Config.Get(ctx, m)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(d.Fill(ctx, reading, m)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(reading.RefuseOther(ctx)...)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	}
}

// FoundBy is an argument by which a data source may find an object. Otherwise it is read.
func FoundBy(description string, checks ...validator.String) schema.StringAttribute {
	a := attribute.TextFilter(description, checks...)
	a.Computed = true
	return a
}

// ObjectDataSource reads one object of a kind, by its id or its key.
func ObjectDataSource[T any](kind *Kind[T], description string, key schema.StringAttribute) datasource.DataSource {
	attributes := kind.Attributes()
	attributes["id"] = FoundBy("Identifier of the "+kind.One+". Set this or `"+kind.Key+"`.",
		attribute.TextValidator{})
	key.Computed = true
	attributes[kind.Key] = key
	return &DataSource[types.Object]{
		Name: kind.One, Description: description, Attributes: attributes,
		Validators: []datasource.ConfigValidator{
			datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot(kind.Key)),
		},
		Fill: func(ctx context.Context, reading *Session, m *types.Object) diag.Diagnostics {
			object, diags := kind.configured(ctx, reading, m.Attributes())
			if !diags.HasError() {
				if kind.Read != nil {
					kind.Read(reading, object)
				}
				*m, diags = types.ObjectValueFrom(ctx, m.AttributeTypes(ctx), kind.Record(object))
			}
			return diags
		},
	}
}

// configured reads the object that a configuration names by its id or its key.
func (k *Kind[T]) configured(
	ctx context.Context, reading *Session, config map[string]attr.Value,
) (*T, diag.Diagnostics) {
	id := string(attribute.AttrText(config["id"]))
	if id == "" {
		given, _ := config[k.Key].(attribute.StringValue)
		return k.find(ctx, reading.Client, "read", given.ValueString())
	}
	object, err := k.Get(reading.Client, ctx, id)
	if err != nil {
		return nil, message.ReadError(ctx, k.One, "id", id, err)
	}
	return object, nil
}

// ListDataSource reads all objects of a kind.
func ListDataSource[T any](kind *Kind[T], description string) datasource.DataSource {
	objects := schema.ListNestedAttribute{
		MarkdownDescription: "The " + kind.Many + ", in the order of the service.",
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: kind.Attributes()},
	}
	return &DataSource[types.Object]{
		Name: kind.Many, Description: description,
		Attributes: map[string]schema.Attribute{"limit": attribute.Limit(kind.Many), kind.Many: objects},
		Fill: func(ctx context.Context, reading *Session, m *types.Object) diag.Diagnostics {
			values := m.Attributes()
			limit, _ := values["limit"].(types.Int64)
			listing := Listing[T, any]{
				Plural: kind.Many, Limit: limit,
				Entries: kind.List(reading.Client, ctx), Model: kind.Record,
			}
			records, diags := listing.Read(ctx)
			if diags.HasError() {
				return kind.clean(diags)
			}
			list, failed := types.ListValueFrom(ctx, objects.NestedObject.Type(), records)
			values[kind.Many] = list
			*m = types.ObjectValueMust(m.AttributeTypes(ctx), values)
			return append(kind.clean(diags), failed...)
		},
	}
}

// Listing reads a list of the service for a data source.
type Listing[T, M any] struct {
	Plural  string // an object of the catalog, such as "invoices"
	Entries iter.Seq2[*T, error]
	Matches func(*T) bool // nil for every entry
	Model   func(*T) M

	Limit   types.Int64 // configured
	Default int64       // where no limit is configured
	Advice  text.Text   // how to narrow the list; none where it has no filters
}

// Read returns the models of the entries that match. It cuts them at a configured limit, with
// a warning. Without a configured limit, more than the default are an error.
func (l *Listing[T, M]) Read(ctx context.Context) ([]M, diag.Diagnostics) {
	limit := cmp.Or(l.Limit.ValueInt64(), l.Default, attribute.DefaultLimit)
	models := []M{} // An empty list, not null.
	matches := l.Matches
	if matches == nil {
		matches = func(*T) bool { return true }
	}
	more, err := einvoice.Each(l.Entries, matches, limit, func(entry *T) { // Of each only the model is kept.
		models = append(models, l.Model(entry))
	})
	switch {
	case err != nil:
		return nil, message.APIError(ctx, message.Task("read", l.Plural), err, nil)
	case more && l.Limit.IsNull():
		return nil, say.ErrorAt(ctx, path.Root("limit"), "list.more", text.With{
			"limit": limit, "nouns": message.Noun(l.Plural), "advice": l.Advice,
		})
	case more:
		return models, say.WarningAt(ctx, path.Root("limit"), "list.cut", text.With{
			"limit": limit, "nouns": message.Noun(l.Plural),
		})
	}
	return models, nil
}
