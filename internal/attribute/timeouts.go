package attribute

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// DefaultIssuanceTimeout is how long to wait for the authority.
const DefaultIssuanceTimeout = 10 * time.Minute

// WaitTimeouts is the library's attribute with the description that it has no
// option for.
func WaitTimeouts(ctx context.Context, operations timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, operations)
	if nested, ok := attribute.(schema.SingleNestedAttribute); ok {
		for name, duration := range nested.Attributes {
			if text, ok := duration.(schema.StringAttribute); ok {
				text.Validators = nil // ValidateTimeouts says the same, and more.
				text.Description, text.MarkdownDescription = "", "A duration such as `90s` or `15m`."
				if name == "delete" {
					text.MarkdownDescription += " It counts once it has been applied."
				}
				nested.Attributes[name] = text
			}
		}
		nested.MarkdownDescription = "How long to wait for the authority, each `10m` by default. An invoice that takes longer is not lost: the next apply goes on waiting for it."
		return nested
	}
	return attribute
}

// ValidateTimeouts refuses what the library accepts although apply would then
// fail at once: a duration that is not above zero.
func ValidateTimeouts(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
	var limits timeouts.Value
	diags := config.GetAttribute(ctx, path.Root("timeouts"), &limits)
	if diags.HasError() || IsUnset(limits) {
		return diags
	}
	for name, value := range limits.Attributes() {
		if IsUnset(value) {
			continue
		}
		if text, ok := value.(interface{ ValueString() string }); ok && !positiveDuration(text.ValueString()) {
			diags.AddAttributeError(path.Root("timeouts"), "Invalid timeout",
				fmt.Sprintf("`timeouts.%s` is %q. It must be a duration above zero with a unit, for example \"10m\".", name, text.ValueString()))
		}
	}
	return diags
}

// WithTimeout returns a context that ends after a configured time, such as Timeouts.Create.
func WithTimeout(
	ctx context.Context, configured func(context.Context, time.Duration) (time.Duration, diag.Diagnostics),
	diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	timeout, failed := configured(ctx, DefaultIssuanceTimeout)
	diags.Append(failed...)
	return context.WithTimeout(ctx, timeout)
}
