package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/poll"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// speaking is a server whose requests carry the language and the form of what is said to a person. A request without a
// method here says nothing, or is a function's: that knows the language of the environment alone.
type speaking struct {
	server
	speaker *text.Speaker
}

// server is all that the framework serves.
type server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// speak makes a server speak the language of its provider block.
func speak(framework tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return speaking{framework.(server), &text.Speaker{}} //nolint:forcetypeassert // The framework's has them all.
}

// speaks is the context of a request: its language and form, and where its long waits are told.
func (s speaking) speaks(ctx context.Context, form text.Form) context.Context {
	return poll.Telling(s.speaker.Speaking(ctx, form), session.LogWait)
}

func (s speaking) ValidateProviderConfig(
	ctx context.Context, q *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return s.server.ValidateProviderConfig(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ConfigureProvider(
	ctx context.Context, q *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return s.server.ConfigureProvider(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ValidateResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return s.server.ValidateResourceConfig(s.speaks(ctx, text.Plan), q)
}

func (s speaking) UpgradeResourceState(
	ctx context.Context, q *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return s.server.UpgradeResourceState(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ReadResource(
	ctx context.Context, q *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return s.server.ReadResource(s.speaks(ctx, text.Plan), q)
}

func (s speaking) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return s.server.PlanResourceChange(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return s.server.ApplyResourceChange(s.speaks(ctx, formOf(q)), q)
}

func (s speaking) ImportResourceState(
	ctx context.Context, q *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return s.server.ImportResourceState(s.speaks(ctx, text.Plan), q)
}

func (s speaking) MoveResourceState(
	ctx context.Context, q *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return s.server.MoveResourceState(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ValidateDataResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return s.server.ValidateDataResourceConfig(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ReadDataSource(
	ctx context.Context, q *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return s.server.ReadDataSource(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ValidateEphemeralResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return s.server.ValidateEphemeralResourceConfig(s.speaks(ctx, text.Plan), q)
}

func (s speaking) OpenEphemeralResource(
	ctx context.Context, q *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return s.server.OpenEphemeralResource(s.speaks(ctx, text.Apply), q)
}

func (s speaking) RenewEphemeralResource(
	ctx context.Context, q *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return s.server.RenewEphemeralResource(s.speaks(ctx, text.Apply), q)
}

func (s speaking) CloseEphemeralResource(
	ctx context.Context, q *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return s.server.CloseEphemeralResource(s.speaks(ctx, text.Apply), q)
}

func (s speaking) ValidateListResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return s.server.ValidateListResourceConfig(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ListResource(
	ctx context.Context, q *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	return s.server.ListResource(s.speaks(ctx, text.Plan), q)
}

func (s speaking) ValidateActionConfig(
	ctx context.Context, q *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return s.server.ValidateActionConfig(s.speaks(ctx, text.Action), q)
}

func (s speaking) PlanAction(
	ctx context.Context, q *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	return s.server.PlanAction(s.speaks(ctx, text.Action), q)
}

func (s speaking) InvokeAction(
	ctx context.Context, q *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	return s.server.InvokeAction(s.speaks(ctx, text.Action), q)
}

// formOf tells a destroy from any other apply.
func formOf(q *tfprotov6.ApplyResourceChangeRequest) text.Form {
	if isNull, err := q.PlannedState.IsNull(); err == nil && isNull {
		return text.Destroy
	}
	return text.Apply
}
