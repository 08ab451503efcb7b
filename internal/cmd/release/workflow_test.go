package main

import (
	"go/version"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
)

func repositoryFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../../..", name))
	expect.NoError(t, err)
	return string(content)
}

func TestRelease_isBuiltAndScannedWithOneGo(t *testing.T) {
	t.Parallel()
	toolchain := regexp.MustCompile(`(?m)^toolchain (go\S+)$`).FindStringSubmatch(repositoryFile(t, "go.mod"))
	if toolchain == nil {
		t.Fatal("go.mod names no toolchain")
	}
	for _, name := range []string{"release.yml", "vulnerabilities.yml"} {
		files := regexp.MustCompile(`go-version-file: (\S+)`).FindAllStringSubmatch(repositoryFile(t, ".github/workflows/"+name), -1)
		if len(files) != 1 || files[0][1] != "go.mod" {
			t.Errorf("%s takes its Go from %v, want go.mod alone", name, files)
		}
	}
	// A module that asks for a newer Go would bring another one.
	for _, name := range []string{"release", "sbom", "vuln"} {
		asked := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(repositoryFile(t, "internal/tools/"+name+"/go.mod"))
		if asked == nil || version.Compare("go"+asked[1], toolchain[1]) > 0 {
			t.Errorf("the tools of %s ask for Go %v, and go.mod names %s", name, asked, toolchain[1])
		}
	}
}

func TestRelease_publishesEachProgramWithItsChecksums(t *testing.T) {
	t.Parallel()
	config, workflow := repositoryFile(t, ".goreleaser.yml"), repositoryFile(t, ".github/workflows/release.yml")
	if want := "for program in " + sandboxName + " " + checkName + "; do"; !strings.Contains(workflow, want) {
		t.Errorf("release.yml lacks %q", want)
	}
	for _, name := range []string{sandboxName, checkName} {
		id := strings.TrimPrefix(name, "einvoice-")
		for _, want := range []string{
			"main: ./internal/cmd/" + id, "binary: " + name, "ids: [" + id + "]", "name_template: \"" + name + "_{{", "documents: [\"" + name + "_{{",
		} {
			if !strings.Contains(config, want) {
				t.Errorf(".goreleaser.yml lacks %q", want)
			}
		}
	}
}

func TestRelease_comesFromATagOnMain(t *testing.T) {
	t.Parallel()
	workflow := repositoryFile(t, ".github/workflows/release.yml")
	at := -1
	for _, step := range []string{
		`tags: ["v*"]`, "environment: release", "fetch-depth: 0", `git merge-base --is-ancestor "$GITHUB_SHA" refs/remotes/origin/main`,
		"make vuln", "secrets.GPG_PRIVATE_KEY", "goreleaser release",
	} {
		next := strings.Index(workflow, step)
		if next <= at {
			t.Errorf("%q is missing, or comes too early", step)
		}
		at = next
	}
	if strings.Contains(workflow, "workflow_dispatch") || strings.Contains(workflow, "branches:") {
		t.Error("something else than a tag starts it")
	}
}
