package session

import (
	"cmp"
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

var (
	_ action.ActionWithConfigure         = (*DocumentAction[struct{}])(nil)
	_ action.ActionWithModifyPlan        = (*DocumentAction[struct{}])(nil)
	_ datasource.DataSourceWithConfigure = (*DocumentDataSource[struct{}])(nil)
)

// DocumentDataSource reads documents of one company, which an argument may name. M is the
// configuration, and becomes the state.
type DocumentDataSource[M any] struct {
	DataSourceBase

	Name        string // without "einvoice_"
	Description string
	Company     string                      // the argument that names the company; "" for issuer
	Attributes  map[string]schema.Attribute // apart from it
	Fill        func(ctx context.Context, reading *Session, m *M) diag.Diagnostics
}

// Metadata names the data source.
func (d *DocumentDataSource[M]) Metadata(
	_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = "einvoice_" + d.Name
}

// Schema adds the company to the attributes.
func (d *DocumentDataSource[M]) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	attributes := maps.Clone(d.Attributes)
	attributes[cmp.Or(d.Company, "issuer")] = attribute.IssuerArgument()
	resp.Schema = schema.Schema{MarkdownDescription: d.Description, Attributes: attributes}
}

// Read refuses documents that, as has shown by now, are another company's.
func (d *DocumentDataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m := new(M)
	resp.Diagnostics.Append(req.Config.Get(ctx, m)...)
	reading, diags := d.Reading(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(d.Fill(ctx, reading.Session, m)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(reading.RefuseOther()...)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	}
}

// DocumentAction does something about documents of one company, which an argument may
// name. M is its configuration.
type DocumentAction[M any] struct {
	ActionBase

	Name        string // without "einvoice_"
	Description string
	Company     string                            // the argument that names the company; "" for issuer
	Attributes  map[string]actionschema.Attribute // apart from it
	Perform     func(ctx context.Context, run *Invocation, config *M) diag.Diagnostics
}

// Invocation is one run of an action.
type Invocation struct {
	*Session                                  // of the company
	Schema   message.PathSchema               // of the action
	Report   func(format string, args ...any) // shows a line of progress
}

// Metadata names the action.
func (a *DocumentAction[M]) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "einvoice_" + a.Name
}

// Schema adds the company to the attributes, and the versions of the CLI to the description.
func (a *DocumentAction[M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := maps.Clone(a.Attributes)
	attributes[cmp.Or(a.Company, "issuer")] = attribute.ActionIssuer()
	resp.Schema = actionschema.Schema{MarkdownDescription: a.Description + ActionCLI, Attributes: attributes}
}

// Invoke performs the action with the key of the company.
func (a *DocumentAction[M]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	config := new(M)
	resp.Diagnostics.Append(req.Config.Get(ctx, config)...)
	acting, diags := a.Acting(ctx, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	run := &Invocation{Session: acting, Schema: req.Config.Schema, Report: Progress(ctx, resp)}
	resp.Diagnostics.Append(a.Perform(ctx, run, config)...)
}
