package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// sentForCompany are the resources that send for a company, each with a change that sends; nil for none. Of an invoice, a
// draft is sent first.
var sentForCompany = map[string]struct {
	arguments, change object
	reason            bool   // a destroy cancels
	company           string // names the company
}{
	"einvoice_invoice_issuance": {with(serviceInvoice("order-1"), object{"issue": false}), object{"issue": true}, true, "issuer"},
	"einvoice_order": {
		object{"transaction_id": "t-1", "amount": 10, "customer": object{"name": "Maria"}, "items": []any{object{"price": 10, "product": object{"name": "Camisa", "invoice_model": "serviceInvoice"}}}},
		object{"status": "approved"},
		true, "issuer",
	},
	"einvoice_correction_letter":     {object{"invoice_id": correctedInvoice, "letter": fixture.TestLetter}, nil, false, "issuer"},
	"einvoice_inbound_manifestation": {object{"invoice_id": receivedInvoice, "status": "acknowledged"}, object{"status": "confirmed"}, false, "company"},
}

func withInvoices(t *testing.T) *sandbox.Server {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	s.Seed(sandbox.KindProductInvoices, object{"id": correctedInvoice, "status": "authorized"})
	s.SeedInbound(s.OwnerCompanyID(), object{"id": receivedInvoice})
	return s
}

// A plan shows its account, and is applied to no other one.
func TestAccount_isTheOneThatWasPlannedFor(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		rows.Case(t, kind, func(t *testing.T) {
			first, second := withInvoices(t), withInvoices(t)
			o := testkit.Serve(t, first, nil).Object(kind)
			arguments := maps.Clone(row.arguments)
			if row.reason {
				arguments["cancellation_reason"] = "Emitida por engano no teste"
			}
			config := o.Value(o.Type, arguments)
			planned := o.MustPlan(config)
			account := testkit.TextIn(t, o.Attributes(planned.PlannedState, o.Type)["account"])
			expect.True(t, regexp.MustCompile(`^[^/]+:\d+/[0-9a-f]{8}$`).MatchString(account),
				"the plan shows the account %q", account)
			o.MustNotFail(o.Apply(config, planned))
			o.MustNotFail(o.Refresh())
			elsewhere := func(fails func() string) {
				t.Helper()
				before := len(second.Requests())
				here := o.Protocol
				o.Protocol = testkit.Serve(t, second, nil)
				if failed := fails(); !regexp.MustCompile(`^Planned for another account: .*` + regexp.QuoteMeta(account) + `.*Nothing was sent`).MatchString(failed) {
					t.Errorf("it fails with %q", failed)
				}
				expect.Is(t, len(second.Requests())-before, 0, "requests reached the other account")
				o.Protocol = here
			}
			o.Protocol = testkit.Serve(t, first, nil) // Another run.
			if row.change != nil {
				config = o.Value(o.Type, with(arguments, row.change))
				planned = o.MustPlan(config)
				elsewhere(func() string { return testkit.ErrorsIn(o.Apply(config, planned)) })
				o.MustNotFail(o.Apply(config, planned))
				o.MustNotFail(o.Refresh())
			}
			if row.reason {
				leaves, said := o.PlanDestroy()
				o.MustNotFail(said)
				elsewhere(func() string { return testkit.ErrorsIn(o.Destroy(leaves)) })
				o.MustNotFail(o.Destroy(leaves))
			} else if got := o.State()["account"]; got != account {
				t.Errorf("the state has the account %v, want %s", got, account)
			}
		})
	}
}

// A key that is replaced is no other account for what is planned afterwards.
func TestAccount_keepsItsNameWhenTheKeyIsReplaced(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	company, key := fixture.Company(s, fixture.BranchNumber)
	o := testkit.Serve(t, s, object{"api_key": key}).Object("einvoice_invoice_issuance")
	account := o.MustCreate(with(serviceInvoice("order-1"), object{"issue": false}))["account"]
	o.Protocol = testkit.Serve(t, s, object{"api_key": s.RegenerateKey(company)})
	o.MustNotFail(o.Refresh())
	issued := o.Value(o.Type, serviceInvoice("order-1"))
	o.MustNotFail(o.Apply(issued, o.MustPlan(issued)))
	expect.Is(t, o.State()["account"], account, "the account")
	expect.Is(t, o.State()["status"], any("authorized"), "the status")
}

// While the key is not known, the account is not known either.
func TestAccount_isUnknownWithItsKey(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		s := withInvoices(t)
		o := testkit.Serve(t, s, object{"api_key": tftypes.UnknownValue}).Object(kind)
		planned := o.MustPlan(o.Value(o.Type, row.arguments))
		isShown := o.Attributes(planned.PlannedState, o.Type)["account"].IsKnown()
		expect.False(t, isShown, "%s: the plan shows the account", kind)
	}
}

// Beside company_keys nothing is sent for a company that nobody names, or whose key they lack, and everything else goes
// on.
func TestIssuer_isRequiredBesideCompanyKeys(t *testing.T) {
	t.Parallel()
	s := withInvoices(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	fixture.Company(s, fixture.OtherNumber)
	for kind, row := range sentForCompany {
		for name, keys := range map[string]any{"keys": object{fixture.BranchNumber: key}, "no keys": object{}, "unknown keys": tftypes.UnknownValue} {
			p := testkit.Serve(t, s, object{"company_keys": keys})
			before := len(s.Requests())
			_, said := p.Object(kind).Plan(p.Object(kind).Value(p.Object(kind).Type, row.arguments))
			testkit.WantErrorAt(t, said, row.company, "Missing "+row.company+".*does not assume that it is the owner of `api_key`.*Set `"+row.company+"`")
			expect.Is(t, len(s.Requests())-before, 0, "%s, %s requests were sent", kind, name)
		}
		for company, want := range map[string]string{fixture.OtherNumber: "The key is another company's", fixture.MainNumber: ""} {
			o := testkit.Serve(t, s, object{"company_keys": object{fixture.BranchNumber: key}}).Object(kind)
			arguments := maps.Clone(row.arguments)
			arguments[row.company] = company
			before := s.Count("GET", "/v1/companies")
			if _, said := o.Plan(o.Value(o.Type, arguments)); want != "" {
				testkit.WantErrorAt(t, said, row.company, want)
			} else {
				o.MustNotFail(said)
			}
			expect.Is(t, s.Count("GET", "/v1/companies")-before, 1, "%s of %s: lists of the companies", kind, company)
		}
	}
}

// An object that a block without issuer already has can be read, kept, changed where nothing is sent, and destroyed.
func TestIssuer_isNotRequiredWhereNothingIsSent(t *testing.T) {
	t.Parallel()
	for kind, row := range sentForCompany {
		rows.Case(t, kind, func(t *testing.T) {
			s := withInvoices(t)
			o := testkit.Serve(t, s, nil).Object(kind)
			o.MustCreate(row.arguments)
			_, key := fixture.Company(s, fixture.BranchNumber)
			o.Protocol = testkit.Serve(t, s, object{"company_keys": object{fixture.BranchNumber: key}})
			o.MustNotFail(o.Refresh())
			config := o.Value(o.Type, row.arguments)
			o.MustNotFail(o.Apply(config, o.MustPlan(config)))
			if row.change != nil {
				_, said := o.Plan(o.Value(o.Type, with(row.arguments, row.change)))
				testkit.WantErrorAt(t, said, row.company, "Missing "+row.company)
			}
			leaves, said := o.PlanDestroy()
			o.MustNotFail(said)
			o.MustNotFail(o.Destroy(leaves))
		})
	}
}

// The same for each action that has such an argument.
func TestIssuer_isRequiredOfActionsBesideCompanyKeys(t *testing.T) {
	t.Parallel()
	s := withInvoices(t)
	_, key := fixture.Company(s, fixture.BranchNumber)
	p := testkit.Serve(t, s, object{"company_keys": object{fixture.BranchNumber: key}})
	arguments := rows.Read[map[string]object](t, "issuer_is_required_of_actions_beside_company_keys.json")
	for kind, schema := range p.Schemas.ActionSchemas {
		for _, a := range schema.Schema.Block.Attributes {
			if a.Name != "issuer" && a.Name != "company" {
				continue
			}
			before, config := len(s.Requests()), p.Config(schema.Schema, arguments[kind])
			planned := testkit.Answered(t, p.PlanAction, &tfprotov6.PlanActionRequest{ActionType: kind, Config: config})
			testkit.WantErrorAt(t, planned.Diagnostics, a.Name, "Missing "+a.Name+": action "+kind)
			stream := testkit.Answered(t, p.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: kind, Config: config})
			var ended tfprotov6.CompletedInvokeActionEventType
			for event := range stream.Events {
				ended, _ = event.Type.(tfprotov6.CompletedInvokeActionEventType)
			}
			testkit.WantErrorAt(t, ended.Diagnostics, a.Name, "Missing "+a.Name+": action "+kind)
			expect.Is(t, len(s.Requests())-before, 0, "%s requests were sent", kind)
		}
	}
}

func TestKeys_withoutOneNothingIsPlannedOrRead(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	held := testkit.Serve(t, s, nil).Object("einvoice_customer")
	held.MustCreate(object{"name": "Padaria"})
	prepared := map[string]object{}
	for name, action := range actions {
		prepared[name] = action.prepare(s, s.OwnerCompanyID())
	}
	s.ResetRequests()
	for key, want := range map[any]string{
		"": "Empty API key", nil: "Missing API key", tftypes.UnknownValue: "Provider configuration not known yet",
	} {
		p := testkit.Serve(t, s, object{"api_key": key})
		refused := func(what, said string) {
			t.Helper()
			if !strings.Contains(said, want) || key != tftypes.UnknownValue && !strings.Contains(said, message.EnvAPIKey) {
				t.Errorf("%s says %q, want %q", what, said, want)
			}
		}
		_, failed := p.ReadData("einvoice_invoices", object{"model": "serviceInvoice"})
		refused("a data source", failed)
		found, said := p.Query("einvoice_webhook", 100, true)
		if refused("a query", testkit.ErrorsIn(said)); len(found) > 0 {
			t.Errorf("a query finds %v", found)
		}
		for name, arguments := range prepared {
			if key == tftypes.UnknownValue { // Which it may be while planning.
				refused(name, p.Invoke(name, arguments).Errors)
				continue
			}
			planned := testkit.Answered(t, p.PlanAction, &tfprotov6.PlanActionRequest{
				ActionType: name, Config: p.Config(p.Schemas.ActionSchemas[name].Schema, arguments),
			})
			refused("a plan of "+name, testkit.ErrorsIn(planned.Diagnostics))
		}
		if key == tftypes.UnknownValue {
			continue
		}
		for name, row := range unknownValues {
			o := p.Object(name)
			_, said := o.Plan(o.Value(o.Type, nested(row.Arguments)))
			refused("a plan of "+name, testkit.ErrorsIn(said))
		}
		held.Protocol = p
		refused("a refresh", testkit.ErrorsIn(held.Refresh()))
	}
	fixture.WantRequests(t, s, "", "", 0)
}

// branchesConfig has one provider configuration for all who issue. It cannot be the one that makes the companies: its
// keys come from them.
func branchesConfig(t *testing.T, s *sandbox.Server, numbers ...string) string {
	t.Helper()
	const keys = "company_keys = { for c in einvoice_company.branch : c.federal_tax_number => c.api_key }"
	branches := fileText(t, filepath.Join("testdata", "branches.tf"))
	return testkit.Config(s, strings.Replace(branches, "NUMBERS", strings.Join(numbers, `", "`), 1)+aliasOf(s, "issuing", "", keys))
}

func TestAccCompanyKeys_issueForCompaniesOfTheSameApply(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewWorkspace(t, branchesConfig(t, s, fixture.BranchNumber, fixture.OtherNumber), "")
	logs := filepath.Join(t.TempDir(), "trace.log")
	w.Environ = append(w.Environ, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+logs)
	printed := w.MustApply()
	wantOneInvoiceEach(t, s, fixture.BranchNumber, fixture.OtherNumber)

	// A company that is added later defers only its own objects.
	const third = "33000167000101"
	w.Write(branchesConfig(t, s, fixture.BranchNumber, fixture.OtherNumber, third))
	s.ResetRequests()
	plan := w.MustRun("plan", "-input=false")
	if n := s.Count("GET", fixture.ServiceInvoices+"/{id}"); n != 2 || !strings.Contains(plan, "3 to add, 0 to change, 0 to destroy") {
		t.Errorf("%d of 2 invoices were refreshed, and the plan is\n%s", n, plan)
	}
	printed += plan + w.MustApply()
	wantOneInvoiceEach(t, s, fixture.BranchNumber, fixture.OtherNumber, third)
	for _, sent := range s.Requests() {
		if sent.Method == "POST" && strings.HasPrefix(sent.Path, fixture.ServiceInvoices) && sent.Key == s.OwnerCompanyID() {
			t.Error("an invoice was sent with the main company's key")
		}
	}

	// Errors are where keys slip out: the service repeats another company's.
	keys := map[string]string{}
	for _, company := range s.Objects(sandbox.KindCompanies) {
		keys[fmt.Sprint("the key of ", company["id"])] = s.KeyOf(fmt.Sprint(company["id"]))
	}
	var all []string
	for _, key := range keys {
		all = append(all, key)
	}
	s.Inject(sandbox.Fault{
		Kind: sandbox.FaultStatus, Method: "GET", Path: fixture.ServiceInvoices + "/{id}", Status: 400,
		Body: fmt.Sprintf(`{"errors":[{"message":"one of %s is wrong"}]}`, strings.Join(all, ", ")),
	})
	refused, _ := w.Run("plan", "-input=false")
	expect.Contains(t, testkit.Unwrapped(refused), "one of (API key), (API key), (API key), (API key) is wrong")
	searchFor(t, "what the CLI printed", printed+refused, keys)
	searchFor(t, "the log", providerLog(t, logs), keys)
}

func wantOneInvoiceEach(t *testing.T, s *sandbox.Server, numbers ...string) {
	t.Helper()
	for _, number := range numbers {
		expect.Is(t, fixture.IssuedBy(s, number), 1, "%s invoices", number)
	}
	expect.Is(t, len(s.Invoices("")), len(numbers), "invoices")
}

// A provider configuration whose key is another company's decides who issues an invoice, so what is tested here is
// above all whose key was used. None of it uses the test framework, which serves all aliases from one provider.

// moduleWorkspace is a copy of a module in examples/modules, at the configuration
// that calls it. since is the minor version of the oldest CLI that the module takes.
func moduleWorkspace(t *testing.T, s *sandbox.Server, module string, since int) *testkit.Workspace {
	t.Helper()
	w := testkit.NewAttached(t, "")
	takeModule(t, w, s, module, since)
	w.Dir = filepath.Join(w.Dir, module, "example")
	w.MustRun("get")
	return w
}

// takeModule copies a module of examples/modules below the workspace.
func takeModule(t *testing.T, w *testkit.Workspace, s *sandbox.Server, module string, since int) {
	t.Helper()
	if !w.Cli.AtLeast(1, since) {
		t.Skipf("the module needs 1.%d", since)
	}
	w.UseByEnvironment(s)
	copyExample(t, filepath.Join(testkit.ExamplesDir, "modules", module), filepath.Join(w.Dir, module))
}

func TestAccModuleCompanyOnboarding_handsTheKeyOverAsIsChosen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file and a command are for /bin/sh")
	}
	for name, test := range rows.Read[map[string]struct {
		Environ     map[string]string
		File        string // that receives the key; an output does where it is empty
		IsHandedOut bool
		Needs       string // a file, without which the apply fails
	}](t, "module_company_onboarding_hands_the_key_over_as_is_chosen.json") {
		rows.Case(t, name, func(t *testing.T) {
			s := sandbox.Start(t, sandbox.Options{})
			w := moduleWorkspace(t, s, "company-onboarding", 11)
			for name, value := range test.Environ {
				w.Environ = append(w.Environ, "TF_VAR_key_"+name+"="+value)
			}
			shown := ""
			if test.Needs != "" {
				failed, ok := w.Run("apply", "-auto-approve", "-input=false")
				expect.False(t, ok, "the apply succeeds although nothing could be stored:\n%s", failed)
				shown = failed
				replaceFile(t, filepath.Join(w.Dir, test.Needs), "")
			}
			shown += w.MustApply()
			var outputs map[string]struct{ Value any }
			w.MustDecode(&outputs, "output", "-json")
			received, _ := outputs["branch_key"].Value.(string) // An output that is null is left out.
			if test.File != "" {
				info, err := os.Stat(filepath.Join(w.Dir, test.File))
				expect.NoError(t, err)
				expect.Is(t, info.Mode().Perm(), 0o600, "the key can be read by others")
				received = fileText(t, filepath.Join(w.Dir, test.File))
			}
			key := s.KeyOf(fixture.BranchID(s))
			expect.True(t, received == map[bool]string{true: key}[test.IsHandedOut], "what was received is not the key")
			expect.False(t, strings.Contains(shown, key), "the apply shows the key:\n%s", shown)
			fixture.WantRequests(t, s, "POST", "/v1/companies", 1)
		})
	}
}

func TestAccModuleMonthlyInvoices_issuesEachRowOnce(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := moduleWorkspace(t, s, "monthly-invoices", 8)
	onNextMachine(w)
	w.MustApply()
	outputs := func() (all map[string]struct{ Value any }) {
		w.MustDecode(&all, "output", "-json")
		return all
	}
	before := outputs()
	expect.Same(t, map[string]any{"month": "2026-11", "invoices": 3.0, "authorized": 3.0, "total": 2300.5}, before["summary"].Value, "summary")

	// A machine that has neither the state nor the journal.
	removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
	onNextMachine(w)
	w.MustApply()
	expect.Same(t, before["invoices"], outputs()["invoices"], "the invoices")
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 3)

	// One row more is one invoice more, wherever it stands.
	w.Edit("2026-11.csv", "c-001,", "c-000,Maria Silva,529.982.247-25,maria@example.com,Rua XV de Novembro,15,Centro,80020-310,4106902,Visita,100\nc-001,")
	w.Edit("main.tf", "2300.50", "2400.50")
	w.MustApply()
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 4)
	w.MustPlanNothing()

	// What is issued does not change.
	w.Edit("2026-11.csv", "Suporte", "Consultoria e suporte")
	if output, ok := w.Run("plan", "-input=false"); ok || !strings.Contains(testkit.Unwrapped(output), "so its content cannot change any more") {
		t.Errorf("the plan takes another text for an issued invoice:\n%s", output)
	}
}

// OpenTofu says of one variable what it finds first, so that most edits have a plan of their own.
func TestAccModuleMonthlyInvoices_refusesAFileThatIsWrong(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := moduleWorkspace(t, s, "monthly-invoices", 8)
	before := map[string]string{}
	for _, file := range []string{"2026-11.csv", "main.tf"} {
		before[file] = fileText(t, filepath.Join(w.Dir, file))
	}
	type edit struct{ Name, File, From, To, Want string }
	for _, edits := range rows.Read[[][]edit](t, "monthly_invoices_refuses_a_file_that_is_wrong.json") {
		for file, text := range before {
			replaceFile(t, filepath.Join(w.Dir, file), text)
		}
		for _, edit := range edits {
			w.Edit(edit.File, edit.From, edit.To)
		}
		output, ok := w.Run("plan", "-input=false")
		for _, edit := range edits {
			isSaid := strings.Count(testkit.Unwrapped(output), edit.Want) == 1
			expect.True(t, !ok && isSaid, "%s: it is not refused with one %q:\n%s", edit.Name, edit.Want, output)
		}
	}
	fixture.WantWrites(t, s, 0)
}

// TestAccManyCompanies_fromPlanToTotals takes the example as its README goes: companies and contracts with empty cells,
// the totals, the accountant's table, the documents in a directory, and a row that is canceled.
func TestAccManyCompanies_fromPlanToTotals(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, "")
	takeModule(t, w, s, "monthly-invoices", 8)
	copyExample(t, filepath.Join(testkit.ExamplesDir, "many-companies"), filepath.Join(w.Dir, "many-companies"))
	w.Dir = filepath.Join(w.Dir, "many-companies")
	w.Edit("main.tf", "../modules/", "../")
	month := time.Now().Format("2006-01")
	w.Environ = append(w.Environ, "TF_VAR_month="+month)
	w.MustRun("get")
	wantNoDoubt(t, w.MustApply())
	totals := func() (all map[string]string) {
		w.MustDecode(&all, "output", "-json", "totals")
		return all
	}
	want := map[string]string{"11.222.333/0001-81": "5335.40", "11.444.777/0001-61": "2060.85", "45.997.418/0001-53": "6704.99"}
	expect.Same(t, want, totals(), "the totals")
	issued := s.Invoices("")
	for _, invoice := range issued {
		if receiver := invoice["receiver"].(map[string]any); receiver["email"] == "" || invoice["status"] != "authorized" {
			t.Errorf("invoice %v is %v, for %v", invoice["integrationId"], invoice["status"], receiver)
		}
	}
	fixture.WantRequests(t, s, "POST", fixture.ServiceInvoices, 12)
	expect.Is(t, len(issued), 12, "invoices")
	wantTable := func(rows int, row string) {
		table := w.MustRun("output", "-raw", "month_csv")
		isThere := regexp.MustCompile(`(?m)^"[0-9./-]+";"silva:` + month + row + `$`).MatchString(table)
		if strings.Count(table, "\n") != 1+rows || !isThere || !strings.HasPrefix(table, "\ufeff\"emitente\"") {
			t.Errorf("the accountant's table:\n%s", table)
		}
	}
	wantTable(12, `:c-002";"Café da Esquina Ltda";"21444555000100";"\d+";"autorizada";"320,50"`)
	w.MustPlanNothing()

	w.MustRun("apply", "-auto-approve", "-input=false", "-var=documents=true")
	if runtime.GOOS != "windows" {
		save := exec.CommandContext(t.Context(), "sh", "./save-documents.sh", "2026-11")
		save.Dir, save.Env = w.Dir, append(slices.Clone(w.Environ), "TF="+w.Cli.Path)
		if _, err := cli.Output(save); err != nil {
			t.Fatal(err)
		}
		if pdfs, _ := filepath.Glob(filepath.Join(w.Dir, "2026-11", "c-0??.pdf")); len(pdfs) != 12 || !strings.HasPrefix(fileText(t, pdfs[11]), "%PDF") {
			t.Errorf("the documents are %q", pdfs)
		}
		expect.Contains(t, fileText(t, filepath.Join(w.Dir, "2026-11", "c-012.xml")), "<")
	}

	// A reason sends nothing; deleting the row cancels its invoice.
	w.Edit("contracts.csv", ",480,\n", ",480,Contrato encerrado antes do mês\n")
	w.MustApply()
	fixture.WantRequests(t, s, "DELETE", fixture.ServiceInvoices+"/{id}", 0)
	contracts := filepath.Join(w.Dir, "contracts.csv")
	replaceFile(t, contracts, regexp.MustCompile(`(?m)^c-003,.*\n`).ReplaceAllString(fileText(t, contracts), ""))
	w.Edit("main.tf", "14101.24", "13621.24")
	w.MustApply()
	fixture.WantRequests(t, s, "DELETE", fixture.ServiceInvoices+"/{id}", 1)
	want["45.997.418/0001-53"] = "6224.99"
	expect.Same(t, want, totals(), "the totals after the cancellation")
	wantTable(12, `:c-003";".*";"\d+";"cancelada";"480,00"`)
}
