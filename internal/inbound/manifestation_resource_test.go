package inbound_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestInboundManifestation(t *testing.T) {
	t.Parallel()
	testkit.TellStories(t, "inbound_manifestation.json")
}

func TestInboundSyncAction(t *testing.T) {
	t.Parallel()
	const sync = "/v1/inbound-product-invoices/sync"
	for name, tt := range rows.Read[map[string]struct {
		Certificate          string // of a company that receives: valid or none
		IsShort              bool   // the interval of searches: a second
		Queued, Lost, IsSlow bool   // a new document, the answer, the authority
		Arguments            map[string]any
		Former               int // invocations before the one that is looked at
		Last, Want           string
		Posts                int
	}](t, "inbound_sync_action.json") {
		rows.Case(t, name, func(t *testing.T) {
			var options sandbox.Options
			if tt.IsShort {
				options.SyncInterval = time.Second
			}
			if tt.IsSlow {
				options.AuthorizeAfter = time.Hour
			}
			testkit.OnClock(t, options, func(t *testing.T, s *testkit.Clocked) {
				if tt.Certificate != "" {
					fixture.ReceiveInbound(s.Server, s.OwnerCompanyID(), tt.Certificate == "valid")
				}
				if tt.Queued {
					s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
				}
				if tt.Lost {
					s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: sync})
				}
				p, began := s.Process(nil), time.Now()
				for range tt.Former {
					p.Invoke("einvoice_inbound_sync", tt.Arguments)
				}
				p.Invoke("einvoice_inbound_sync", tt.Arguments).Expect(t, tt.Last, tt.Want, "")
				fixture.WantRequests(t, s.Server, "POST", sync, tt.Posts)
				if took := time.Since(began); took > 25*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestInboundManifest_refusesAMissingJustification(t *testing.T) {
	t.Parallel()
	p := testkit.Serve(t, sandbox.Start(t, sandbox.Options{}), nil)
	const name = "einvoice_inbound_manifest"
	for status, arguments := range map[string]map[string]any{
		"notPerformed": {}, "unknown": {"justification": "não"}, "confirmed": {}, "acknowledged": {"justification": "não"},
	} {
		arguments["id"], arguments["status"] = "1", status
		config := p.Config(p.Schemas.ActionSchemas[name].Schema, arguments)
		valid := testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
			ActionType: name, Config: config,
		})
		if refuses := testkit.ErrorsIn(valid.Diagnostics) != ""; refuses != (status == "notPerformed" || status == "unknown") {
			t.Errorf("%s: %v", status, valid.Diagnostics)
		}
	}
}
