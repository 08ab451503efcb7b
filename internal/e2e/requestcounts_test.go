package e2e_test

import (
	"cmp"
	"context"
	_ "embed" // The table of actions.
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The service allows 60 requests a minute, so what an operation costs in requests is what it costs in time. These are
// the costs that the guide promises, counted where they arrive.

// costs are the requests that the service got, as "GET /v1/customers/{id}: 2" and sorted.
func costs(s *sandbox.Server) string {
	counts := map[string]int{}
	for _, r := range s.Requests() {
		segments := strings.Split(r.Path, "/")
		for i, segment := range segments {
			if strings.Count(segment, "-") == 4 {
				segments[i] = "{id}"
			}
		}
		counts[r.Method+" "+strings.Join(segments, "/")]++
	}
	var lines []string
	for _, request := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%s: %d", request, counts[request]))
	}
	return strings.Join(lines, ", ")
}

// A refresh reads lists where that costs less than reading each object by itself. An issued invoice changes only its
// status, which the lists show. Its creation costs a look-up, the issuing itself, and at most two polls, when the
// authority has answered within the usual ten seconds; one that is alone also a look for a twin, which the shared polls
// of several show anyway.
func TestRequestCounts_ofMany(t *testing.T) {
	t.Parallel()
	type counted struct {
		Objects, Parallelism, Most int
		Options                    sandbox.Options
		After                      rows.Span // the authority takes so long
	}
	for kind, of := range rows.Read[map[string]struct {
		Arguments          object // each with a number
		Refreshed, Created map[string]counted
	}](t, "request_counts_of_many.json") {
		arguments := func(i int) string { return strings.ReplaceAll(asLines(of.Arguments), "%d", fmt.Sprint(i)) }
		test := func(name string, tt counted, isRefreshed bool) {
			rows.Case(t, name, func(t *testing.T) {
				tt.Options.AuthorizeAfter = time.Duration(tt.After)
				testkit.OnClock(t, tt.Options, func(t *testing.T, s *testkit.Clocked) {
					apply, objects := s.Process(nil), make([]*testkit.Object, tt.Objects)
					eachOf(objects, 30, func(i int) {
						objects[i] = apply.Object(kind)
						_, said := objects[i].Create(apply.Arguments(arguments(i)))
						expect.Is(t, testkit.ErrorsIn(said), "", "it fails")
					})
					if isRefreshed {
						s.ResetRequests()
						plan := s.Process(nil)
						eachOf(objects, cmp.Or(tt.Parallelism, 10), func(i int) {
							objects[i].Protocol = plan
							objects[i].Run(testkit.Step{Arguments: arguments(i), PlanOnly: true, Plans: plancheck.ResourceActionNoop})
						})
					}
					n := len(s.Requests())
					expect.False(t, n == 0 || n > tt.Most, "it costs %d requests, want at most %d: %s", n, tt.Most, costs(s.Server))
				})
			})
		}
		for name, tt := range of.Refreshed {
			test("a plan of "+name, tt, true)
		}
		for name, tt := range of.Created {
			test("issuing "+name, tt, false)
		}
	}
}

// eachOf does something with each object, so many at once.
func eachOf(objects []*testkit.Object, parallelism int, do func(i int)) {
	turns := make(chan struct{}, parallelism)
	var running sync.WaitGroup
	for i := range objects {
		turns <- struct{}{}
		running.Go(func() {
			do(i)
			<-turns
		})
	}
	running.Wait()
}

// A plan writes nothing, and that of a creation sends nothing at all.
func TestRequestCounts_writes(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Kind  string
		Steps []struct {
			Arguments object // none: it is destroyed
			Costs     string
		}
	}](t, "request_counts_writes.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			o := testkit.Serve(t, s, nil).Object(tt.Kind)
			for i, step := range tt.Steps {
				o.Protocol = testkit.Serve(t, s, nil)
				config := tftypes.NewValue(o.Type, nil)
				if step.Arguments != nil {
					config = o.Value(o.Type, ofOwnCompany(s, step.Arguments))
				}
				s.ResetRequests()
				o.MustNotFail(o.Refresh())
				planned := o.MustPlan(config)
				expect.False(t, fixture.CountWrites(s) > 0 || i == 0 && len(s.Requests()) > 0,
					"planning step %d sends %s", i+1, costs(s))
				s.ResetRequests()
				o.Protocol = testkit.Serve(t, s, nil) // A CLI applies with another process.
				o.MustNotFail(o.Apply(config, planned))
				expect.Is(t, costs(s), step.Costs, "step %d costs", i+1)
			}
		})
	}
}

// action is one that is served. Only a new Terraform has them, so what is tested here speaks the protocol instead of
// running a CLI.
type action struct {
	Method, Path string // of the request that changes something
	Arguments    object
	Repeats      bool // the service does the same when it is asked twice
	Person       bool // after a lost answer the action refuses until a person has looked
}

var (
	//go:embed testdata/actions.json
	actionsJSON []byte
	actions     = decoded(actionsJSON, map[string]action{})
)

// prepare returns the arguments, whose words in parentheses stand for what is there then.
func (a action) prepare(s *sandbox.Server, company string) object {
	arguments := maps.Clone(a.Arguments)
	for name, value := range arguments {
		switch value {
		case "(NF-e)":
			held := object{"_company": company, "status": "authorized", "integrationId": "sale-1", "number": 7, "amount": 10}
			arguments[name] = s.Seed(sandbox.KindProductInvoices, held)
		case "(order)":
			arguments[name] = fixture.ApprovedOrder(s, company)
		case "(received)":
			arguments[name] = s.SeedInbound(company, object{"manifestation": object{"status": "none"}})
		}
	}
	if strings.HasSuffix(a.Path, "/sync") {
		fixture.ReceiveInbound(s, company, true)
	}
	return arguments
}

// checkDone checks that the service has done it once, where that shows.
func checkDone(t *testing.T, s *sandbox.Server, action string) {
	t.Helper()
	done := 1
	switch action {
	case "einvoice_invoice_cancel":
		isKept := func(v map[string]any) bool { return v["status"] != einvoice.StatusCanceled }
		done = len(slices.DeleteFunc(s.Invoices("productInvoice"), isKept))
	case "einvoice_correction_letter":
		done = len(s.Corrections(s.Invoices("productInvoice")[0]["id"].(string)))
	case "einvoice_order_issue_invoices":
		done = len(s.Invoices("serviceInvoice"))
	case "einvoice_inbound_manifest":
		events, _ := s.Objects(sandbox.KindInbound)[0]["events"].([]any)
		done = len(events)
	}
	expect.Is(t, done, 1, "the service has done it times")
}

func TestActions_endWithAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Action, Read string
		Reads        int // the last of them is interrupted
		More         object
		Want         string
	}](t, "actions_end_with_an_interrupt.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{AuthorizeAfter: time.Hour})
			ctx, interrupt := context.WithCancel(t.Context())
			arguments := actions[tt.Action].prepare(s, s.OwnerCompanyID())
			maps.Copy(arguments, tt.More)
			next := interrupt
			for range tt.Reads - 1 {
				after := next
				next = func() { s.Before("GET", tt.Read, after) }
			}
			s.Before("GET", tt.Read, next)
			testkit.Serve(t, s, nil).InvokeUntil(ctx, tt.Action, arguments).Expect(t, "", tt.Want, "")
		})
	}
}

func TestActions_checkTheirArgumentsAndReportWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for name, tt := range rows.Read[map[string]struct {
		Action, Argument string
		Value            any
		Want             string
	}](t, "actions_check_their_arguments.json") {
		arguments := actions[tt.Action].prepare(s, s.OwnerCompanyID())
		arguments[tt.Argument] = tt.Value
		valid := testkit.Answered(t, p.ValidateActionConfig, &tfprotov6.ValidateActionConfigRequest{
			ActionType: tt.Action, Config: p.Config(p.Schemas.ActionSchemas[tt.Action].Schema, arguments),
		})
		expect.Contains(t, testkit.ErrorsIn(valid.Diagnostics), tt.Want, "%s", name)
		expect.Contains(t, testkit.ErrorsIn(valid.Diagnostics), tt.Argument, "%s", name)
	}
	for name, action := range actions {
		arguments := action.prepare(s, s.OwnerCompanyID())
		for _, argument := range []string{"id", "invoice_id", "order_id"} {
			if arguments[argument] == nil {
				continue
			}
			arguments[argument] = "1"
			errors := p.Invoke(name, arguments).Errors
			expect.False(t, !strings.Contains(errors, "not found") && !strings.Contains(errors, "Not an NF-e"),
				"%s ends with %q", name, errors)
		}
	}
	for _, r := range s.Requests() {
		expect.False(t, r.Method != "GET" && !strings.HasSuffix(r.Path, "/check-status"),
			"%s %s was sent", r.Method, r.Path)
	}
}

// Every action but that of the webhooks' secret, which the account has only one of.
func TestActions_actForTheCompanyTheyName(t *testing.T) {
	t.Parallel()
	for name, action := range actions {
		if name == "einvoice_webhook_secret_rotate" {
			continue
		}
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			company, key := fixture.Company(s, fixture.BranchNumber)
			fixture.Company(s, fixture.OtherNumber)
			arguments := action.prepare(s, company)
			argument := "issuer"
			if strings.HasPrefix(name, "einvoice_inbound_") { // Its issuer is the supplier.
				argument = "company"
			}
			invoke := func(keys object, by string) testkit.Invoked {
				arguments[argument] = by
				return testkit.Serve(t, s, object{"company_keys": keys}).Invoke(name, arguments)
			}
			keys := object{fixture.BranchNumber: key, fixture.OtherNumber: key} // The second one is wrong.

			// A question asked for another company does no harm, and a search shows nobody's number.
			if !action.Repeats {
				invoke(keys, fixture.OtherNumber).Expect(t, "", "11.444.777/0001-61", "")
				fixture.WantWrites(t, s, 0)
			}
			invoke(keys, "11.222.333/0001-81").Expect(t, "", "", "")
			sent := s.All(action.Method, action.Path)
			expect.False(t, len(sent) != 1 || sent[0].Key != company || fixture.CountWrites(s) != 1,
				"sent %v, want one request under the key of company %s", sent, company)
			invoke(object{fixture.BranchNumber: tftypes.UnknownValue}, fixture.BranchNumber).
				Expect(t, "", "Provider configuration not known yet", "")
		})
	}
}

// actionFaults is one fault of each nature and outcome: the texts and the
// repetitions of the others are those of the matrix.
var actionFaults = []string{
	"Connection dropped before the request is processed", "Connection dropped after the request is processed",
	"429 with `Retry-After`",
	"403", faultNotFound, "JSON cut in the middle", "Text instead of an object", "Answer of 40 MiB", "Redirect to another host",
}

// TestActions_meetEachFault breaks the request of each action, and invokes it again: what the service did, it did once.
func TestActions_meetEachFault(t *testing.T) {
	t.Parallel()
	expect.Same(t, registered(t)["actions"], slices.Sorted(maps.Keys(actions)), "what is served and tested")
	for name, action := range actions {
		for _, f := range faults {
			if !slices.Contains(actionFaults, f.Name) {
				continue
			}
			rows.Case(t, name+": "+f.Name, func(t *testing.T) {
				testkit.OnClock(t, sandbox.Options{}, func(t *testing.T, s *testkit.Clocked) {
					arguments := action.prepare(s.Server, s.OwnerCompanyID())
					s.Inject(f.at(&cell{kind: &requestKind{Method: action.Method, Path: action.Path}}))
					p := s.Process(map[string]any{"max_retries": 1, "request_timeout": "9s"})

					first := p.Invoke(name, arguments)
					sent := delivered(s.Server, action.Method, action.Path)
					expect.False(t, !action.Repeats && sent > 1, "it was sent %d times in one run", sent)
					expect.False(t, s.Network.Strays() > 0, "another host was asked %d times", s.Network.Strays())
					if first.Errors == "" {
						checkDone(t, s.Server, name)
						return
					}
					if !regexp.MustCompile(f.Says).MatchString(strings.Join(strings.Fields(first.Errors), " ")) {
						t.Errorf("the error does not say %q:\n%s", f.Says, first.Errors)
					}
					expect.False(t, strings.Contains(first.Errors, s.OwnerKey()), "the error shows the key")

					s.ResetRequests()
					second := p.Invoke(name, arguments)
					sent = delivered(s.Server, action.Method, action.Path)
					lost := f.Nature == natureLost || f.Nature == natureUnreadable || f.Nature == natureTooLarge || f.Name == faultNotFound
					switch {
					case action.Person && lost:
						expect.False(t, !strings.Contains(second.Errors, "may have been sent already") || sent != 0,
							"the second run sent it %d times, and says %q", sent, second.Errors)
						return
					case name == "einvoice_inbound_sync" && strings.Contains(second.Errors, "not allowed yet"):
						// The service has had the first search, and wants an interval between two.
					case second.Errors != "":
						t.Errorf("the second run failed: %s", second.Errors)
					case f.Processed && !action.Repeats && sent > 0:
						t.Errorf("what was done was sent again, %d times", sent)
					}
					checkDone(t, s.Server, name)
				})
			})
		}
	}
}

// delivered counts the requests that the service looked at.
func delivered(s *sandbox.Server, method, path string) int {
	n := 0
	for _, r := range s.All(method, path) {
		if r.Status != http.StatusTooManyRequests {
			n++
		}
	}
	return n
}
