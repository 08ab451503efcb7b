package session

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// KeepsUnshown reports whether an object in state stays as it is because the service shows
// no object of its kind. A run warns once a kind. one and many are words of operations.
func (s *Session) KeepsUnshown(
	ctx context.Context, one, many string, err error,
) (diags diag.Diagnostics, keeps bool) {
	if !s.Client.ShowsNone(ctx, err) {
		return nil, false
	}
	if s.Client.IsFirstMissing("get_" + one) {
		diags.AddWarning(fmt.Sprintf("The service does not show any %s", one), fmt.Sprintf(
			"It answers neither `get_%s` nor `list_%s` (HTTP 404 or 405). The state keeps what was applied last, "+
				"and a change or deletion elsewhere is not noticed. If the service has them under other paths, "+
				"name these in `operations` of the provider.", one, many))
	}
	return diags, true
}
