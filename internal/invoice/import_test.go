package invoice_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/jsontree"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

// The invoice is the one that an apply would go on with.
func TestIssuance_importsByIntegrationID(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seed := func(integrationID, status string, more map[string]any) string {
		doc := map[string]any{"integrationId": integrationID, "status": status, "amount": 100}
		maps.Copy(doc, more)
		return s.Seed(sandbox.KindServiceInvoices, doc)
	}
	rejectedOn := func(date string) map[string]any {
		return map[string]any{"processingDetail": map[string]any{"status": "success", "code": "E160", "on": date}}
	}
	branchID, key := fixture.Company(s, fixture.BranchNumber)
	alone := seed("alone", "authorized", nil)
	seed("corrected", "rejected", rejectedOn("2026-11-20T10:00:00Z"))
	corrected := seed("corrected", "authorized", nil)
	seed("corrected", "rejected", rejectedOn("2026-11-20T12:00:00Z"))
	late := seed("rejected", "rejected", rejectedOn("2026-11-20T12:00:00Z"))
	seed("rejected", "rejected", rejectedOn("2026-11-20T10:00:00Z"))
	canceled := seed("canceled", "canceled", nil)
	one, other := seed("twice", "authorized", nil), seed("twice", "enqueued", nil)
	branch := seed("branch", "authorized", map[string]any{"_company": branchID})
	slashed := seed("2026/11=a", "authorized", nil)

	testkit.WantImports(t, testkit.Serve(t, s, keysOf(map[string]any{fixture.BranchNumber: key})), s, kind, map[string]string{
		"serviceInvoice/integration_id=alone":                       alone,
		"serviceInvoice/integration_id=corrected":                   corrected,
		"serviceInvoice/integration_id=rejected":                    late,
		"serviceInvoice/integration_id=canceled":                    canceled,
		"serviceInvoice/integration_id=2026/11=a":                   slashed,
		"11.222.333/0001-81/serviceInvoice/integration_id=branch":   branch,
		fixture.MainNumber + "/serviceInvoice/integration_id=alone": alone,
		"serviceInvoice/" + alone:                                   alone,
		"11222333000181/serviceInvoice/" + branch:                   branch,
		"11.222.333/0001-81/serviceInvoice/" + branch:               branch,
	}, map[string]string{
		"serviceInvoice/integration_id=none":                         `Invoice not found: NFS-e \(none\).*lists no serviceInvoice with integration_id "none"`,
		"productInvoice/integration_id=alone":                        `Invoice not found: NF-e \(alone\)`,
		"serviceInvoice/integration_id=branch":                       `Invoice not found`,
		"11222333000181/serviceInvoice/integration_id=alone":         `Invoice not found`,
		fixture.OtherNumber + "/serviceInvoice/integration_id=alone": `11\.444\.777/0001-61.*98\.765\.432/0001-98`,
		"serviceInvoice/integration_id=twice":                        `Several invoices have this integration_id: NFS-e \(twice\).*` + one + `.*` + other + `.*Nothing was imported.*serviceInvoice/`,
		"serviceInvoice/integration_id=":                             `Invalid import ID.*serviceInvoice/integration_id=2026-11-consulting`,
		"integration_id=alone":                                       `Invalid import ID`,
		"/integration_id=alone":                                      `Invalid import ID`,
		"invoice/integration_id=alone":                               `Invalid import ID`,
		"someone/serviceInvoice/integration_id=alone":                `Invalid import ID`,
		"serviceInvoice/" + alone + "/integration_id=alone":          `Invalid import ID`,
		"serviceInvoice/transaction_id=alone":                        `Invalid import ID`,
		"serviceInvoice/":                                            `Invalid import ID`,
		alone:                                                        `Invalid import ID`,
		fixture.OtherNumber + "/serviceInvoice/" + alone:             `11\.444\.777/0001-61.*98\.765\.432/0001-98`,
	})
}

// What an import shows is a configuration that plans nothing, and gives way to the
// payload itself, once.
func TestIssuance_anImportPlansNothingAndTakesThePayload(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindServiceInvoices, map[string]any{
		"integrationId": "order-1", "amount": 100, "description": "Consulting", "receiver": map[string]any{"name": "Maria", "federalTaxNumber": "52998224725"},
	})
	o := testkit.Serve(t, s, nil).Object(kind)
	o.MustNotFail(o.Import("serviceInvoice/integration_id=order-1"))
	shown := fmt.Sprint(o.State()["payload_json"])
	if want := `{"description":"Consulting","receiver":{"name":"Maria","federalTaxNumber":"52998224725"},"total":{"invoiceAmount":100}}`; !jsontree.SameText(shown, want) {
		t.Fatalf("the payload is %s, want %s", shown, want)
	}
	with := func(payload, more string) string {
		return fmt.Sprintf("model = \"serviceInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q\n%s", payload, more)
	}
	const whole = `{"description":"Consulting","federalServiceCode":"17.01","receiver":{"federalTaxNumber":"529.982.247-25"},"total":{"invoiceAmount":100}}`
	o.Run(
		testkit.Step{Arguments: with(shown, ""), Plans: plancheck.ResourceActionNoop},
		testkit.Step{Arguments: strings.Replace(with(shown, ""), "order-1", "order-2", 1), Fails: "Wrong invoice imported"},
		testkit.Step{Arguments: strings.Replace(with(shown, ""), "serviceInvoice", "productInvoice", 1), Fails: "Wrong invoice imported.*model: productInvoice"},
		testkit.Step{Arguments: with(shown, `cancellation_reason = "Issued twice by mistake"`), Plans: plancheck.ResourceActionUpdate},
		testkit.Step{Arguments: with(strings.Replace(whole, "100", "101", 1), ""), Fails: "Wrong invoice imported.*101.*100"},
		testkit.Step{Arguments: with(whole, ""), Plans: plancheck.ResourceActionUpdate, State: map[string]any{"payload_json": whole, "status": "authorized"}},
		testkit.Step{Arguments: with(shown, ""), Fails: "Cannot change"},
		testkit.Step{Arguments: with(strings.Replace(whole, "Consulting", "Advice", 1), ""), Fails: "Cannot change"},
	)
	fixture.WantWrites(t, s, 0)
}

// An invoice that is imported while the authority has it is waited for.
func TestIssuance_anImportInProgressIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed(sandbox.KindServiceInvoices, map[string]any{"integrationId": "order-1", "amount": 100, "status": "enqueued"})
	o := testkit.Serve(t, s, nil).Object(kind)
	s.Inject(sandbox.Fault{Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Kind: sandbox.FaultStatus, Status: 403})
	expect.Contains(t, testkit.ErrorsIn(o.Import("serviceInvoice/"+id)), "Cannot read NFS-e ("+id+")")
	o.MustNotFail(o.Import("serviceInvoice/" + id))
	config := o.Value(o.Type, saleArguments("order-1", nil))
	planned := o.MustPlan(config)
	s.SetInvoiceStatus(id, "authorized")
	o.MustNotFail(o.Apply(config, planned))
	expect.Is(t, o.State()["status"], "authorized", "the status")
	fixture.WantWrites(t, s, 0)
}
