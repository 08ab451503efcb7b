// Package object has what the resources of the account's objects, such as customers, have in common.
package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

// Resource manages objects of type T, whose state is an M.
type Resource[T, M any, P interface {
	*M
	session.Model[T]
}] struct {
	session.ResourceBase
	attribute.IDIdentity

	Kind        *session.Kind[T]
	Description string
	Attributes  func() map[string]schema.Attribute
	Label       func(*M) string // names an object in messages

	// Clean takes secrets of a state out of diagnostics; nil if there are none.
	Clean func(diag.Diagnostics, *M) diag.Diagnostics

	// Both are for Create, and nil for a resource that has its own.
	Creation func(*einvoice.Client, *M) session.Creation[T]
	Fill     func(*M, context.Context, *T) diag.Diagnostics // takes the id and what the service chooses
}

func (r *Resource[T, M, P]) clean(diags diag.Diagnostics, state *M) diag.Diagnostics {
	if r.Clean == nil {
		return diags
	}
	return r.Clean(diags, state)
}

// Metadata names the resource.
func (r *Resource[T, M, P]) Metadata(
	_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = "einvoice_" + r.Kind.One
}

// Schema has the attributes.
func (r *Resource[T, M, P]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: r.Description, Attributes: r.Attributes()}
}

// ValidateConfig checks extra_json against the other attributes.
func (r *Resource[T, M, P]) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	if _, isThere := req.Config.Schema.GetAttributes()["extra_json"]; isThere {
		resp.Diagnostics.Append(attribute.ValidateExtra(ctx, req.Config)...)
	}
}

// ModifyPlan leaves the plan as it is, and sends no request.
func (r *Resource[T, M, P]) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(ctx, req, resp)
}

// Create keeps in state what was sent: warnings name what the service holds otherwise. It does not change an object
// that it adopts after a lost response, whose entry in the list may be short: the next plan shows where that differs.
func (r *Resource[T, M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := new(M)
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	created, isAdopted, diags := session.CreateNamed(ctx, r.Session, r.Kind, r.Creation(r.Client, plan), req.Plan.Schema)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return // Without state: an object that is in state beside an error is replaced.
	}
	resp.Diagnostics.Append(r.Fill(plan, ctx, created)...)
	id := attribute.TextOrNull(r.Kind.ID(created))
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(r.NoteWrite(ctx, resp.Private)...)
	if !isAdopted {
		resp.Diagnostics.Append(P(plan).FromAPI(created)...)
		resp.Diagnostics.Append(attribute.WarnOfUnkept(ctx, resp.State, plan)...)
	}
}

// Read leaves the state as it is while the list may not show its last write yet, and if the service shows no objects.
func (r *Resource[T, M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, id := new(M), types.String{}
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
	if resp.Diagnostics.HasError() || !r.MayRead(ctx, &resp.Diagnostics) {
		return
	}
	isGone, diags := session.ReadInto(ctx, r.Session, r.Kind, P(state), req.State, resp.Private)
	if resp.Diagnostics.Append(r.clean(diags, state)...); isGone {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// Delete deletes the object, or warns that it stays.
func (r *Resource[T, M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, id := new(M), types.String{}
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	resp.Diagnostics.Append(r.Usable(ctx)...)
	if !resp.Diagnostics.HasError() {
		diags := session.DeleteObject(ctx, r.Session, r.Kind, id, r.Label(state))
		resp.Diagnostics.Append(r.clean(diags, state)...)
	}
}

// ImportState takes an id, or the key of the kind with a value that exactly one object has.
func (r *Resource[T, M, P]) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	id, diags := session.LookUpImportID(ctx, r.Session, r.Kind, req.ID)
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	req.ID = id
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
