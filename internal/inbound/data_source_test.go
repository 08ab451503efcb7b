package inbound_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// missingID is that of nothing.
const missingID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

func TestInboundInvoiceDataSource_readsBothModels(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	nfe := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"nsu": 7, "amount": 12.5, "issuedOn": "2026-11-10T10:00:00-03:00", "accessKey": inboundKey(1), "isComplete": true,
		"manifestation": map[string]any{"status": "notPerformed", "date": "2026-11-11T10:00:00-03:00", "justification": "Mercadoria não recebida", "protocol": "135"},
	})
	nfse := s.SeedInbound(s.OwnerCompanyID(), map[string]any{
		"model": "serviceInvoice", "manifestation": map[string]any{"status": "rejected", "date": nil, "justification": nil, "reasonCode": "3"},
	})
	of := func(model, id string) map[string]any { return map[string]any{"model": model, "id": id} }
	testkit.WantDataReads(t, s, "einvoice_inbound_invoice", []testkit.DataRead{
		{Name: "an NF-e", Arguments: of("productInvoice", nfe), State: map[string]any{
			"id": nfe, "model": "productInvoice", "environment_type": "production", "access_key": inboundKey(1), "nsu": 7.0, "is_complete": true, "status": "authorized",
			"issued_on": "2026-11-10T10:00:00-03:00", "amount": 12.5, "operation_type": "outgoing", "last_modification_time": nil,
			"issuer":        map[string]any{"name": "Fornecedor", "legal_name": "Fornecedor Ltda", "federal_tax_number": "42318949000184"},
			"manifestation": map[string]any{"status": "notPerformed", "date": "2026-11-11T10:00:00-03:00", "justification": "Mercadoria não recebida", "protocol": "135", "reason_code": nil},
		}},
		{Name: "an NFS-e", Arguments: of("serviceInvoice", nfse), State: map[string]any{
			"is_complete": true, "manifestation": map[string]any{"status": "rejected", "date": nil, "justification": nil, "protocol": nil, "reason_code": "3"},
		}},
		{Name: "of the other model", Arguments: of("serviceInvoice", nfe), Error: "Inbound invoice not found.*NFS-e.*model"},
		{Name: "of a model that nobody receives", Arguments: of("consumerInvoice", nfe), Error: "Invalid model.*productInvoice, serviceInvoice"},
		{Name: "an empty id", Arguments: of("productInvoice", ""), Error: "Empty id"},
	})
	s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/inbound-product-invoices/{id}", Status: 403, Message: "not in the plan of the account"})
	testkit.WantDataReads(t, s, "einvoice_inbound_invoice", []testkit.DataRead{
		{Name: "a refused read", Arguments: of("productInvoice", nfe), Error: "Cannot read inbound invoice.*not in the plan"},
	})
}

func TestInboundSyncStatusDataSource_readsAndAdvises(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"productInvoice": map[string]any{"inbound": map[string]any{"enabled": true}}})
	p := testkit.Serve(t, s, nil)
	for _, test := range []struct {
		set  map[string]any
		want []any // healthy, outcome, message, the attempt, the synchronization, the NSU
	}{
		{nil, []any{true, "neverAttempted", nil, nil, nil, 0.0}},
		{
			map[string]any{"lastAttemptOutcome": withoutCertificate, "lastAttemptMessage": "", "lastAttemptAt": "2026-11-20T10:00:00"},
			[]any{false, withoutCertificate, nil, "2026-11-20T10:00:00", nil, 0.0},
		},
		{map[string]any{"lastAttemptOutcome": ""}, []any{false, nil, nil, "2026-11-20T10:00:00", nil, 0.0}},
		{map[string]any{"lastAttemptOutcome": "somethingNew", "lastNsu": 42, "lastAttemptMessage": "x"}, []any{false, "somethingNew", "x", "2026-11-20T10:00:00", nil, 42.0}},
	} {
		if test.set != nil {
			s.SetSyncStatus(s.OwnerCompanyID(), test.set)
		}
		state, failed := p.ReadData("einvoice_inbound_sync_status", nil)
		got := []any{state["healthy"], state["last_attempt_outcome"], state["last_attempt_message"], state["last_attempt_at"], state["last_sync_at"], state["last_nsu"]}
		if diff := cmp.Diff(test.want, got); diff != "" || failed != "" || state["advice"] == "" {
			t.Errorf("after %v (-want +got):\n%s%s", test.set, diff, failed)
		}
	}
}

// inboundKey is the access key of the invoice with an NSU.
func inboundKey(nsu int) string {
	return fmt.Sprintf("352611423189490001845500100000000%d1000000000", nsu)[:44]
}
