package invoice_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

const consumerInvoices = "/v1/consumer-invoices"

// nfce is an NFC-e in a configuration.
func nfce(more string) string {
	return fmt.Sprintf("model = \"consumerInvoice\"\nintegration_id = \"order-1\"\npayload_json = %q\n%s", fixture.ConsumerPayload, more)
}

// unlisting is a service that has only what the interface shows or names, which is no list
// of consumer invoices.
func unlisting(t *testing.T, options sandbox.Options) (*sandbox.Server, *testkit.Object) {
	t.Helper()
	options.OnlySpecified, options.NoMergeByIntegrationID = true, true
	s := sandbox.Start(t, options)
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code"}})
	return s, testkit.Serve(t, s, nil).Object(kind)
}

func TestUnlisted_isIssuedOnceAndFollowedByItsID(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	o.Run(
		testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}},
		testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionNoop},
	)
	o.Forget()
	// The journal knows it by its id.
	o.Run(testkit.Step{Arguments: nfce(""), Plans: plancheck.ResourceActionCreate, State: map[string]any{"status": "authorized"}})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 1)
}

func TestUnlisted_warnsOnceARun(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	warnings := 0
	for n := range 2 {
		other := *o
		_, said := other.Create(map[string]any{"model": "consumerInvoice", "integration_id": fmt.Sprint("order-", n), "payload_json": fixture.ConsumerPayload})
		warnings += strings.Count(testkit.TextsOf(said), "The service does not list NFC-e")
	}
	if warnings != 1 {
		t.Errorf("%d warnings, want 1", warnings)
	}
	fixture.WantRequests(t, s, "POST", consumerInvoices, 2)
	fixture.WantRequests(t, s, "GET", "/v1/customers", 1)
}

func TestUnlisted_afterALostAnswerItIsImported(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: consumerInvoices})
	const fails = `It is not known whether this exists: NFC-e \(order-1\).*back office.*import it by .*consumerInvoice/ID`
	o.Run(testkit.Step{Arguments: nfce(""), Fails: "(?s)" + fails + ".*remove its record"})
	id := fmt.Sprint(s.Invoices("")[0]["id"])
	o.MustNotFail(o.Import("consumerInvoice/" + id))
	o.Run(testkit.Step{Arguments: nfce(""), State: map[string]any{"status": "authorized", "id": id}})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 1)
}

// No message promises a look that the service does not offer.
func TestUnlisted_aRefusalDoesNotPromiseALookUp(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "POST", Path: consumerInvoices, Status: http.StatusTooManyRequests,
		Header: http.Header{"Retry-After": {"600"}},
	})
	_, said := o.Create(o.Arguments(nfce("")))
	if failed := testkit.ErrorsIn(said); !strings.Contains(failed, "is safe: the journal knows what was sent") || strings.Contains(failed, "looked up") {
		t.Errorf("it says %q", failed)
	}
}

// Without the list that the interface names nothing is issued.
func TestUnlisted_aListThatIsNamedIsNamedInTheError(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{Without: []string{"GET " + fixture.ServiceInvoices}})
	testkit.Serve(t, s, nil).Object(kind).Run(
		testkit.Step{Arguments: sale("", ""), Fails: "(?s)Cannot look up invoice.*does not have the operation .list_invoices. .*operations = { list_invoices"},
	)
	fixture.WantRequests(t, s, "POST", "", 0)
}

// A wrong address answers 404 to everything.
func TestUnlisted_aWrongAddressProvesNothing(t *testing.T) {
	t.Parallel()
	s, o := unlisting(t, sandbox.Options{})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Status: http.StatusNotFound, Times: -1})
	o.Run(testkit.Step{Arguments: nfce(""), Fails: "(?s)Cannot look up invoice.*base_url"})
	fixture.WantRequests(t, s, "POST", consumerInvoices, 0)
}
