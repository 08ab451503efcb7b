package testkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Where an example hands something to another provider, this program stands in
// for that one.
const (
	// StandInBinary is the name under which it serves the one resource that the
	// example of the webhook secret uses.
	StandInBinary = "terraform-provider-aws"
	// EnvStandIn names the file that the stand-in writes what it is given into.
	EnvStandIn = "EINVOICE_TEST_STANDIN"
)

// servedStandIn serves when the program was started as the stand-in.
func servedStandIn() bool {
	if !strings.HasPrefix(filepath.Base(os.Args[0]), StandInBinary) {
		return false
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return standIn{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/aws", ProtocolVersion: 6})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

type standIn struct{}

func (standIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aws"
}
func (standIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (standIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (standIn) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (standIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return standInParameter{} }}
}

type standInParameter struct{}

func (standInParameter) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "aws_ssm_parameter"
}

func (standInParameter) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name":             schema.StringAttribute{Required: true},
		"type":             schema.StringAttribute{Required: true},
		"value_wo":         schema.StringAttribute{Optional: true, WriteOnly: true, Sensitive: true},
		"value_wo_version": schema.Int64Attribute{Optional: true},
	}}
}

func (standInParameter) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var given types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("value_wo"), &given)...)
	if err := os.WriteFile(os.Getenv(EnvStandIn), []byte(given.ValueString()), 0o600); err != nil {
		resp.Diagnostics.AddError("Cannot write", err.Error())
	}
	resp.State.Raw = req.Plan.Raw
}

func (standInParameter) Read(_ context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	resp.State.Raw = req.State.Raw
}

func (standInParameter) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (standInParameter) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
