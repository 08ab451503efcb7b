package inbound_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

func TestInboundManifestAction(t *testing.T) {
	t.Parallel()
	const manifest = "/v1/inbound-product-invoices/{id}/manifest"
	for name, tt := range map[string]struct {
		held, status     string
		justification    any
		prepare          func(s *sandbox.Server)
		last, want, left string
		posts            int
	}{
		"a declaration":            {held: "none", status: "confirmed", last: "is confirmed. Protocol ", left: "confirmed", posts: 1},
		"one with a justification": {held: "acknowledged", status: "notPerformed", justification: "A mercadoria foi recusada.", last: "is notPerformed.", left: "notPerformed", posts: 1},
		"one that is there":        {held: "confirmed", status: "confirmed", last: "is confirmed already; nothing was sent.", left: "confirmed"},
		"one without the justification that it needs": {
			held: "none", status: "unknown", want: "minimum length of 15", left: "none", posts: 1,
		},
		"one that the authority refuses": {
			held: "none", status: "confirmed", want: "refuses its manifestation", left: "none", posts: 1,
			prepare: func(s *sandbox.Server) {
				s.Patch(sandbox.KindInbound, s.Objects(sandbox.KindInbound)[0]["id"].(string), map[string]any{"status": "canceled"})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			id := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": tt.held}})
			if tt.prepare != nil {
				tt.prepare(s)
			}
			arguments := map[string]any{"id": id, "status": tt.status, "justification": tt.justification}
			testkit.Serve(t, s, nil).Invoke("einvoice_inbound_manifest", arguments).Expect(t, tt.last, tt.want, "")
			fixture.WantRequests(t, s, "POST", manifest, tt.posts)
			held, _ := s.Object(sandbox.KindInbound, id)
			if got := held["manifestation"].(map[string]any)["status"]; got != tt.left {
				t.Errorf("the declaration is %v, want %s", got, tt.left)
			}
		})
	}
}

func TestInboundSyncAction(t *testing.T) {
	t.Parallel()
	const sync = "/v1/inbound-product-invoices/sync"
	enabled := func(s *sandbox.Server, certificate bool) { fixture.ReceiveInbound(s, s.OwnerCompanyID(), certificate) }
	for name, tt := range map[string]struct {
		options    sandbox.Options
		arguments  map[string]any
		prepare    func(s *sandbox.Server)
		times      int // invocations; the last one is looked at
		last, want string
		posts      int
	}{
		"accepted, without waiting": {prepare: func(s *sandbox.Server) { enabled(s, true) }, times: 1, last: "The service has accepted the search.", posts: 1},
		"waited for, with new documents": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: synchronized at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.QueueInbound(s.OwnerCompanyID(), map[string]any{})
			},
		},
		"waited for, and it fails for want of a certificate": {
			arguments: map[string]any{"wait": true}, times: 1, want: "Upload a valid digital certificate", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, false) },
		},
		"waited for, and the answer is lost": {
			arguments: map[string]any{"wait": true}, times: 1, last: "The search has run: upToDate at", posts: 1,
			prepare: func(s *sandbox.Server) {
				enabled(s, true)
				s.Inject(sandbox.Fault{Kind: sandbox.FaultDropAfter, Method: "POST", Path: sync})
			},
		},
		"an interval that fits into the time is waited out": {
			options: sandbox.Options{SyncInterval: time.Second}, times: 2, last: "The service has accepted the search.", posts: 3,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"an interval beyond the timeout fails at once, with the time": {
			arguments: map[string]any{"timeout": "30s"}, times: 2, want: "which is beyond `timeout` (30s). Nothing was started.", posts: 2,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
		"a company without the feature is refused": {times: 1, want: "not enabled", posts: 1},
		"a search that does not show in time": {
			options: sandbox.Options{AuthorizeAfter: time.Hour}, arguments: map[string]any{"wait": true, "timeout": "2s"}, times: 1, want: "`timeout` (2s) is over", posts: 1,
			prepare: func(s *sandbox.Server) { enabled(s, true) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.OnClock(t, tt.options, func(t *testing.T, s *testkit.Clocked) {
				if tt.prepare != nil {
					tt.prepare(s.Server)
				}
				p := s.Process(nil)
				var result testkit.Invoked
				began := time.Now()
				for range tt.times {
					result = p.Invoke("einvoice_inbound_sync", tt.arguments)
				}
				result.Expect(t, tt.last, tt.want, "")
				fixture.WantRequests(t, s.Server, "POST", sync, tt.posts)
				if took := time.Since(began); took > 25*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestInboundManifest_warnsOfAMissingJustification(t *testing.T) {
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
		p.MustNotFail(valid.Diagnostics)
		if warns := len(valid.Diagnostics) > 0; warns != (status == "notPerformed" || status == "unknown") {
			t.Errorf("%s: %v", status, valid.Diagnostics)
		}
	}
}
