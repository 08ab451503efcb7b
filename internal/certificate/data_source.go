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
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/session"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/shown"
)

type certificatesDataModel struct {
	CompanyID    types.String   `tfsdk:"company_id"`
	DaysLeft     types.Int64    `tfsdk:"days_left"`
	Certificates []types.Object `tfsdk:"certificates"`
}

// certificateFields counts the days that are left from now on.
func certificateFields(now time.Time) func(*einvoice.Certificate) shown.Fields {
	return func(c *einvoice.Certificate) shown.Fields {
		return shown.Fields{
			"subject":    shown.Text("Holder of the certificate.", c.Subject),
			"issuer":     shown.Text("Certification authority that issued it.", c.Issuer),
			"expires_at": shown.Text("When the certificate expires.", c.ExpirationAt),
			"days_left":  shown.Int("Whole days until it expires. Negative if it has expired.", daysLeft(c, now)),
			"is_active":  shown.Flag("Whether the company signs with it.", c.IsActive),
		}
	}
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
				"expired. Null if the company has no active certificate. An output with it changes every day."),
			"certificates": shown.List("All certificates, sorted by expiry. Empty if there is none.",
				certificateFields(time.Time{})),
		},
		Fill: func(ctx context.Context, reading *session.Session, m *certificatesDataModel) diag.Diagnostics {
			found, err := einvoice.All(reading.Client.Certificates(ctx, m.CompanyID.ValueString()))
			if err != nil {
				return requestError(ctx, message.Task("read", "company_certificates"), m.CompanyID.ValueString(), err, nil)
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
	m.Certificates, m.DaysLeft = make([]types.Object, 0, len(found)), types.Int64Null()
	for _, c := range found {
		if isActive(c) && m.DaysLeft.IsNull() { // Should several be active, the first that expires counts.
			m.DaysLeft = attribute.IntOrNull(daysLeft(c, now))
		}
		m.Certificates = append(m.Certificates, shown.Value(c, certificateFields(now)))
	}
}

func daysLeft(c *einvoice.Certificate, now time.Time) *einvoice.Int {
	end, ok := einvoice.ParseTime(string(c.ExpirationAt))
	if !ok {
		return nil
	}
	days := einvoice.Int(wholeDays(end.Sub(now)))
	return &days
}

// wholeDays rounds down: 0 is the last day, and -1 the first one that is too late.
func wholeDays(d time.Duration) int64 { return int64(math.Floor(d.Hours() / 24)) }
