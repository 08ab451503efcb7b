package e2e_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/sandbox"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
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
				expect.Is(t, invoice["status"], "authorized", "invoice %v: %v", invoice["integrationId"], invoice["processingDetail"])
			}
			if n := fixture.CountWrites(s); n == 0 {
				t.Error("nothing was sent")
			}
		})
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
			expect.NoError(t, err)
			expect.Is(t, info.Mode().Perm(), 0o600, "the key can be read by others")
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
			fixture.WantRequests(t, s, "POST", "/v1/companies", 1)
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
	fixture.WantWrites(t, s, 0)
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

func TestAccModuleMonthlyInvoices_refusesAFileThatIsWrong(t *testing.T) {
	t.Parallel()
	refusesEdits(t, "monthly-invoices", 8, []wrongEdit{
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
		{"books without a name", "main.tf", `"consultoria-silva"`, `" "`, "books must not be blank."},
	})
}
