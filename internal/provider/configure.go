package provider

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// session is what one provider configuration hands to its resources.
type session struct {
	client   *einvoice.Client // nil while unknown is not empty
	cacheDir string           // of the shared rate file and the journal; "" where there is none

	requestTimeout time.Duration // of one exchange

	unknown    []string // provider arguments that are not known yet
	emptyKey   bool     // api_key is configured and empty
	missingKey bool     // api_key is neither configured nor in the environment
}

// deferred tells that the configuration is not known yet, as it is while the
// company whose key it uses is about to be created or replaced. Reads of
// existing objects then keep the prior state.
func (s *session) deferred() bool {
	return s == nil || len(s.unknown) > 0
}

// usable returns the error that a request under this configuration ends with
// before it is sent, if any.
func (s *session) usable() diag.Diagnostics {
	var diags diag.Diagnostics
	switch {
	case s.deferred():
		names := "api_key"
		if s != nil {
			names = strings.Join(s.unknown, ", ")
		}
		diags.AddError("Provider configuration not known yet", unknownConfiguration(names))
	case s.emptyKey:
		diags.AddError("Empty API key", emptyAPIKey)
	case s.missingKey:
		diags.AddError("Missing API key", missingAPIKey)
	}
	return diags
}

const minPatience = 20 * time.Second

// patience is how long to look for what became of a request whose answer was
// lost.
func (s *session) patience() time.Duration { return max(minPatience, 2*s.requestTimeout) }

// resourceBase carries the session into a resource.
type resourceBase struct {
	*session
}

func (b *resourceBase) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	b.session = sessionFrom(req.ProviderData, &resp.Diagnostics)
}

// refuseUnusableKey fails the plan of a new object when its key is known to be
// empty or missing: without it the plan would be green and only apply fail.
func (b *resourceBase) refuseUnusableKey(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if b.session == nil || b.deferred() || !req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return
	}
	resp.Diagnostics.Append(b.usable()...)
}

// dataSourceBase carries the session into a data source.
type dataSourceBase struct {
	*session
}

func (b *dataSourceBase) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	b.session = sessionFrom(req.ProviderData, &resp.Diagnostics)
}

func sessionFrom(providerData any, diags *diag.Diagnostics) *session {
	if providerData == nil { // Configure also runs before the provider is configured.
		return nil
	}
	s, ok := providerData.(*session)
	if !ok {
		diags.Append(providerBug("unexpected provider data %T", providerData))
	}
	return s
}
