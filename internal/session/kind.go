package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// Kind is a kind of objects of the account, such as customers. Its fields are what differs
// between the verbs and data sources of one kind and those of another.
type Kind[T any] struct {
	einvoice.Kind

	Key     string // argument that finds an object without its id; "" where one does not suffice
	KeyForm string // what stands behind it in an import ID, with an example
	HasKey  func(object *T, key string) bool

	ID      func(*T) einvoice.Text
	Get     func(client *einvoice.Client, ctx context.Context, id string) (*T, error)
	Refresh func(
		ctx context.Context, client *einvoice.Client, of einvoice.Kind, id string, known func(*T) bool,
	) (*T, error)
	List func(*einvoice.Client, context.Context) iter.Seq2[*T, error]

	Attributes func() map[string]schema.Attribute // of the data sources
	Record     func(*T) any                       // what the data sources show of an object
	New        func() Model[T]                    // an empty state of the resource

	// MayHide reports whether a service may show these objects neither by id nor in a list.
	MayHide bool

	// Listed reports whether only a list shows the object, which may lag; nil where each is read by its id.
	Listed func(*T) bool

	// Clean takes the secrets that objects may hold out of errors; nil where they hold none.
	Clean func(diag.Diagnostics) diag.Diagnostics
}

// Model is the state of a resource, of an object of type T.
type Model[T any] interface {
	FromAPI(object *T) diag.Diagnostics // takes what the service holds
	Agrees(object *T) bool              // reports whether that is what the state says
}

func (k *Kind[T]) clean(diags diag.Diagnostics) diag.Diagnostics {
	if k.Clean == nil {
		return diags
	}
	return k.Clean(diags)
}

// find walks the list for the only object with a key: the filters of the list are not specified.
// task reads "read customer".
func (k *Kind[T]) find(ctx context.Context, client *einvoice.Client, task, key string) (*T, diag.Diagnostics) {
	found, err := einvoice.Matching(k.List(client, ctx), func(object *T) bool { return k.HasKey(object, key) })
	if err != nil {
		return nil, message.APIError(ctx, task, err, nil)
	}
	if diags := message.ExactlyOne(found, k.ID, k.One, k.Key, key); diags.HasError() {
		return nil, diags
	}
	return found[0], nil
}

// Managed is what the framework calls of each resource.
type Managed interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
}

// ObjectResource has the methods that the resources of all kinds share. They embed it.
type ObjectResource[T any] struct {
	ResourceBase
	Kind *Kind[T]
}

// Metadata names the resource.
func (r *ObjectResource[T]) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "einvoice_" + r.Kind.One
}

// IdentitySchema is the id.
func (r *ObjectResource[T]) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = attribute.IDIdentity()
}

// ValidateConfig checks extra_json, where the resource has it.
func (r *ObjectResource[T]) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	if _, ok := req.Config.Schema.GetAttributes()["extra_json"]; ok {
		resp.Diagnostics.Append(attribute.ValidateExtra(ctx, req.Config)...)
	}
}

// ModifyPlan refuses a key that cannot be used, and warns of a change that the service did not keep
// the last time.
func (r *ObjectResource[T]) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	r.RefuseUnusableKey(req, resp)
	resp.Diagnostics.Append(r.ConfirmCreation(ctx, req.State, resp.Private)...)
	resp.Diagnostics.Append(r.Kind.clean(attribute.WarnOfRepetition(ctx, req.Plan, req.State, req.Private))...)
}

// Read keeps the state as it is where the service shows it so, or does not show such objects.
func (r *ObjectResource[T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.String
	state := r.Kind.New()
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
	if !r.MayRead(&resp.Diagnostics) {
		return
	}
	fromImport := isImported(req.State) // Then there is nothing to compare, and nothing to keep.
	isKnown := func(object *T) bool { return fromImport || state.Agrees(object) }
	object, err := r.Kind.Refresh(ctx, r.Client, r.Kind.Kind, id.ValueString(), isKnown)
	if r.MayLag(ctx, req.Private, err) {
		return
	}
	isYoung := r.isWrittenNow(ctx, req.Private, resp.Private)
	if err == nil && r.Kind.Listed != nil && r.Kind.Listed(object) && isYoung && !isKnown(object) {
		return // The list may still show what the last write has changed.
	}
	resp.Diagnostics.Append(r.ConfirmCreation(ctx, req.State, resp.Private)...)
	switch {
	case err == nil:
		resp.Diagnostics.Append(state.FromAPI(object)...)
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
		return
	case errors.Is(err, einvoice.ErrNotFound):
		resp.State.RemoveResource(ctx)
		return
	case (r.Kind.MayHide || errors.Is(err, einvoice.ErrSingleObject)) && !fromImport:
		diags, keeps := r.keepsUnshown(ctx, err)
		if resp.Diagnostics.Append(diags...); keeps {
			return
		}
	case r.Kind.MayHide && r.Client.ShowsNone(ctx, err):
		resp.Diagnostics.Append(r.cannotImport(id.ValueString())...)
		return
	}
	resp.Diagnostics.Append(message.APIError(ctx, "read "+r.Kind.One, err, nil)...)
}

// keepsUnshown reports whether an object in state stays as it is because the service shows
// no object of its kind. A run warns once a kind.
func (r *ObjectResource[T]) keepsUnshown(ctx context.Context, err error) (diags diag.Diagnostics, keeps bool) {
	if !r.Client.ShowsNone(ctx, err) {
		return nil, false
	}
	one, many := r.Kind.One, r.Kind.Many
	if !r.Client.IsFirstMissing("get_" + one) {
		return diags, true
	}
	summary, happened := "The service does not show any "+one, fmt.Sprintf(
		"It answers neither `get_%s` nor `list_%s` (HTTP 404 or 405).", one, many)
	if errors.Is(err, einvoice.ErrSingleObject) {
		summary, happened = "The service shows only one "+one, fmt.Sprintf(
			"It does not answer `get_%s` (HTTP 404 or 405), and `list_%s` with one object in place of a list.", one, many)
	}
	diags.AddWarning(summary, happened+" The state keeps what was applied last, and a change or deletion elsewhere is "+
		"not noticed. If the service has them under other paths, name these in `operations` of the provider.")
	return diags, true
}

// cannotImport is the error of an import from a service that shows no object of the kind.
func (r *ObjectResource[T]) cannotImport(id string) diag.Diagnostics {
	return message.Error("Cannot import "+r.Kind.One+" "+id, fmt.Sprintf(
		"The service shows %s neither by their id nor in a list, so that none can be imported.", r.Kind.Many),
		"Delete it in the back office, remove the `import` block and apply: that creates it anew. "+
			"Or leave it out of the configuration.", message.MissingOperation("get_"+r.Kind.One))
}

// isImported reports whether a state is what an import has made: an id and nothing else.
func isImported(state tfsdk.State) bool {
	var values map[string]tftypes.Value
	err := state.Raw.As(&values) // It is the map of the state itself.
	for name, value := range values {
		if name != "id" && !value.IsNull() {
			return false
		}
	}
	return err == nil
}

// Delete deletes an object that has a name.
func (r *ObjectResource[T]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id, name types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	resp.Diagnostics.Append(r.Usable()...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.DeleteObject(ctx, id, name.ValueString())...)
	}
}

// DeleteObject deletes an object, or warns that the service cannot. label names it.
func (r *ObjectResource[T]) DeleteObject(ctx context.Context, id types.String, label string) diag.Diagnostics {
	err := r.Client.Delete(ctx, r.Kind.Kind, id.ValueString())
	switch {
	case errors.Is(err, einvoice.ErrCannotDelete):
		kind := message.SentenceCase(r.Kind.One)
		return diag.Diagnostics{message.StaysAtService(kind, label, id.ValueString())}
	case err != nil:
		return message.APIError(ctx, "delete "+r.Kind.One, err, nil)
	}
	r.process().claimed.Store(einvoice.Text(id.ValueString()), true)
	return nil
}

// CreationRefused reports a creation that the service refused. It says how to import an object that
// exists already. isSame reports whether an object of the list may be that one.
func (r *ObjectResource[T]) CreationRefused(
	ctx context.Context, c Creation[T], isSame func(*T) bool, err error, schema message.PathSchema,
) diag.Diagnostics {
	failure, isAnswer := errors.AsType[*einvoice.Error](err)
	plain := message.APIError(ctx, "create "+r.Kind.One, err, schema)
	isConflict := isAnswer && failure.Status == http.StatusConflict
	if !isConflict && (!isAnswer || failure.Status != http.StatusUnprocessableEntity) {
		return plain
	}
	found, listErr := einvoice.Matching(r.Kind.List(r.Client, ctx), isSame)
	if listErr != nil {
		found = nil
	}
	if !isConflict && len(found) == 0 {
		return plain // A 422 may be about any value.
	}
	more := ""
	if r.Kind.MayHide && errors.Is(listErr, einvoice.ErrMissing) {
		more = withoutRead(r.Kind.One)
	}
	return r.AlreadyExists(c.What, failure, found, more)
}

// withoutRead says what to do instead of an import at a service that lists no objects of a kind.
func withoutRead(one string) string {
	return fmt.Sprintf("The import needs `get_%[1]s`. If the service does not read a single %[1]s either, "+
		"delete this one in the back office, or leave it out of the configuration.", one)
}

// AlreadyExists is the error of a refused creation of something that exists. It says how to import
// it; found are the objects that may be it, and more is what else to know.
func (r *ObjectResource[T]) AlreadyExists(
	what string, failure *einvoice.Error, found []*T, more string,
) diag.Diagnostics {
	importID, advice := "ID", "Look up its id in the back office, and import it instead of creating it:"
	if len(found) > 0 {
		importID, advice = string(r.Kind.ID(found[0])), "Import it instead of creating it:"
	}
	if len(found) > 1 {
		advice = fmt.Sprintf("The account has %d that match: %s. Import the right one instead:",
			len(found), message.IDs(found, r.Kind.ID))
	}
	return message.Error(message.SentenceCase(what)+" already exists", message.RefusalWords(failure), advice,
		fmt.Sprintf("import {\n  to = einvoice_%s.NAME\n  id = %q\n}", r.Kind.One, importID), more,
		message.Reference(failure))
}

// ImportState takes an id, or the key and its value.
func (r *ObjectResource[T]) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	key, byKey, ok := attribute.ImportedBy(r.Kind.Key, req.ID)
	if !ok {
		resp.Diagnostics.Append(message.InvalidImportID(req.ID, "It must be the id of a "+r.Kind.One+" (a UUID), or `"+
			r.Kind.Key+"=` and the "+r.Kind.One+"'s "+r.Kind.KeyForm+"."))
		return
	}
	if byKey {
		if resp.Diagnostics.Append(r.Usable()...); resp.Diagnostics.HasError() {
			return
		}
		object, diags := r.Kind.find(ctx, r.Client, "import "+r.Kind.One, key)
		if resp.Diagnostics.Append(diags...); diags.HasError() {
			return
		}
		req.ID = string(r.Kind.ID(object))
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}
