package e2e_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// onNextMachine gives the workspace a cache directory that knows nothing.
func onNextMachine(w *testkit.Workspace) {
	w.Environ = append(w.Environ, message.EnvCacheDir+"="+w.T.TempDir())
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	expect.NoError(t, err)
	return string(text)
}

func replaceFile(t *testing.T, name, text string) {
	t.Helper()
	expect.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func removeFile(t *testing.T, name string) {
	t.Helper()
	expect.NoError(t, os.Remove(name))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	replaceFile(t, to, fileText(t, from))
}

// aliasOf is a further provider configuration for a service. apiKey is an expression; "" is the main company's key.
func aliasOf(s *sandbox.Server, alias, apiKey string, more ...string) string {
	return fmt.Sprintf(`
provider "einvoice" {
  alias               = %q
  base_url            = %q
  api_key             = %s
  requests_per_minute = 0
  requests_per_second = 0
  %s
}
`, alias, s.BaseURL(), cmp.Or(apiKey, fmt.Sprintf("%q", s.OwnerKey())), strings.Join(more, "\n  "))
}

// invoiceBlock is an NFS-e over an amount.
func invoiceBlock(name, id, amount, more string) string {
	return fmt.Sprintf(`
resource "einvoice_invoice_issuance" %q {
  model          = "serviceInvoice"
  integration_id = %q
  payload_json = jsonencode({
    description        = "Consultoria"
    federalServiceCode = "17.01"
    total              = { invoiceAmount = %s }
  })
  %s
}
`, name, id, amount, more)
}

// serviceInvoice is the same as arguments.
func serviceInvoice(id string) object {
	const payload = `{"description":"Consultoria","federalServiceCode":"17.01","total":{"invoiceAmount":100}}`
	return object{"model": "serviceInvoice", "integration_id": id, "payload_json": payload}
}

// companyBlock is a company next to the main one.
func companyBlock(name, number, more string) string {
	return fmt.Sprintf(`
resource "einvoice_company" %[1]q {
  name               = %[1]q
  legal_name         = %[1]q
  federal_tax_number = %[2]q
  address            = { city = { code = "3550308" } }
  %[3]s
}
`, name, number, more)
}

// ofOwnCompany are arguments of a data file, in which ownCompany stands for an id.
func ofOwnCompany(s *sandbox.Server, arguments object) object {
	all := object{}
	for name, value := range arguments {
		if members, ok := value.(object); ok {
			value = ofOwnCompany(s, members)
		} else if value == ownCompany {
			value = s.OwnerCompanyID()
		}
		all[name] = value
	}
	return all
}

// asLines are arguments as a configuration has them, a line each.
func asLines(arguments object) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, err := json.Marshal(arguments[name])
		if err != nil {
			panic(err) // It came from JSON.
		}
		fmt.Fprintf(&lines, "%s = %s\n", name, value)
	}
	return lines.String()
}

// wantAuthorized checks that no invoice is anything else.
func wantAuthorized(t *testing.T, s *sandbox.Server) {
	t.Helper()
	for _, v := range s.Invoices("") {
		expect.Is(t, v["status"], "authorized", "invoice %v: %v", v["integrationId"], v["processingDetail"])
	}
}

// wantKnownFields checks that nothing was sent that the service does not know.
func wantKnownFields(t *testing.T, s *sandbox.Server) {
	t.Helper()
	expect.Is(t, len(s.UnknownFields()), 0, "the service does not know %v", s.UnknownFields())
}
