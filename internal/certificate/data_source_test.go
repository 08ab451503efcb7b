package certificate_test

import (
	"testing"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const certificatesSource = "einvoice_company_certificates"

// seedCertificate gives the main company a certificate that expires after a time.
func seedCertificate(s *sandbox.Server, subject string, left time.Duration, active bool) {
	s.Seed(sandbox.KindCertificates, map[string]any{
		"subject": subject, "issuer": "CN=AC TESTE", "isActive": active, "expirationAt": time.Now().Add(left).Format(time.RFC3339), "_companyId": s.OwnerCompanyID(),
	})
}

func TestCompanyCertificatesDataSource_countsTheDaysOfTheActiveOne(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		left   map[string]time.Duration // by subject; that of "active" is active
		days   any                      // of the active one
		listed []any                    // days of each
	}{
		"none":                     {nil, nil, []any{}},
		"only old ones":            {map[string]time.Duration{"old": -40 * day}, nil, []any{-40.0 - 1}},
		"one beside an old one":    {map[string]time.Duration{"old": 3*day + time.Hour, "active": 100*day + time.Hour}, 100.0, []any{3.0, 100.0}},
		"the last day":             {map[string]time.Duration{"active": time.Hour}, 0.0, []any{0.0}},
		"expired an hour ago":      {map[string]time.Duration{"active": -time.Hour}, -1.0, []any{-1.0}},
		"another one lasts longer": {map[string]time.Duration{"active": 5*day + time.Hour, "next": 365*day + time.Hour}, 5.0, []any{5.0, 365.0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			for subject, left := range test.left {
				seedCertificate(s, subject, left, subject == "active")
			}
			s.Seed(sandbox.KindCertificates, map[string]any{"subject": "another company's", "isActive": true, "_companyId": "another"})
			state, failed := testkit.Serve(t, s, nil).ReadData(certificatesSource, map[string]any{"company_id": s.OwnerCompanyID()})
			if failed != "" {
				t.Fatal(failed)
			}
			listed := []any{}
			certificates, _ := state["certificates"].([]any)
			for _, one := range certificates {
				members, _ := one.(map[string]any)
				listed = append(listed, members["days_left"])
			}
			expect.Same(t, []any{test.days, test.listed}, []any{state["days_left"], listed}, "days that are left")
			fixture.WantRequests(t, s, "", "", 1)
		})
	}
}

func TestCompanyCertificatesDataSource_saysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	testkit.WantDataReads(t, s, certificatesSource, []testkit.DataRead{
		{Name: "an unknown company", Arguments: map[string]any{"company_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}, Error: "Company not found"},
		{Name: "no company", Arguments: map[string]any{"company_id": ""}, Error: "Empty company id"},
	})
}
