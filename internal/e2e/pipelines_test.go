package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/message"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit"
)

// The files of examples/pipelines, which users copy as they are. `make test-tools` gives
// them to OPA and actionlint, which `make test` does not build.

var pipelinesDir = filepath.Join(testkit.ExamplesDir, "pipelines")

// What the rules in them are called is known to tflint and HCP Terraform alone, which are
// too large to be built here.
func TestPipelines_otherFilesParse(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".tflint.hcl", "mirror.tfrc", "policy/policies.hcl"} {
		if _, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(pipelinesDir, filepath.FromSlash(file))); diags.HasErrors() {
			t.Error(diags)
		}
	}
}

func TestAccPipelines_configurationForTheCloudIsValid(t *testing.T) {
	t.Parallel()
	w := testkit.NewAttached(t, fileText(t, filepath.Join(pipelinesDir, "hcp-terraform", "main.tf")))
	w.MustRun("validate")
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
