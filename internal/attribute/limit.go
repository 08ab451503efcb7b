package attribute

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the data sources that narrow a list share.

const DefaultLimit = 1000

// Limit bounds a list of what plural names, after filtering.
func Limit(plural string) schema.Int64Attribute {
	return schema.Int64Attribute{
		MarkdownDescription: fmt.Sprintf("How many %s to read at most, counted after filtering. Defaults to `%d`. A warning tells when there may be more.", plural, DefaultLimit),
		Optional:            true,
		Validators:          []validator.Int64{WholeNumberValidator{Least: 1, Example: 100}},
	}
}

func LimitOr(configured types.Int64, fallback int64) int64 {
	if configured.IsNull() {
		return fallback
	}
	return configured.ValueInt64()
}

// CutAtLimit tells that a list goes on.
func CutAtLimit(plural string, limit int64) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root("limit"), "List of "+plural+" cut at the limit",
		fmt.Sprintf("The first %d %s that match were read, and the service's list goes on behind them. Narrow the filters, or raise `limit`.", limit, plural))
}
