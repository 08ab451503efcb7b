package certificate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/attribute"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
)

type certificatesDataModel struct {
	CompanyID    types.String           `tfsdk:"company_id"`
	DaysLeft     types.Int64            `tfsdk:"days_left"`
	Certificates []certificateDataModel `tfsdk:"certificates"`
}

type certificateDataModel struct {
	Subject   types.String `tfsdk:"subject"`
	Issuer    types.String `tfsdk:"issuer"`
	ExpiresAt types.String `tfsdk:"expires_at"`
	DaysLeft  types.Int64  `tfsdk:"days_left"`
	IsActive  types.Bool   `tfsdk:"is_active"`
}

// NewDataSource is the data source einvoice_company_certificates. It counts the days that are left
// when it is read, so they change although nothing changes at the service.
func NewDataSource() datasource.DataSource {
	return &session.DataSource[certificatesDataModel]{
		Name: "company_certificates",
		Description: "The digital certificates (certificado digital A1) of one company, and how long the " +
			"active one is still valid. Use it in a `check` that warns in time. Without a valid certificate, a " +
			"company can neither issue nor receive invoices. Needs the main company's key.",
		Attributes: map[string]schema.Attribute{
			"company_id": attribute.RequiredText("Identifier of the company."),
			"days_left": attribute.ComputedInt("Whole days until the active certificate expires. Negative if it has " +
				"expired. Null if the company has no active certificate."),
			"certificates": schema.ListNestedAttribute{
				MarkdownDescription: "All certificates, sorted by expiry. Empty if there is none.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"subject":    attribute.ComputedText("Holder of the certificate."),
					"issuer":     attribute.ComputedText("Certification authority that issued it."),
					"expires_at": attribute.ComputedText("When the certificate expires."),
					"days_left":  attribute.ComputedInt("Whole days until it expires. Negative if it has expired."),
					"is_active": schema.BoolAttribute{
						MarkdownDescription: "Whether the company signs with it.", Computed: true,
					},
				}},
			},
		},
		Fill: func(ctx context.Context, reading *session.Session, m *certificatesDataModel) diag.Diagnostics {
			found, err := einvoice.All(reading.Client.Certificates(ctx, m.CompanyID.ValueString()))
			if err != nil {
				return requestError(ctx, "read company certificates", m.CompanyID.ValueString(), err, nil)
			}
			m.fromAPI(found, time.Now())
			return nil
		},
	}
}

func (m *certificatesDataModel) fromAPI(found []*einvoice.Certificate, now time.Time) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b *einvoice.Certificate) int {
		ends, _ := einvoice.ParseTime(string(a.ExpirationAt))
		other, _ := einvoice.ParseTime(string(b.ExpirationAt))
		return cmp.Or(ends.Compare(other), strings.Compare(string(a.ID), string(b.ID)))
	})
	m.Certificates, m.DaysLeft = make([]certificateDataModel, 0, len(found)), types.Int64Null()
	for _, c := range found {
		left := daysLeft(c, now)
		// Should several be active, the first that expires counts.
		if isActive(c) && m.DaysLeft.IsNull() {
			m.DaysLeft = left
		}
		m.Certificates = append(m.Certificates, certificateDataModel{
			Subject: attribute.TextOrNull(c.Subject), Issuer: attribute.TextOrNull(c.Issuer),
			ExpiresAt: attribute.TextOrNull(c.ExpirationAt), DaysLeft: left, IsActive: attribute.FlagOrNull(c.IsActive),
		})
	}
}

func daysLeft(c *einvoice.Certificate, now time.Time) types.Int64 {
	end, ok := einvoice.ParseTime(string(c.ExpirationAt))
	if !ok {
		return types.Int64Null()
	}
	return types.Int64Value(wholeDays(end.Sub(now)))
}

// wholeDays rounds down: 0 is the last day, and -1 the first one that is too late.
func wholeDays(d time.Duration) int64 { return int64(math.Floor(d.Hours() / 24)) }
