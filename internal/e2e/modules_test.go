package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/fixture"
)

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

// TestAccModules_asTheirReadmesCallThem applies what each README shows, with the
// module beside it.
func TestAccModules_asTheirReadmesCallThem(t *testing.T) {
	t.Parallel()
	for module, since := range map[string]int{"company-onboarding": 11, "monthly-invoices": 8} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := testkit.NewAttached(t, "")
			takeModule(t, w, s, module, since)
			readme := fileText(t, filepath.Join(w.Dir, module, "README.md"))
			blocks := guideBlocks(readme, w.Cli.Product)
			if len(blocks) != 1 {
				t.Fatalf("the README has %d configurations, want 1", len(blocks))
			}
			w.Write(testkit.ExampleVersions + blocks[0])
			csv := filepath.Join(w.Dir, module, "example", "2026-11.csv")
			if _, err := os.Stat(csv); err == nil {
				copyFile(t, csv, filepath.Join(w.Dir, "2026-11.csv"))
			}
			w.MustRun("get")
			wantNoDoubt(t, w.MustApply())
			for _, invoice := range s.Invoices("") {
				if invoice["status"] != "authorized" {
					t.Errorf("invoice %v is %v: %v", invoice["integrationId"], invoice["status"], invoice["processingDetail"])
				}
			}
			if n := fixture.CountWrites(s); n == 0 {
				t.Error("nothing was sent")
			}
		})
	}
}

func TestAccModuleCompanyOnboarding_setsUpACompanyAndTakesItDownAgain(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := moduleWorkspace(t, s, "company-onboarding", 11)
	w.MustApply()
	w.MustPlanNothing()
	id := fixture.BranchID(s)
	var shown struct {
		ID                   string
		Environments         map[string]string
		CertificateExpiresAt string `json:"certificate_expires_at"`
	}
	w.MustDecode(&shown, "output", "-json", "branch")
	if diff := cmp.Diff(map[string]string{"product": "development", "consumer": "development", "service": "simulation"}, shown.Environments); diff != "" {
		t.Errorf("environments (-want +got):\n%s", diff)
	}
	if shown.ID != id || shown.CertificateExpiresAt == "" {
		t.Errorf("the output is %+v, want company %s with a certificate", shown, id)
	}
	consumer, _ := s.SettingsClear(id)["consumerInvoice"].(map[string]any)
	if consumer["csc"] != "0A1B2C3D-E4F5-6789-ABCD-EF0123456789" {
		t.Errorf("the csc at the service is %v", consumer["csc"])
	}
	if n := len(s.Objects(sandbox.KindWebhooks)); n != 2 {
		t.Errorf("%d webhooks, want 2", n)
	}
	state := fileText(t, filepath.Join(w.Dir, "terraform.tfstate"))
	certificate := regexp.MustCompile(`"(MII[^"]{100,})"`).FindStringSubmatch(fileText(t, filepath.Join(w.Dir, "main.tf")))
	if certificate == nil {
		t.Fatal("the example has no certificate")
	}
	searchFor(t, "the state", state, map[string]string{"the csc": "0A1B2C3D-E4F5-6789", "the certificate": certificate[1], "its password": "of the file"})
	w.MustRun("destroy", "-auto-approve", "-input=false")
	if n := len(s.Objects(sandbox.KindCompanies)); n != 1 {
		t.Errorf("%d companies after destroy, want the main one", n)
	}
}

func TestAccModuleCompanyOnboarding_handsTheKeyOverAsIsChosen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file and a command are for /bin/sh")
	}
	read := func(name string) func(*testing.T, *testkit.Workspace) string {
		return func(t *testing.T, w *testkit.Workspace) string {
			t.Helper()
			info, err := os.Stat(filepath.Join(w.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if mode := info.Mode().Perm(); mode != 0o600 {
				t.Errorf("the key can be read by others: %v", mode)
			}
			return fileText(t, filepath.Join(w.Dir, name))
		}
	}
	output := func(t *testing.T, w *testkit.Workspace) string {
		t.Helper()
		var all map[string]struct{ Value any }
		w.MustDecode(&all, "output", "-json")
		key, _ := all["branch_key"].Value.(string) // An output that is null is left out.
		return key
	}
	tests := []struct {
		name     string
		environ  []string
		received func(*testing.T, *testkit.Workspace) string
		given    bool
		needs    string // a file, without which the apply fails
	}{
		{name: "as an output", environ: []string{"TF_VAR_key_handover=output"}, received: output, given: true},
		{
			name: "into a file", environ: []string{"TF_VAR_key_handover=file", "TF_VAR_key_file=branch.key"},
			received: read("branch.key"), given: true,
		},
		{
			name: "to a command, again after it has failed", received: read("stored"), given: true, needs: "open",
			environ: []string{
				"TF_VAR_key_handover=command",
				"TF_VAR_key_command=test -e open && umask 077 && printf %s $COMPANY_API_KEY | cat >stored-$COMPANY_ID && " +
					"mv stored-$COMPANY_ID stored",
			},
		},
		{name: "not at all", environ: []string{"TF_VAR_key_handover=none"}, received: output},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := sandbox.Start(t, sandbox.Options{})
			w := moduleWorkspace(t, s, "company-onboarding", 11)
			w.Environ = append(w.Environ, tt.environ...)
			shown := ""
			if tt.needs != "" {
				failed, ok := w.Run("apply", "-auto-approve", "-input=false")
				if shown = failed; ok {
					t.Fatalf("the apply succeeds although nothing could be stored:\n%s", failed)
				}
				replaceFile(t, filepath.Join(w.Dir, tt.needs), "")
			}
			shown += w.MustApply()
			id := fixture.BranchID(s)
			if want := map[bool]string{true: s.KeyOf(id)}[tt.given]; tt.received(t, w) != want {
				t.Errorf("what was received is not the key")
			}
			if strings.Contains(shown, s.KeyOf(id)) {
				t.Errorf("the apply shows the key:\n%s", shown)
			}
			if n := s.Count("POST", "/v1/companies"); n != 1 {
				t.Errorf("%d companies were created, want 1", n)
			}
		})
	}
}

// wrongEdit is an edit of a module's example that the module refuses.
type wrongEdit struct{ name, file, from, to, want string }

// refusesEdits makes the edits of a plan, and takes them back for the next one.
func refusesEdits(t *testing.T, module string, since int, plans ...[]wrongEdit) {
	t.Helper()
	s := sandbox.Start(t, sandbox.Options{})
	w := moduleWorkspace(t, s, module, since)
	for _, edits := range plans {
		before := map[string]string{}
		for _, edit := range edits {
			file := filepath.Join(w.Dir, edit.file)
			if _, edited := before[file]; !edited {
				before[file] = fileText(t, file)
			}
			w.Edit(edit.file, edit.from, edit.to)
		}
		output, ok := w.Run("plan", "-input=false")
		for _, edit := range edits {
			if n := strings.Count(testkit.Unwrapped(output), edit.want); ok || n != 1 {
				t.Errorf("%s: the plan succeeds: %t, want a refusal that says %q once:\n%s", edit.name, ok, edit.want, output)
			}
		}
		for file, text := range before {
			replaceFile(t, file, text)
		}
	}
	if n := fixture.CountWrites(s); n != 0 {
		t.Errorf("%d writes, want none", n)
	}
}

func TestAccModuleCompanyOnboarding_refusesWhatCannotBeMeant(t *testing.T) {
	t.Parallel()
	refusesEdits(t, "company-onboarding", 11, []wrongEdit{
		{"production by the way", "main.tf", "product_invoice  = {}", `product_invoice  = { environment_type = "production" }`, "In production NF-e are legally valid."},
		{"NFC-e without a code", "main.tf", `csc_version = "1"`, "", "NFC-e need the taxpayer's security code"},
	}, []wrongEdit{
		{"a city by its name", "main.tf", `"3550308"`, `"São Paulo"`, "is the IBGE code of the city"},
		{"a way there is not", "main.tf", "key_handover = var.key_handover", `key_handover = "mail"`, `key_handover is "output", "file", "command" or "none".`},
	}, []wrongEdit{
		{"a file without a name", "main.tf", "key_handover = var.key_handover\n  key_file     = var.key_file", `key_handover = "file"`, `key_handover = "file" needs a key_file.`},
	})
}

func TestAccModuleCompanyOnboarding_doesNotStoreTheKeyOfAnImportedCompany(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	id := s.Seed(sandbox.KindCompanies, map[string]any{"name": "Padaria Central", "legalName": "Padaria Central Ltda", "federalTaxNumber": "11222333000181"})
	w := moduleWorkspace(t, s, "company-onboarding", 11)
	w.Environ = append(w.Environ, "TF_VAR_key_handover=file", "TF_VAR_key_file=branch.key")
	replaceFile(t, filepath.Join(w.Dir, "branch.key"), "stored before")
	w.MustRun("import", "-input=false", "module.branch.einvoice_company.this", id)
	output, ok := w.Run("apply", "-auto-approve", "-input=false")
	if ok || !strings.Contains(testkit.Unwrapped(output), "The key of the company is not known here") {
		t.Errorf("the apply succeeds: %t\n%s", ok, output)
	}
	if stored, err := os.ReadFile(filepath.Join(w.Dir, "branch.key")); err != nil || string(stored) != "stored before" {
		t.Errorf("the stored key is now %q, %v", stored, err)
	}
	w.Environ = append(w.Environ, "TF_VAR_key_handover=none")
	w.MustApply()
	w.MustPlanNothing()
}

func TestAccModuleMonthlyInvoices_issuesEachRowOnce(t *testing.T) {
	t.Parallel()
	s := sandbox.Start(t, sandbox.Options{})
	w := testkit.NewAttached(t, "")
	onNextMachine(w)
	takeModule(t, w, s, "monthly-invoices", 8)
	w.Dir = filepath.Join(w.Dir, "monthly-invoices", "example")
	w.MustRun("get")
	w.MustApply()
	outputs := func() (all map[string]struct{ Value any }) {
		w.MustDecode(&all, "output", "-json")
		return all
	}
	before := outputs()
	if diff := cmp.Diff(map[string]any{"month": "2026-11", "invoices": 3.0, "authorized": 3.0, "total": 2300.5}, before["summary"].Value); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}

	// A machine that has neither the state nor the journal.
	removeFile(t, filepath.Join(w.Dir, "terraform.tfstate"))
	onNextMachine(w)
	w.MustApply()
	if diff := cmp.Diff(before["invoices"], outputs()["invoices"]); diff != "" {
		t.Errorf("the invoices (-before +after):\n%s", diff)
	}
	if n := s.Count("POST", fixture.ServiceInvoices); n != 3 {
		t.Errorf("%d invoices were sent, want 3", n)
	}

	// One row more is one invoice more, wherever it stands.
	w.Edit("2026-11.csv", "c-001,", "c-000,Maria Silva,529.982.247-25,maria@example.com,Rua XV de Novembro,15,Centro,80020-310,4106902,Visita,100\nc-001,")
	w.Edit("main.tf", "2300.50", "2400.50")
	w.MustApply()
	if n := s.Count("POST", fixture.ServiceInvoices); n != 4 {
		t.Errorf("%d invoices were sent, want 4", n)
	}
	w.MustPlanNothing()

	// What is issued does not change.
	w.Edit("2026-11.csv", "Suporte", "Consultoria e suporte")
	if output, ok := w.Run("plan", "-input=false"); ok || !strings.Contains(testkit.Unwrapped(output), "so its content cannot change any more") {
		t.Errorf("the plan takes another text for an issued invoice:\n%s", output)
	}
}

func TestAccModuleMonthlyInvoices_refusesAFileThatIsWrong(t *testing.T) {
	t.Parallel()
	refusesEdits(t, "monthly-invoices", 8, []wrongEdit{
		{"columns that Excel separates", "2026-11.csv", "reference,name,", "reference;name;", "separated by semicolons"},
	}, []wrongEdit{
		{"a column that is missing", "2026-11.csv", ",city_code,", ",city,", "A column of the CSV is missing"},
	}, []wrongEdit{
		{"a reference that is there twice", "2026-11.csv", "c-002", "c-001", "Two rows have the same reference."},
	}, []wrongEdit{ // OpenTofu says of one variable what it finds first.
		{"an amount with a comma", "2026-11.csv", "320.50", `"320,50"`, "An amount is not valid"},
	}, []wrongEdit{
		{"an amount of nothing", "2026-11.csv", "320.50", "0", "An amount is not valid"},
	}, []wrongEdit{
		{"a city by its name", "2026-11.csv", "4106902", "Curitiba", "A city_code is not valid"},
	}, []wrongEdit{
		{"a sum that is not that of the books", "2026-11.csv", "320.50", "320.51", "The file adds up to 2300.51, and the books to 2300.5."},
	}, []wrongEdit{
		{"a month there is not", "main.tf", `"2026-11"`, `"2026-13"`, "month is a year and a month"},
		{"books without a name", "main.tf", `"silva"`, `" "`, "books must not be blank."},
	})
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
	w.MustRun("get")
	wantNoDoubt(t, w.MustApply())
	totals := func() (all map[string]string) {
		w.MustDecode(&all, "output", "-json", "totals")
		return all
	}
	want := map[string]string{"11.222.333/0001-81": "5335.40", "11.444.777/0001-61": "2060.85", "45.997.418/0001-53": "6704.99"}
	if diff := cmp.Diff(want, totals()); diff != "" {
		t.Errorf("the totals (-want +got):\n%s", diff)
	}
	issued := s.Invoices("")
	for _, invoice := range issued {
		if receiver := invoice["receiver"].(map[string]any); receiver["email"] == "" || invoice["status"] != "authorized" {
			t.Errorf("invoice %v is %v, for %v", invoice["integrationId"], invoice["status"], receiver)
		}
	}
	if n := s.Count("POST", fixture.ServiceInvoices); n != 12 || len(issued) != 12 {
		t.Errorf("%d invoices were sent and %d are there, want 12", n, len(issued))
	}
	table := w.MustRun("output", "-raw", "november_csv")
	if lines := strings.Split(table, "\n"); len(lines) != 14 || !regexp.MustCompile(`;"c-002";"Café da Esquina Ltda";"21.444.555/0001-00";"\d+";"authorized";"320,50"$`).MatchString(lines[2]) {
		t.Errorf("the accountant's table:\n%s", table)
	}
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
		if xml := fileText(t, filepath.Join(w.Dir, "2026-11", "c-012.xml")); !strings.Contains(xml, "<") {
			t.Errorf("the XML is %q", xml)
		}
	}

	// A reason sends nothing; deleting the row cancels its invoice.
	w.Edit("contracts.csv", ",480,\n", ",480,Contrato encerrado antes do mês\n")
	w.MustApply()
	if n := s.Count("DELETE", fixture.ServiceInvoices+"/{id}"); n != 0 {
		t.Errorf("%d cancellations were sent before the row was deleted", n)
	}
	w.Edit("contracts.csv", fileLine(t, filepath.Join(w.Dir, "contracts.csv"), "c-003,"), "")
	w.Edit("main.tf", "14101.24", "13621.24")
	w.MustApply()
	if n := s.Count("DELETE", fixture.ServiceInvoices+"/{id}"); n != 1 {
		t.Errorf("%d cancellations were sent, want 1", n)
	}
	want["45.997.418/0001-53"] = "6224.99"
	if diff := cmp.Diff(want, totals()); diff != "" {
		t.Errorf("the totals after the cancellation (-want +got):\n%s", diff)
	}
}

// fileLine is the line of a file that begins so, with its end.
func fileLine(t *testing.T, name, begins string) string {
	t.Helper()
	for line := range strings.Lines(fileText(t, name)) {
		if strings.HasPrefix(line, begins) {
			return line
		}
	}
	t.Fatalf("%s has no line that begins with %q", name, begins)
	return ""
}
