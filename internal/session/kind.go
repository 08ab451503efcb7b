package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/fiscal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// Kind is a kind of objects of the account, such as customers. The functions that resources and data sources share
// learn from it where one kind differs from another.
type Kind[T any] struct {
	einvoice.Kind

	Key    string // argument that finds an object without its id; "" if it takes several arguments
	HasKey func(object *T, key string) bool

	ID      func(*T) einvoice.Text
	Get     func(client *einvoice.Client, ctx context.Context, id string) (*T, error)
	Refresh func(
		ctx context.Context, client *einvoice.Client, of einvoice.Kind, id string, known func(*T) bool,
	) (*T, error)
	List func(*einvoice.Client, context.Context) iter.Seq2[*T, error]

	Attributes func() map[string]schema.Attribute // of the data sources
	Record     func(*T) any                       // what the data sources show of an object
	New        func() Model[T]                    // an empty state of the resource

	Read func(*Session, *T) // notes what a data source has read of an object; nil for nothing

	// Listed reports whether an object comes from a list, which may lag, because the service has no read by id. It is
	// nil for objects that are always read by their id.
	Listed func(*T) bool

	// Clean removes the secrets that objects may hold from diagnostics; nil if they hold none.
	Clean func(diag.Diagnostics) diag.Diagnostics
}

// Model is the state of a resource, of an object of type T.
type Model[T any] interface {
	FromAPI(object *T) diag.Diagnostics // takes the values of the service's object
	Agrees(object *T) bool              // reports whether the service's object has the values of the state
}

func (k *Kind[T]) clean(diags diag.Diagnostics) diag.Diagnostics {
	if k.Clean == nil {
		return diags
	}
	return k.Clean(diags)
}

// find reads the list for the only object with a key, because the specification has no filters for it. verb names the
// task in errors, such as "read".
func (k *Kind[T]) find(ctx context.Context, client *einvoice.Client, verb, key string) (*T, diag.Diagnostics) {
	found, err := einvoice.Matching(k.List(client, ctx), func(object *T) bool { return k.HasKey(object, key) })
	if err != nil {
		return nil, message.APIError(ctx, message.Task(verb, k.One), err, nil)
	}
	if diags := message.ExactlyOne(ctx, found, k.ID, k.One, k.Key, key); diags.HasError() {
		return nil, diags
	}
	return found[0], nil
}

// Managed is the interface of each resource of this provider.
type Managed interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
}

// ReadInto reads the object of a state into its model, or reports that it is gone. The model stays as it is if a list
// may not show the last write yet, or if the service shows no object of the kind, of which one warning a run tells.
func ReadInto[T any](
	ctx context.Context, s *Session, kind *Kind[T], model Model[T], state tfsdk.State, private PrivateData,
) (isGone bool, diags diag.Diagnostics) {
	var id types.String
	diags = state.GetAttribute(ctx, path.Root("id"), &id)
	// All refreshes share one list: an entry that agrees with the state saves a read by id.
	isImport := isImported(state)
	isKnown := func(object *T) bool { return isImport || model.Agrees(object) }
	object, err := kind.Refresh(ctx, s.Client, kind.Kind, id.ValueString(), isKnown)
	if s.wroteRecently(ctx, private) {
		isOld := err == nil && kind.Listed != nil && kind.Listed(object) && !isKnown(object)
		if isOld || errors.Is(err, einvoice.ErrOnlyUnlisted) {
			return false, diags
		}
	}
	switch {
	case err == nil:
		diags.Append(model.FromAPI(object)...)
	case !errors.Is(err, einvoice.ErrNotFound):
		diags.Append(keepUnseen(ctx, s, kind, id.ValueString(), isImport, err)...)
	}
	return errors.Is(err, einvoice.ErrNotFound), diags
}

// keepUnseen warns once a run if the service shows no object of the kind, so that the state stays as it is. Any other
// failed read is an error, and so is an import, whose state has nothing to keep.
func keepUnseen[T any](
	ctx context.Context, s *Session, kind *Kind[T], id string, isImport bool, err error,
) (diags diag.Diagnostics) {
	one, many := kind.One, kind.Many
	switch {
	case isImport && errors.Is(err, einvoice.ErrBadRequest):
		return kind.InvalidImportID(ctx, id)
	case isImport || kind.Listed == nil || !errors.Is(err, einvoice.ErrMissing):
		return message.APIError(ctx, message.Task("read", one), err, nil)
	case s.Client.IsFirstMissing("get_" + one):
		diags.Append(say.Warning(ctx, "object.unseen", text.With{"noun": message.Noun(one), "one": one, "many": many})...)
	}
	return diags
}

// isImported reports whether a state comes from an import and was not read since: it has an id and nothing else.
func isImported(state tfsdk.State) bool {
	var values map[string]tftypes.Value
	err := state.Raw.As(&values) // No copy: a change would change the state.
	for name, value := range values {
		if name != "id" && !value.IsNull() {
			return false
		}
	}
	return err == nil
}

// DeleteObject deletes an object, or warns that it stays because the service cannot delete it. label names it. No
// creation of this run adopts the deleted object, which a list that lags may still show.
func DeleteObject[T any](
	ctx context.Context, s *Session, kind *Kind[T], id types.String, label string,
) diag.Diagnostics {
	err := s.Client.Delete(ctx, kind.Kind, id.ValueString())
	switch {
	case errors.Is(err, einvoice.ErrCannotDelete):
		return message.StaysAtService(ctx, kind.One, label, id.ValueString())
	case err != nil:
		return message.APIError(ctx, message.Task("delete", kind.One), err, nil)
	}
	s.claim(einvoice.Text(id.ValueString()), deletes)
	return nil
}

// SameRequest reports whether two requests have the same JSON body.
func SameRequest[T any](one, other T) bool {
	first, err1 := json.Marshal(one)
	second, err2 := json.Marshal(other)
	return err1 == nil && err2 == nil && bytes.Equal(first, second)
}

// LookUpImportID returns the id of the object that a person imports. An import ID is that id already, or the key of
// the kind with a value, for which the list is searched. It is empty for an import by identity.
func LookUpImportID[T any](ctx context.Context, s *Session, kind *Kind[T], given string) (string, diag.Diagnostics) {
	key, byKey, ok := attribute.ImportedBy(kind.Key, given)
	if !ok {
		return "", kind.InvalidImportID(ctx, given)
	}
	if !byKey {
		return given, nil
	}
	if diags := s.Usable(ctx); diags.HasError() {
		return "", diags
	}
	object, diags := kind.find(ctx, s.Client, "import", key)
	if diags.HasError() {
		return "", diags
	}
	return string(kind.ID(object)), nil
}

// InvalidImportID refuses an import ID that no object of the kind can have.
func (k *Kind[T]) InvalidImportID(ctx context.Context, given string) diag.Diagnostics {
	if k.Key == "" { // A webhook, whose URL may hold a secret.
		return say.Error(ctx, "webhook.invalid_import_id", nil)
	}
	with := text.With{"noun": message.Noun(k.One), "by": text.Of("import.by_"+k.Key, nil), "meant": ""}
	if k.Key == "federal_tax_number" && fiscal.TaxNumberKind(given) != fiscal.KindForeign {
		with["meant"] = k.Key + "=" + given
	}
	return message.InvalidImportID(ctx, given, text.Of("import.forms", with))
}
