package message

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/journal"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/say"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// The environment variables that stand in for arguments.
const (
	EnvBaseURL           = "EINVOICE_BASE_URL"
	EnvAPIKey            = "EINVOICE_API_KEY"
	EnvRequestsPerMinute = "EINVOICE_REQUESTS_PER_MINUTE"
	EnvRequestsPerSecond = "EINVOICE_REQUESTS_PER_SECOND"
	EnvCacheDir          = "EINVOICE_CACHE_DIR"
	EnvCoordinationURL   = "EINVOICE_COORDINATION_URL"
	EnvEnvironments      = "EINVOICE_ENVIRONMENTS"
)

// Unrecorded is the error of what must happen once and was not sent: the journal could not record it, or an interrupt
// came first.
func Unrecorded(ctx context.Context, label any, err error) diag.Diagnostics {
	down, isDown := errors.AsType[*journal.UnavailableError](err)
	switch {
	case isDown: // Without the name of the row.
		return say.Error(ctx, "journal.database", text.With{"label": label, "cause": Cause(down)})
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return say.Error(ctx, "journal.interrupted", text.With{"label": label, "cause": Cause(err)})
	}
	return say.Error(ctx, "journal.unusable", text.With{"label": label, "cause": Cause(err)})
}
