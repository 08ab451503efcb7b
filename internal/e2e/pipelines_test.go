package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/acctest"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
)

// The files of examples/pipelines, which users copy as they are.

var pipelinesDir = filepath.Join(acctest.ExamplesDir, "pipelines")

// pipelineTools are built once for each run, from a module of their own.
var pipelineTools sync.Map

// pipelineTool is the path of opa or actionlint.
func pipelineTool(t *testing.T, name string) string {
	t.Helper()
	build, _ := pipelineTools.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "go", "tool", "-n", "-modfile=../tools/pipelines/go.mod", name)
		output, err := cmd.CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("building %s: %w\n%s", name, err, output)
		}
		return strings.TrimSpace(string(output)), nil
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mustSucceed runs a tool on the repository's files.
func mustSucceed(t *testing.T, name string, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), pipelineTool(t, name), args...).CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}

func TestPipelines_policiesPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(pipelinesDir, "policy")
	mustSucceed(t, "opa", "check", "--strict", policy)
	mustSucceed(t, "opa", "fmt", "--fail", "--diff", policy, "testdata/pipelines")
	mustSucceed(t, "opa", "test", "--fail-on-empty", policy)
}

// TestPipelines_filesAreWhatTheirToolsRead checks the files against what is in
// testdata/pipelines: the keys that a tool knows, and what must not be lost by an edit.
func TestPipelines_filesAreWhatTheirToolsRead(t *testing.T) {
	t.Parallel()
	args := []string{"test", "--fail-on-empty", "testdata/pipelines"}
	for name, file := range map[string]string{
		"github": "github-actions.yml", "drift": "github-drift.yml", "gitlab": ".gitlab-ci.yml", "atlantis": "atlantis.yaml", "server": "atlantis-repos.yaml",
		"commits": ".pre-commit-config.yaml", "container": ".devcontainer/devcontainer.json", "agent": "hcp-terraform/compose.yaml",
	} {
		args = append(args, "files."+name+":"+filepath.Join(pipelinesDir, filepath.FromSlash(file)))
	}
	mustSucceed(t, "opa", args...)
}

// What the rules in them are called is known to tflint and HCP Terraform alone, which are
// too large to be built here.
func TestPipelines_otherFilesParse(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".tflint.hcl", "policy/policies.hcl"} {
		if _, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(pipelinesDir, filepath.FromSlash(file))); diags.HasErrors() {
			t.Error(diags)
		}
	}
}

func TestAccPipelines_configurationForTheCloudIsValid(t *testing.T) {
	t.Parallel()
	w := acctest.NewAttached(t, fileText(t, filepath.Join(pipelinesDir, "hcp-terraform", "main.tf")))
	w.MustRun("validate")
}

func TestPipelines_workflowsAreLinted(t *testing.T) {
	t.Parallel()
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(workflows) == 0 {
		t.Fatalf("there are no workflows: %v", err)
	}
	examples, err := filepath.Glob(filepath.Join(pipelinesDir, "github-*.yml"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("there are no workflows among the examples: %v", err)
	}
	mustSucceed(t, "actionlint", append(workflows, examples...)...)
}

var (
	environmentName = regexp.MustCompile(`\bEINVOICE_[A-Z_]+\b`)
	pinnedAction    = regexp.MustCompile(`uses: (\S+)@(\S+) # (\S+)`)
)

// TestPipelines_nameWhatThereIs keeps the names of variables to the provider's, and the
// pins of actions to those that this repository runs itself, where it does.
func TestPipelines_nameWhatThereIs(t *testing.T) {
	t.Parallel()
	known := []string{message.EnvBaseURL, message.EnvAPIKey, message.EnvCacheDir, message.EnvCoordinationURL, message.EnvRequestsPerMinute, message.EnvRequestsPerSecond}
	own := map[string]string{}
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, workflow := range workflows {
		for _, pin := range pinnedAction.FindAllStringSubmatch(fileText(t, workflow), -1) {
			own[pin[1]] = pin[2]
		}
	}
	names, pins := 0, 0
	err = filepath.WalkDir(pipelinesDir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text := fileText(t, path)
		for _, name := range environmentName.FindAllString(text, -1) {
			names++
			if !slices.Contains(known, name) {
				t.Errorf("%s names %s, which the provider does not read", path, name)
			}
		}
		for _, pin := range pinnedAction.FindAllStringSubmatch(text, -1) {
			pins++
			if commit, here := own[pin[1]]; here && commit != pin[2] {
				t.Errorf("%s pins %s to %s, and this repository to %s", path, pin[1], pin[2], commit)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names < 10 || pins < 8 {
		t.Errorf("%d names and %d pins were found; there are more", names, pins)
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
