package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/expect"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/testkit/rows"
)

// program is the smallest program, built as a release is.
var program = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "einvoice-release-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, content := range map[string]string{"go.mod": "module example.com/program\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", "program", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if _, err := cli.Output(cmd); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "program"))
})

const testVersion = "1.2.3"

// onPlatform is the name of an archive for the platform of this test.
func onPlatform(name string) string {
	return name + "_" + testVersion + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".zip"
}

// zipped is an archive with files under these names, each of them the program.
func zipped(t *testing.T, mode fs.FileMode, names ...string) []byte {
	t.Helper()
	content, err := program()
	expect.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		header := &zip.FileHeader{Name: name, Method: zip.Store}
		header.SetMode(mode)
		w, err := z.CreateHeader(header)
		expect.NoError(t, err)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	expect.NoError(t, z.Close())
	return b.Bytes()
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// released is a directory as goreleaser leaves it, for one platform, and its manifest.
func released(t *testing.T) (dist, manifest string) {
	t.Helper()
	dist = t.TempDir()
	manifest = filepath.Join(t.TempDir(), "manifest.json")
	write(t, filepath.Dir(manifest), "manifest.json", []byte("{}\n"))
	write(t, dist, onPlatform(providerName), zipped(t, 0o755, executable(providerName+"_v"+testVersion), license))
	for _, name := range []string{sandboxName, checkName} {
		write(t, dist, onPlatform(name), zipped(t, 0o755, executable(name), license))
	}
	for _, name := range programNames {
		write(t, dist, onPlatform(name)+sbomSuffix, sbom(t, 1))
	}
	sum(t, dist, manifest, onPlatform(providerName))
	return dist, manifest
}

// sbom is a document as cyclonedx-gomod writes it of the program, with so many components.
func sbom(t *testing.T, components int) []byte {
	t.Helper()
	content, err := program()
	expect.NoError(t, err)
	list := strings.TrimSuffix(strings.Repeat(`{"type":"library"},`, components), ",")
	return fmt.Appendf(nil, `{"bomFormat":"CycloneDX","metadata":{"properties":[{"name":"cdx:gomod:binary:name","value":"program"},`+
		`{"name":"cdx:gomod:binary:hash:SHA-256","value":"%x"}]},"components":[%s]}`, sha256.Sum256(content), list)
}

// sum writes the checksums of archives and of the manifest.
func sum(t *testing.T, dist, manifest string, names ...string) {
	t.Helper()
	var lines strings.Builder
	line := func(path, name string) {
		content, err := os.ReadFile(path)
		expect.NoError(t, err)
		digest := sha256.Sum256(content)
		fmt.Fprintf(&lines, "%s  %s\n", hex.EncodeToString(digest[:]), name)
	}
	for _, name := range names {
		line(filepath.Join(dist, name), name)
	}
	line(manifest, providerName+"_"+testVersion+"_manifest.json")
	write(t, dist, providerName+"_"+testVersion+sumsSuffix, []byte(lines.String()))
}

func TestCheck_takesAReleaseAsItShouldBe(t *testing.T) {
	t.Parallel()
	dist, manifest := released(t)
	var out strings.Builder
	if err := run([]string{"-partial", "-manifest", manifest, dist}, &out); err != nil {
		t.Error(err)
	}
	want := "1 archives of the provider, 1 of the sandbox and 1 of the check"
	expect.True(t, strings.Contains(out.String(), want), "output = %q, want %q", out.String(), want)
}

func TestCheck_refusesARelease(t *testing.T) {
	t.Parallel()
	names := strings.NewReplacer(
		"{provider}", onPlatform(providerName), "{sandbox}", onPlatform(sandboxName), "{check}", onPlatform(checkName),
		"{program}", executable(providerName+"_v"+testVersion), "{system}", runtime.GOOS,
		"{sbom}", sbomSuffix, "{sums}", providerName+"_"+testVersion+sumsSuffix,
	)
	all := func(templates []string) (replaced []string) {
		for _, template := range templates {
			replaced = append(replaced, names.Replace(template))
		}
		return replaced
	}
	for _, tt := range rows.Read[[]struct {
		Name       string
		Remove     string   // a file
		Sums       []string // the archives whose checksums are told
		Manifest   string
		SBOM       [2]string // what is replaced in that of the provider
		Archive    string    // what is written in its place, with the program under these names
		Files      []string
		Unrunnable bool
		Says       string
	}](t, "check_refuses_a_release.json") {
		rows.Case(t, tt.Name, func(t *testing.T) {
			dist, manifest := released(t)
			if tt.Remove != "" {
				expect.NoError(t, os.Remove(filepath.Join(dist, names.Replace(tt.Remove))))
			}
			if tt.Sums != nil {
				sum(t, dist, manifest, all(tt.Sums)...)
			}
			if tt.Manifest != "" {
				write(t, filepath.Dir(manifest), filepath.Base(manifest), []byte(tt.Manifest))
			}
			if tt.SBOM[0] != "" {
				document := bytes.Replace(sbom(t, 1), []byte(tt.SBOM[0]), []byte(tt.SBOM[1]), 1)
				write(t, dist, onPlatform(providerName)+sbomSuffix, document)
			}
			if tt.Archive != "" {
				mode := map[bool]fs.FileMode{false: 0o755, true: 0o644}[tt.Unrunnable]
				write(t, dist, names.Replace(tt.Archive), zipped(t, mode, all(tt.Files)...))
			}
			_, err := check(dist, manifest, true)
			expect.False(t, err == nil || !strings.Contains(err.Error(), names.Replace(tt.Says)),
				"error = %v, want one that says %q", err, names.Replace(tt.Says))
		})
	}
}

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
		expect.False(t, len(files) != 1 || files[0][1] != "go.mod",
			"%s takes its Go from %v, want go.mod alone", name, files)
	}
	// A module that asks for a newer Go would bring another one.
	for _, name := range []string{"release", "sbom", "vuln"} {
		asked := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(repositoryFile(t, "internal/tools/"+name+"/go.mod"))
		expect.False(t, asked == nil || version.Compare("go"+asked[1], toolchain[1]) > 0,
			"the tools of %s ask for Go %v, and go.mod names %s", name, asked, toolchain[1])
	}
}

func TestRelease_publishesEachProgramWithItsChecksums(t *testing.T) {
	t.Parallel()
	config, workflow := repositoryFile(t, ".goreleaser.yml"), repositoryFile(t, ".github/workflows/release.yml")
	if want := "for program in " + sandboxName + " " + checkName + "; do"; !strings.Contains(workflow, want) {
		t.Errorf("release.yml lacks %q", want)
	}
	for _, want := range []string{`binary: "{{ .ProjectName }}_v{{ .Version }}"`, "- -s -w -X main.version={{ .Version }}"} {
		expect.Contains(t, config, want)
	}
	for _, name := range []string{sandboxName, checkName} {
		id := strings.TrimPrefix(name, "einvoice-")
		for _, want := range []string{
			"main: ./internal/cmd/" + id, "binary: " + name, "ids: [" + id + "]", "name_template: \"" + name + "_{{", "documents: [\"" + name + "_{{",
		} {
			expect.Contains(t, config, want)
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
		expect.False(t, next <= at, "%q is missing, or comes too early", step)
		at = next
	}
	expect.False(t, strings.Contains(workflow, "workflow_dispatch") || strings.Contains(workflow, "branches:"),
		"something else than a tag starts it")
}
