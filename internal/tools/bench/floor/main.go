// Command floor is the provider without its own work: the same schemas, with their validators and plan modifiers, on
// the same framework and served in the same way; but a resource only copies its plan into its state, and sends nothing.
// What it costs is what any provider with these schemas costs. The bench measures the provider against it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	einvoice "github.com/einvoice-br/terraform-provider-einvoice/internal/provider"
)

func main() {
	// The floor uses the garbage collector as the provider does: it saves nothing but the work.
	debug.SetGCPercent(einvoice.GCPercent)
	err := errors.Join(os.Setenv("TF_LOG_SDK", "off"), os.Setenv("TF_LOG_PROVIDER_EINVOICE", "off"))
	if err == nil {
		serve := func() provider.Provider { return floor{einvoice.New("floor")()} }
		opts := providerserver.ServeOpts{Address: einvoice.RegistryAddress, ProtocolVersion: 6}
		err = providerserver.Serve(context.Background(), serve, opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

type floor struct{ provider.Provider }

func (floor) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (f floor) Resources(ctx context.Context) []func() resource.Resource {
	all := f.Provider.Resources(ctx)
	for i, original := range all {
		all[i] = func() resource.Resource {
			made := original()
			if identified, ok := made.(resource.ResourceWithIdentity); ok {
				return identifiedCopy{copied{made}, identified}
			}
			return copied{made}
		}
	}
	return all
}

// copied has the name and the schema of a resource, and nothing else of it.
type copied struct{ resource.Resource }

func (copied) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	id := uuid.NewString()
	resp.Diagnostics.Append(copyPlan(req.Plan, &resp.State, id)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// Read sets the identity, which older CLIs do not keep.
func (copied) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

func (copied) Update(_ context.Context, _ resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.AddError("The floor has no updates", "The bench creates and plans.")
}

func (copied) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// copyPlan makes a state of a plan. An unknown attribute gets a value as long as the service's: a CLI writes the
// whole state again after each change, so that its length is time.
func copyPlan(plan tfsdk.Plan, state *tfsdk.State, id string) (diags diag.Diagnostics) {
	isID := tftypes.NewAttributePath().WithAttributeName("id")
	known, err := tftypes.Transform(plan.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case at.Equal(isID):
			return tftypes.NewValue(v.Type(), id), nil
		}
		return filled(v.Type()), nil
	})
	if err != nil {
		diags.AddError("The plan cannot be copied", err.Error())
		return diags
	}
	state.Raw = known
	return diags
}

// filled is a value of a type: of a list, none.
func filled(of tftypes.Type) tftypes.Value {
	switch {
	case of.Is(tftypes.String):
		return tftypes.NewValue(of, "São Paulo")
	case of.Is(tftypes.Number):
		return tftypes.NewValue(of, 1058)
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, false)
	}
	object, ok := of.(tftypes.Object)
	if !ok {
		return tftypes.NewValue(of, nil)
	}
	values := map[string]tftypes.Value{}
	for name, member := range object.AttributeTypes {
		values[name] = filled(member)
	}
	return tftypes.NewValue(of, values)
}

// identifiedCopy is one that has an identity.
type identifiedCopy struct {
	copied
	original resource.ResourceWithIdentity
}

func (c identifiedCopy) IdentitySchema(
	ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	c.original.IdentitySchema(ctx, req, resp)
}
