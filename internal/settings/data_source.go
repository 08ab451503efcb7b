package settings

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type settingsDataModel struct {
	blocksModel

	ID        types.String `tfsdk:"id"`
	CompanyID types.String `tfsdk:"company_id"`
}

// NewDataSource is the data source einvoice_company_settings. It reads no secrets: they would be in
// every state that reads them.
func NewDataSource() datasource.DataSource {
	attributes := attribute.Computed(resourceAttributes(withoutSecrets(blocks)))
	attributes["id"] = attribute.ComputedText("Identifier of the company.")
	attributes["company_id"] = attribute.RequiredText("Identifier of the company.")
	return &session.DataSource[settingsDataModel]{
		Name: "company_settings",
		Description: "The settings of one company as the service holds them now, without the secrets. " +
			"Needs the main company's key.",
		Attributes: attributes,
		Fill: func(ctx context.Context, reading *session.Session, m *settingsDataModel) diag.Diagnostics {
			settings, err := reading.Client.CompanySettings(ctx, m.CompanyID.ValueString())
			switch {
			case errors.Is(err, einvoice.ErrNotFound):
				return message.CompanyNotFound(ctx, m.CompanyID.ValueString(), err)
			case err != nil:
				return message.APIError(ctx, message.Task("read", "company_settings"), err, nil)
			}
			m.ID = m.CompanyID
			return m.read(ctx, settings.Blocks, withoutSecrets(blocks))
		},
	}
}

// withoutSecrets returns the fields that a data source shows.
func withoutSecrets(fields []field) []field {
	var shown []field
	for _, f := range fields {
		if f.kind != secret {
			f.fields = withoutSecrets(f.fields)
			shown = append(shown, f)
		}
	}
	return shown
}
