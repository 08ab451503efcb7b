package e2e_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// needsTerraform skips a test of what OpenTofu does not have in any version, and
// Terraform since 1.minor.
func needsTerraform(t *testing.T, w *testkit.Workspace, minor int, what string) {
	t.Helper()
	if w.Cli.Product != cli.Terraform || !w.Cli.AtLeast(1, minor) {
		t.Skipf("%s has no %s", w.Cli, what)
	}
}

// seedAccount fills an account as people and other systems do: with everything,
// with hardly anything, and with odd spellings.
func seedAccount(s *sandbox.Server, customers int) {
	city := map[string]any{"code": "3550308", "name": "São Paulo", "state": "sp"}
	country := map[string]any{"code": 1058, "name": "Brasil"}
	for i := range customers {
		customer := map[string]any{"name": fmt.Sprintf("Cliente \"%03d\" ${x} & Filhos", i+1), "federalTaxNumber": "11222333000181"}
		switch i % 4 {
		case 1:
			customer["legalName"], customer["stateTaxNumber"], customer["email"], customer["phone"] = "Razão Social Ltda", "ISENTO", "nf@example.com", "1133334444"
			customer["address"] = map[string]any{"street": "Rua A", "number": "1", "district": "Centro", "postalCode": "01310100", "city": city, "country": country}
		case 2:
			customer["federalTaxNumber"] = "12ABC34501DE35"
			customer["address"] = map[string]any{"street": "Rua B", "city": map[string]any{"code": "3304557"}}
		case 3:
			customer["federalTaxNumber"] = "US-12.345"
			customer["address"] = map[string]any{"street": "Main St", "cityName": "Springfield", "country": map[string]any{"code": 2496, "name": "Estados Unidos"}}
		}
		s.Seed(sandbox.KindCustomers, customer)
	}
	s.Seed(sandbox.KindCompanies, map[string]any{
		"name": "Filial", "legalName": "Filial Ltda", "federalTaxNumber": "12ABC34501DE35", "taxRegime": "simplesNacional",
		"address": map[string]any{"street": "Rua A", "number": "1", "district": "Centro", "postalCode": "01310100", "city": city, "country": country},
	})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Pão", "code": "P-1", "price": 1.25, "invoiceModel": "productInvoice"})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Amostra", "code": "P-2", "price": 0})
	s.Seed(sandbox.KindProducts, map[string]any{"name": "Sem preço", "code": "P-3"})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.authorized", "url": "https://hooks.example/nf?token=abc", "enabled": true})
	s.Seed(sandbox.KindWebhooks, map[string]any{"event": "invoice.rejected", "url": "https://hooks.example/nf", "enabled": false})
}

func TestAccQuery_stopsAtItsLimit(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, ""), "")
	needsTerraform(t, w, 14, "terraform query")
	seedCustomers(s, 500)
	for _, tt := range []struct {
		limit       string
		want, pages int
	}{{"", 100, 1}, {"  limit = 3\n", 3, 1}, {"  limit = 150\n", 150, 2}} {
		query := "list \"einvoice_customer\" \"all\" {\n  provider = einvoice\n" + tt.limit + "}\n"
		replaceFile(t, filepath.Join(w.Dir, "all.tfquery.hcl"), query)
		before := len(s.Requests())
		output := w.MustRun("query")
		t.Logf("%s, after %d requests:\n%s", "terraform query with"+tt.limit, len(s.Requests()), output)
		if got := strings.Count(output, "Cliente "); got != tt.want {
			t.Errorf("limit %q: %d customers are shown, want %d:\n%s", tt.limit, got, tt.want, output)
		}
		if got := len(s.Requests()) - before; got != tt.pages {
			t.Errorf("limit %q: %d requests, want %d", tt.limit, got, tt.pages)
		}
	}
}

func TestAccQuery_generatesConfigurationThatImportsWithoutAChange(t *testing.T) {
	t.Parallel()
	const customers = 500
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, ""), "")
	needsTerraform(t, w, 14, "terraform query")
	seedAccount(s, customers)
	var query strings.Builder
	for _, kind := range []string{"company", "customer", "product", "webhook"} {
		fmt.Fprintf(&query, "list \"einvoice_%s\" \"all\" {\n  provider = einvoice\n  limit    = 1000\n}\n", kind)
	}
	replaceFile(t, filepath.Join(w.Dir, "all.tfquery.hcl"), query.String())
	output := w.MustRun("query", "-generate-config-out=adopted.tf")
	t.Logf("%s, after %d requests:\n%s", "terraform query -generate-config-out=adopted.tf", len(s.Requests()), output)
	if got, want := len(s.Requests()), 5+3; got != want {
		t.Errorf("%d requests for the query, want %d: five pages of customers, and one of each other kind", got, want)
	}
	adopted := fileText(t, filepath.Join(w.Dir, "adopted.tf"))
	t.Logf("%s, after %d requests:\n%s", "the beginning of adopted.tf", len(s.Requests()), adopted[:min(len(adopted), 4000)])

	plan := w.MustRun("plan", "-input=false")
	t.Logf("%s, after %d requests:\n%s", "terraform plan", len(s.Requests()), plan[max(0, len(plan)-800):])
	if want := regexp.MustCompile(fmt.Sprintf(`Plan: %d to import, 0 to add, 0 to change, 0 to destroy\.`, customers+2+3+2)); !want.MatchString(plan) {
		t.Fatalf("the plan is not of imports alone:\n%s", changesIn(plan))
	}
	writes := fixture.CountWrites(s)
	applied := w.MustApply()
	t.Logf("%s, after %d requests:\n%s", "terraform apply", len(s.Requests()), applied[max(0, len(applied)-800):])
	if n := fixture.CountWrites(s) - writes; n != 0 {
		t.Errorf("%d requests changed something, want none", n)
	}
	if output, ok := w.Run("plan", "-detailed-exitcode", "-input=false"); !ok {
		t.Errorf("a plan right after the adoption is not empty:\n%s", changesIn(output))
	}
}

// changesIn are the lines of a plan that change something, with those around.
func changesIn(plan string) string {
	lines := strings.Split(plan, "\n")
	var kept []string
	for i, line := range lines {
		if mark := strings.TrimSpace(line); strings.HasPrefix(mark, "~ ") || strings.HasPrefix(mark, "+ ") || strings.HasPrefix(mark, "- ") || strings.HasPrefix(mark, "Plan:") || strings.Contains(line, "Error") {
			kept = append(kept, lines[max(0, i-2):min(len(lines), i+3)]...)
		}
		if len(kept) > 120 {
			break
		}
	}
	return strings.Join(kept, "\n")
}
