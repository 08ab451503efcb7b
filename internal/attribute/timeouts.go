package attribute

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// DefaultIssuanceTimeout is how long to wait for the authority.
const DefaultIssuanceTimeout = 10 * time.Minute

// WaitTimeouts is the library's attribute for creation, update and deletion, described in
// the words of this provider. The library accepts durations that are not above zero, with
// which an apply would fail at once.
func WaitTimeouts(ctx context.Context) schema.Attribute {
	attribute := timeouts.Attributes(ctx, timeouts.Opts{Create: true, Update: true, Delete: true})
	nested, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}
	for name := range nested.Attributes {
		duration := schema.StringAttribute{
			MarkdownDescription: "A duration such as `90s` or `15m`.",
			Optional:            true,
			Validators:          []validator.String{timeoutCheck},
		}
		if name == "delete" {
			duration.MarkdownDescription += " It takes effect only after it has been applied."
		}
		nested.Attributes[name] = duration
	}
	nested.MarkdownDescription = "How long to wait for the authority, each `10m` by default. An invoice that takes " +
		"longer is not lost: the next apply continues to wait for it."
	return nested
}

var timeoutCheck = TextCheck{"a duration above zero with a unit", func(c Checked) {
	if !isPositiveDuration(c.Text) {
		c.Fail("Invalid timeout", fmt.Sprintf("`%s` is %q. It must be %s, such as \"10m\".", c.Path, c.Text, c.Rule))
	}
}}

// WithTimeout returns a context that ends after a configured time, such as Timeouts.Create.
func WithTimeout(
	ctx context.Context, configured func(context.Context, time.Duration) (time.Duration, diag.Diagnostics),
	diags *diag.Diagnostics,
) (context.Context, context.CancelFunc) {
	timeout, failed := configured(ctx, DefaultIssuanceTimeout)
	diags.Append(failed...)
	return context.WithTimeout(ctx, timeout)
}
