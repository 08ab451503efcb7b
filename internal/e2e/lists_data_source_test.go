package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/einvoice"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/inbound"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// The lists of companies, customers, products and webhooks are alike. What is wanted is a part of what is read of each
// object, those first that are there before.
func TestLists_readAllPagesUpToTheirLimitOrFail(t *testing.T) {
	t.Parallel()
	const secret = "plantedsecret"
	for _, list := range rows.Read[[]struct {
		Plural, Kind  string
		Objects, Want []object
	}](t, "whole_lists.json") {
		rows.Case(t, list.Plural, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{MaxPageSize: 1})
			p := testkit.Serve(t, s, nil)
			count := len(list.Want)
			reads := func(arguments object, want int) ([]any, object) {
				t.Helper()
				state, said := p.Read("einvoice_"+list.Plural, arguments)
				read, _ := state[list.Plural].([]any)
				says := ""
				if want < count && arguments != nil {
					says = "List of " + list.Plural + " cut at the limit"
				}
				if len(read) != want || len(said) != min(1, len(says)) || len(said) > 0 && said[0].Summary != says {
					t.Fatalf("with %v it reads %d, want %d, and says %v", arguments, len(read), want, said)
				}
				return read, state
			}
			reads(nil, count-len(list.Objects))
			for i, held := range list.Objects {
				list.Want[count-len(list.Objects)+i]["id"] = s.Seed(list.Kind, held)
			}
			read, _ := reads(nil, count)
			for i, want := range list.Want {
				got, _ := read[i].(object)
				for name, value := range want {
					expect.Same(t, value, got[name], "%s of %d", name, i)
				}
			}
			_, state := reads(object{"limit": count}, count)
			expect.Is(t, state["limit"], any(float64(count)), "the limit")
			reads(object{"limit": count - 1}, count-1)
			for _, skip := range []int{0, 1} { // A failing second page is an error, not the end of the list.
				s.Inject(sandbox.Fault{
					Kind: sandbox.FaultStatus, Method: "GET", Path: "/v1/" + list.Plural, Status: 403, Skip: skip,
					Message: "no access to https://erp.example/a?token=" + secret,
				})
				_, failed := p.ReadData("einvoice_"+list.Plural, nil)
				expect.True(t, regexp.MustCompile(`(?s)Cannot read `+list.Plural+`.*no access`).MatchString(failed),
					"a list that fails after %d pages is reported by %q", skip, failed)
				expect.False(t, list.Kind == sandbox.KindWebhooks && strings.Contains(failed, secret),
					"the error shows the secret of a URL: %q", failed)
			}
			fixture.WantWrites(t, s, 0)
		})
	}
}

// A service that shows an id and nothing else: all that it does not show is null.
func TestDataSources_makeNothingUp(t *testing.T) {
	t.Parallel()
	for name, test := range rows.Read[map[string]struct {
		Arguments object
		Path      string
		Body      json.RawMessage
		Concluded []string // what follows from the request, or is said of the answer as a whole
	}](t, "data_sources_make_nothing_up.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			s.Inject(sandbox.Fault{Kind: sandbox.FaultStatus, Status: 200, Method: "GET", Path: test.Path, Body: string(test.Body)})
			state, failed := testkit.Serve(t, s, nil).ReadData(name, test.Arguments)
			expect.Is(t, failed, "", "it fails")
			known := append([]string{"id", "raw_json"}, test.Concluded...)
			known = slices.AppendSeq(known, maps.Keys(test.Arguments))
			expect.Same(t, object{}, shownBeside(known, state), "made up")
		})
	}
}

// shownBeside are the values of an object, and of those in it, beside some members.
func shownBeside(known []string, of map[string]any) map[string]any {
	shown := map[string]any{}
	for name, value := range of {
		switch value := value.(type) {
		case nil:
		case map[string]any:
			maps.Copy(shown, shownBeside(known, value))
		case []any:
			for _, element := range value {
				if object, ok := element.(map[string]any); ok {
					maps.Copy(shown, shownBeside(known, object))
				}
			}
		default:
			if !slices.Contains(known, name) {
				shown[name] = value
			}
		}
	}
	return shown
}

func TestListResources_showNamesThatAPersonRecognises(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	p := testkit.Serve(t, s, nil)
	for held, of := range rows.Read[map[string]struct {
		Kind  string
		Seeds []object
		Names []string
	}](t, "names_that_a_person_recognises.json") {
		for _, seed := range of.Seeds {
			s.Seed(held, seed)
		}
		found, diagnostics := p.Query(of.Kind, 100, false)
		p.MustNotFail(diagnostics)
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		expect.Same(t, of.Names, names, "%s", held)
		shown := strings.Join(names, " ")
		expect.False(t, strings.Contains(shown, "abc") || strings.Contains(shown, "pass@"), "%q shows a secret", shown)
		none, said := testkit.Serve(t, s, object{"api_key": "nobody"}).Query(of.Kind, 100, true)
		expect.Is(t, len(none), 0, "%s with a key that is nobody's", held)
		expect.Contains(t, testkit.ErrorsIn(said), "Cannot list "+held)
	}
}

// What a query gives must be what a read of the same object gives, or generated configuration would not plan empty.
func TestListResources_fillTheResourceAsAReadDoes(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(t, s, 4)
	p := testkit.Serve(t, s, nil)
	for _, kind := range []string{"einvoice_company", "einvoice_customer", "einvoice_product", "einvoice_webhook"} {
		found, diagnostics := p.Query(kind, 100, true)
		p.MustNotFail(diagnostics)
		expect.False(t, len(found) == 0, "%s: nothing was found", kind)
		for _, f := range found {
			imported := testkit.Answered(t, p.ImportResourceState, &tfprotov6.ImportResourceStateRequest{
				TypeName: kind, ID: f.ID,
			})
			p.MustNotFail(imported.Diagnostics)
			read := testkit.Answered(t, p.ReadResource, &tfprotov6.ReadResourceRequest{
				TypeName: kind, CurrentState: imported.ImportedResources[0].State, CurrentIdentity: imported.ImportedResources[0].Identity,
			})
			p.MustNotFail(read.Diagnostics)
			want := p.Attributes(read.NewState, p.Schemas.ResourceSchemas[kind].ValueType())
			for name, value := range want {
				expect.True(t, f.Resource[name].Equal(value),
					"%s %s: the query gives %s, a read %s", kind, name, f.Resource[name], value)
			}
		}
	}
}

// needsTerraform skips a test of what OpenTofu does not have in any version, and Terraform since 1.minor.
func needsTerraform(t *testing.T, minor int, what string) {
	t.Helper()
	if found := testkit.MustFindCLI(t); found.Product != cli.Terraform || !found.AtLeast(1, minor) {
		t.Skipf("%s has no %s", found, what)
	}
}

// seedAccount fills an account as people and other systems do: with everything, with hardly anything, and with odd
// spellings.
func seedAccount(t *testing.T, s *sandbox.Server, customers int) {
	t.Helper()
	held := rows.Read[map[string][]object](t, "adopted_account.json")
	for i := range customers {
		name := fmt.Sprintf("Cliente \"%03d\" ${x} & Filhos", i+1)
		s.Seed(sandbox.KindCustomers, with(held[sandbox.KindCustomers][i%4], object{"name": name}))
	}
	delete(held, sandbox.KindCustomers)
	for kind, all := range held {
		for _, one := range all {
			s.Seed(kind, one)
		}
	}
}

func TestAccQuery_generatesConfigurationThatImportsWithoutAChange(t *testing.T) {
	t.Parallel()
	const customers = 101
	needsTerraform(t, 14, "terraform query")
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, testkit.Config(s, ""), "")
	seedAccount(t, s, customers)
	var query strings.Builder
	for _, kind := range []string{"company", "customer", "product", "webhook"} {
		fmt.Fprintf(&query, "list \"einvoice_%s\" \"all\" {\n  provider = einvoice\n  limit    = 1000\n}\n", kind)
	}
	replaceFile(t, filepath.Join(w.Dir, "all.tfquery.hcl"), query.String())
	w.MustRun("query", "-generate-config-out=adopted.tf")
	if got, want := len(s.Requests()), 2+3; got != want {
		t.Errorf("%d requests for the query, want %d: two pages of customers, and one of each other kind", got, want)
	}
	plan := w.MustRun("plan", "-input=false")
	if want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", customers+2+3+2); !strings.Contains(plan, want) {
		t.Fatalf("the plan is not of imports alone:\n%s", plan)
	}
	writes := fixture.CountWrites(s)
	w.MustApply()
	expect.Is(t, fixture.CountWrites(s)-writes, 0, "requests changed something")
	w.MustPlanNothing()
}

// What the guide shows for CLIs without `terraform query`, on whichever CLI is at hand.

// Everything that can be imported, by its natural key where it has one: what a CLI generates plans nothing.
func TestAccAdopting_generatedConfigurationPlansNothing(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	seedAccount(t, s, 1)
	s.SetSettings(s.OwnerCompanyID(), map[string]any{"consumerInvoice": map[string]any{"tokenId": "1", "csc": "a code", "allowOfflineContingency": true}})
	received := s.SeedInbound(s.OwnerCompanyID(), map[string]any{"manifestation": map[string]any{"status": "unknown", "justification": "Mercadoria não comprada."}})
	if _, err := fixture.OwnerClient(t, s).CreateOrder(t.Context(), einvoice.Order{TransactionID: "t-1"}, json.RawMessage(
		`{"amount":100,"sendEmailToCustomer":true,"customer":{"name":"Maria","federalTaxNumber":"52998224725"},
		"items":[{"quantity":4,"price":25,"amount":100,"product":{"code":"S1","name":"Consulta","invoiceModel":"serviceInvoice"}}]}`), nil); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	var imports strings.Builder
	for address, id := range map[string]string{
		"einvoice_company.branch":                 "federal_tax_number=12.ABC.345/01DE-35",
		"einvoice_company_settings.main":          s.OwnerCompanyID(),
		"einvoice_customer.bakery":                "federal_tax_number=11.222.333/0001-81",
		"einvoice_product.bread":                  "code=P-1",
		"einvoice_webhook.authorized":             "event=invoice.authorized,url=https://hooks.example/nf?token=abc",
		"einvoice_order.sale":                     "transaction_id=t-1",
		"einvoice_inbound_manifestation.received": received,
		"einvoice_invoice_issuance.service":       "serviceInvoice/integration_id=order-1",
		"einvoice_invoice_issuance.goods":         fixture.MainNumber + "/productInvoice/integration_id=order-2",
	} {
		fmt.Fprintf(&imports, "import {\n  to = %s\n  id = %q\n}\n", address, id)
	}
	w := testkit.NewAttached(t, testkit.Config(s, imports.String()))
	if w.Cli.Product == cli.Terraform && w.Cli.AtLeast(1, 16) {
		// https://github.com/hashicorp/terraform/issues/39144
		t.Skipf("%s looks for hashicorp/einvoice when it generates configuration for import blocks; it has terraform query for that", w.Cli)
	}
	writes := fixture.CountWrites(s)
	plan, ok := w.Run("plan", "-input=false", "-generate-config-out=generated.tf")
	generated := fileText(t, filepath.Join(w.Dir, "generated.tf"))
	if !ok || !strings.Contains(plan, "Plan: 9 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Fatalf("the plan is not of imports alone:\n%s\n%s", plan, generated)
	}
	expect.False(t, strings.Contains(generated, "a code"), "the generated configuration has a secret:\n%s", generated)
	w.MustApply()
	w.MustPlanNothing()
	expect.Is(t, fixture.CountWrites(s)-writes, 0, "requests changed something")
}

// reach marks the attributes that have a value, by path; the elements of a map are none.
func reach(reached map[string]bool, at string, value any) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for name, v := range value {
			reach(reached, strings.TrimPrefix(at+"."+name, "."), v)
		}
	case []any:
		for _, v := range value {
			reach(reached, at, v)
		}
	default:
		for ; at != ""; at = at[:max(0, strings.LastIndex(at, "."))] {
			reached[at] = true
		}
	}
}

// TestAccCoverage_everyAttributeOfTheServiceReachesTheState applies a configuration that
// has everything, in an account that holds everything.
func TestAccCoverage_everyAttributeOfTheServiceReachesTheState(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.ExampleWorkspace(t, s, filepath.Join("testdata", "coverage"))
	if !w.Cli.AtLeast(1, 11) {
		t.Skipf("%s does not know write-only arguments", w.Cli)
	}
	received, err := json.Marshal(seedEverything(t, s))
	expect.NoError(t, err)
	w.Environ = append(w.Environ, "TF_VAR_company="+s.OwnerCompanyID(), "TF_VAR_received="+string(received))
	reached := map[string]map[string]bool{}
	for step := 1; step <= 2; step++ {
		w.MustRun("apply", "-auto-approve", "-input=false", fmt.Sprintf("-var=step=%d", step))
		var state struct {
			Resources []struct {
				Mode, Type string
				Instances  []testkit.StateObject
			}
		}
		expect.NoError(t, json.Unmarshal([]byte(fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))), &state))
		for _, r := range state.Resources {
			kind := map[string]string{"managed": "resource ", "data": "data source "}[r.Mode] + r.Type
			if reached[kind] == nil {
				reached[kind] = map[string]bool{}
			}
			for _, instance := range r.Instances {
				reach(reached[kind], "", instance.Attributes)
			}
		}
	}
	schemas := servedSchemas(t)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if !strings.HasPrefix(name, "resource ") && !strings.HasPrefix(name, "data source ") {
			continue
		}
		everyAttribute("", schemas[name].Block.Attributes, func(at string, a *tfprotov6.SchemaAttribute, _ []*tfprotov6.SchemaAttribute) {
			if a.Computed && !a.Optional && a.NestedType == nil && !reached[name][at] && !slices.Contains(notReached[name], at) {
				t.Errorf("%s: %s never came to the state", name, at)
			}
		})
	}
	wantKnownFields(t, s)
}

// notReached are attributes that the tests of their nouns are about.
var notReached = map[string][]string{
	"data source einvoice_inbound_invoices": {"invoices.manifestation.reason_code", "invoices.raw_json"},
	"data source einvoice_invoice_totals":   {"by_status.amount", "by_status.invoice_count"},
	"data source einvoice_invoices":         {"invoices.raw_json"},
	"data source einvoice_numbering":        {"gaps.from", "gaps.to"},
	"data source einvoice_orders":           {"orders.invoices.access_key", "orders.invoices.number"},
	"resource einvoice_invoice_issuance": {
		"details.cancellation.date", "details.cancellation.justification", "details.cancellation.protocol",
		"details.contingency.date", "details.contingency.reason",
	},
}

// seedEverything gives the account objects with every field, and one with every value of
// the enums, and returns an inbound invoice of each model.
func seedEverything(t *testing.T, s *sandbox.Server) (received map[string]string) {
	t.Helper()
	var held map[string]object
	account := fileText(t, filepath.Join("testdata", "coverage", "account.json"))
	expect.NoError(t, json.Unmarshal([]byte(account), &held))
	for model, kind := range map[string]string{
		einvoice.ModelService: sandbox.KindServiceInvoices, einvoice.ModelProduct: sandbox.KindProductInvoices,
		einvoice.ModelConsumer: sandbox.KindConsumerInvoices,
	} {
		s.Seed(kind, with(held["invoice"], object{"integrationId": "full-" + model}))
		s.Seed(kind, with(held["rejected"], object{"integrationId": "rejected-" + model}))
	}
	for _, words := range sandbox.Vocabulary() {
		of, field, _ := strings.Cut(words.Name, " ")
		for i, word := range words.Words {
			switch {
			case words.Name == "Invoice model":
			case of == "Invoice":
				s.Seed(sandbox.KindProductInvoices, nestedValue(field, word))
			case words.Name == "Inbound invoice status" || words.Name == "Inbound invoice manifestation.status":
				s.SeedInbound(s.OwnerCompanyID(), nestedValue(strings.TrimPrefix(field, "invoice "), word))
			case words.Name == "Disablement status":
				numbers := object{"identifier": fmt.Sprint("ID", i), "initialNumber": 10 * i, "finalNumber": 10*i + 9}
				s.Seed(sandbox.KindDisablements, with(held["disablement"], with(numbers, object{"status": word})))
			}
		}
	}
	s.SetSyncStatus(s.OwnerCompanyID(), held["sync"])
	received = map[string]string{}
	for _, model := range inbound.InboundModels {
		received[model] = s.SeedInbound(s.OwnerCompanyID(), held[model])
	}
	return received
}

func nestedValue(path, value string) map[string]any {
	if parent, name, nested := strings.Cut(path, "."); nested {
		return map[string]any{parent: map[string]any{name: value}}
	}
	return map[string]any{path: value}
}

// catalogued is a noun of those that share their verbs, with the arguments of an object, of the same one changed, and of
// another one.
type catalogued struct {
	Noun, Kind, Path      string
	First, Changed, Other object
	Shown                 bool // the interface shows its operations: they can only be missing by mistake
}

// eachOfTheCatalogue tests each noun with a service of its own, which has none of some operations on its path.
func eachOfTheCatalogue(t *testing.T, without []string, test func(t *testing.T, s *sandbox.Server, of catalogued)) {
	t.Helper()
	for noun, of := range rows.Read[map[string]catalogued](t, "catalogue.json") {
		rows.Case(t, noun, func(t *testing.T) {
			options := sandbox.Options{}
			for _, operation := range without {
				options.Without = append(options.Without, strings.Replace(operation, "PATH", of.Path, 1))
			}
			of.Noun = noun
			test(t, sandbox.Start(t, options), of)
		})
	}
}

// created is an object of the catalogue.
func created(p *testkit.Protocol, noun string, arguments object) *testkit.Object {
	p.T.Helper()
	o := p.Object("einvoice_" + noun)
	o.MustCreate(arguments)
	return o
}

// A service that shows neither single objects nor their list leaves the state as it was
// applied, with one warning a run. An import of such an object is an error.
func TestUnshown_objectsStayInState(t *testing.T) {
	t.Parallel()
	without := []string{"GET PATH", "GET PATH/{id}"}
	eachOfTheCatalogue(t, without, func(t *testing.T, s *sandbox.Server, of catalogued) {
		p, noun, warnings := testkit.Serve(t, s, nil), of.Noun, 0
		if of.Shown {
			return
		}
		objects := []*testkit.Object{created(p, noun, of.First), created(p, noun, of.Other)}
		for _, object := range objects {
			said := object.Refresh()
			expect.False(t, testkit.ErrorsIn(said) != "" || object.State() == nil,
				"a refresh says %q", testkit.ErrorsIn(said))
			warnings += len(said)
		}
		expect.Is(t, warnings, 1, "warnings")
		failed := testkit.ErrorsIn(p.Object("einvoice_" + noun).Import("11111111-2222-3333-4444-555555555555"))
		expect.Contains(t, failed, "The service does not have the operation `list_"+noun+"s`")
	})
}

// A list that comes as one bare object says nothing about the others, which stay in state.
func TestUnshown_whatAListOfOneObjectDoesNotShowStaysInState(t *testing.T) {
	t.Parallel()
	without := []string{"GET PATH/{id}", "DELETE PATH/{id}"}
	eachOfTheCatalogue(t, without, func(t *testing.T, s *sandbox.Server, of catalogued) {
		p, noun := testkit.Serve(t, s, nil), of.Noun
		first, second := created(p, noun, of.Other), created(p, noun, of.First)
		shown, err := json.Marshal(s.Objects(of.Kind)[0])
		expect.NoError(t, err)
		s.Inject(sandbox.Fault{Method: "GET", Path: of.Path, Kind: sandbox.FaultBody, Body: string(shown), Times: -1})
		for _, o := range []*testkit.Object{first, second} {
			before := o.State()
			said := o.Refresh()
			o.MustNotFail(said)
			expect.Same(t, before, o.State(), "the state")
			isWarned := strings.Contains(testkit.TextsOf(said), "The service does not show every "+noun)
			expect.Is(t, isWarned, (o == second), "it says %q", testkit.TextsOf(said))
		}
		change := second.Value(second.Type, of.Changed)
		failed := testkit.ErrorsIn(second.Apply(change, second.MustPlan(change)))
		if !strings.Contains(failed, "The service does not have the operation `get_"+noun+"`") || s.Count("PUT", "") != 0 {
			t.Errorf("the update says %q", failed)
		}
		if failed := second.End(); failed != "" {
			t.Error(failed)
		}
	})
}

// Where the list of companies is missing, that is what is named, and not the key.
func TestUnshown_theListOfCompaniesIsNamed(t *testing.T) {
	t.Parallel()
	const want = "`list_companies`"
	s := sandbox.Start(t, sandbox.Options{Without: []string{"GET /v1/companies"}})
	p := testkit.Serve(t, s, map[string]any{"environments": []tftypes.Value{tftypes.NewValue(tftypes.String, "production")}})
	invoice := p.Object("einvoice_invoice_issuance")
	_, said := invoice.Plan(invoice.Value(invoice.Type, map[string]any{
		"model": "serviceInvoice", "integration_id": "s-1", "payload_json": `{}`, "payload_check": false,
	}))
	failed := testkit.ErrorsIn(said)
	if !strings.Contains(failed, want) || !strings.Contains(failed, "`precondition`") || strings.Contains(failed, "api_key") {
		t.Errorf("environments: %s", failed)
	}
	company := p.Object("einvoice_company")
	state := company.MustCreate(plainCompany("Padaria", map[string]any{"deletion_protection": false}))
	settings := p.Object("einvoice_company_settings")
	_, said = settings.Create(map[string]any{"company_id": state["id"]})
	settings.MustNotFail(said)
	s.Remove(sandbox.KindCompanies, state["id"].(string))
	for kind, said := range map[string]string{
		"company": testkit.ErrorsIn(company.Refresh()), "settings": testkit.ErrorsIn(settings.Refresh()),
	} {
		expect.False(t, !strings.Contains(said, want) || strings.Contains(said, "base_url"),
			"%s that is gone: %s", kind, said)
	}
}

// What a configuration does not manage belongs to somebody else, and the service's
// PUT erases what it does not name. A change is made of what the service holds then:
// what somebody else wrote after the refresh and the plan is sent back as it is.

// unmanaged are the fields that the service of these tests knows beyond those that have an attribute.
var unmanaged = map[string][]string{
	sandbox.KindCustomers: {"externalCode", "segment"},
	sandbox.KindProducts:  {"ncm", "unit", "weight"},
	sandbox.KindWebhooks:  {"description"},
	sandbox.KindCompanies: {"segment"},
}

// plainCompany are the arguments that a company needs.
func plainCompany(name string, more object) object {
	return with(object{
		"name": name, "legal_name": "Padaria Ltda", "federal_tax_number": "11222333000181",
		"address": object{"city": object{"code": "3550308"}},
	}, more)
}

func TestUpdates_keepWhatIsNotManaged(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Kind, Resource string
		Before, After  object
		Outside, Want  object // fields at the service, as somebody else set them and afterwards
	}](t, "updates_keep_what_is_not_managed.json") {
		for options, opts := range map[string]sandbox.Options{"": {}, " that is not read by id": {NoReadByID: true}, " in a wrapper": {WrapResults: true}} {
			rows.Case(t, name+options, func(t *testing.T) {
				opts.ExtraFields = unmanaged
				s := sandbox.Start(t, opts)
				object := testkit.Serve(t, s, nil).Object(tt.Resource)
				state := object.MustCreate(tt.Before)
				object.MustNotFail(object.Refresh())
				config := object.Value(object.Type, tt.After)
				planned := object.MustPlan(config)
				s.Patch(tt.Kind, state["id"].(string), tt.Outside)
				object.MustNotFail(object.Apply(config, planned))
				held, _ := s.Object(tt.Kind, state["id"].(string))
				for field, want := range tt.Want {
					expect.Is(t, fmt.Sprint(held[field]), fmt.Sprint(want), "%s afterwards", field)
				}
			})
		}
	}
}

func TestWrites_sayWhatTheServiceDoesNotKeep(t *testing.T) {
	t.Parallel()
	for name, tt := range rows.Read[map[string]struct {
		Resource         string
		Arguments, Cured object
		Options          sandbox.Options
		At               string // where it is said
		Write            string // what each write says
	}](t, "writes_say_what_the_service_does_not_keep.json") {
		rows.Case(t, name, func(t *testing.T) {
			object := testkit.Serve(t, sandbox.Start(t, tt.Options), nil).Object(tt.Resource)
			_, said := object.Create(tt.Arguments)
			object.MustNotFail(said)
			wantWarning(t, "the creation", said, tt.At, tt.Write)
			config := object.Value(object.Type, tt.Arguments)
			for _, run := range []string{"the first plan", "the second plan"} {
				object.MustNotFail(object.Refresh())
				planned, said := object.Plan(config)
				object.MustNotFail(said)
				wantWarning(t, run, said, tt.At, "")
				wantWarning(t, "the update after "+run, object.Apply(config, planned), tt.At, tt.Write)
			}
			object.MustNotFail(object.Refresh())
			config = object.Value(object.Type, tt.Cured)
			planned, said := object.Plan(config)
			wantWarning(t, "the cured plan", said, tt.At, "")
			wantWarning(t, "the cured apply", object.Apply(config, planned), tt.At, "")
		})
	}
}

// wantWarning checks the only warning; "" wants none.
func wantWarning(t *testing.T, when string, said []*tfprotov6.Diagnostic, at, want string) {
	t.Helper()
	var warnings []string
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			warnings = append(warnings, strings.TrimPrefix(d.Attribute.String(), "AttributeName(")+" "+d.Summary+": "+d.Detail)
		}
	}
	if want == "" && len(warnings) == 0 {
		return
	}
	if want == "" || len(warnings) != 1 || !regexp.MustCompile("(?s)"+at+".*"+want).MatchString(warnings[0]) {
		t.Errorf("%s says %q, want one warning like %q at %s", when, warnings, want, at)
	}
}

// Of a request that the service has processed and answered with a status that reads like a refusal, no second one is
// sent by the next apply.
func TestStatuses_proveNothingOfWhatMustHappenOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 404, 405, 409, 422, 500, 501, 503} {
		for kind := range sentOnce("") {
			rows.Case(t, fmt.Sprint(status, " ", kind), func(t *testing.T) {
				s := sandbox.Start(t, sandbox.Options{})
				test := sentOnce(fixture.AuthorizedNFe(s))[kind]
				p := testkit.Serve(t, s, nil)
				s.ResetRequests()
				s.Inject(sandbox.Fault{Method: "POST", Path: test.path, Kind: sandbox.FaultStatusAfter, Status: status, Form: sandbox.FormEmpty})
				if _, said := p.Object(kind).Create(test.arguments); testkit.ErrorsIn(said) != "" {
					_, _ = p.Object(kind).Create(test.arguments)
				}
				fixture.WantRequests(t, s, "POST", test.path, 1)
			})
		}
	}
}
