package settings

import (
	"context"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
)

// rewriteSettings reads the settings, and sends what change makes of them. A repetition reads and changes again.
func rewriteSettings(
	ctx context.Context, c *einvoice.Client, companyID string,
	change func(held *einvoice.Settings) (map[string]einvoice.SettingsBlock, error),
) error {
	held, err := c.CompanySettings(ctx, companyID)
	if err != nil {
		return err
	}
	blocks, err := change(held)
	if err != nil {
		return err
	}
	return c.PutCompanySettings(ctx, companyID, blocks,
		func(held *einvoice.Settings, _ bool) (map[string]einvoice.SettingsBlock, error) { return change(held) })
}
