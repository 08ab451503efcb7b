package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// platforms are those that the registries list, and on which the CLIs are published.
var platforms = []string{
	"darwin_amd64", "darwin_arm64",
	"freebsd_386", "freebsd_amd64", "freebsd_arm", "freebsd_arm64",
	"linux_386", "linux_amd64", "linux_arm", "linux_arm64",
	"windows_386", "windows_amd64", "windows_arm64",
}

const (
	providerName = "terraform-provider-einvoice"
	sandboxName  = "einvoice-sandbox"
	checkName    = "einvoice-check"
	sumsSuffix   = "_SHA256SUMS"
	sbomSuffix   = ".cdx.json"
)

var programNames = []string{providerName, sandboxName, checkName}

var archiveName = regexp.MustCompile(
	`^(` + strings.Join(programNames, "|") + `)_([0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]*)_([a-z0-9]+_[a-z0-9]+)\.zip$`,
)

// counted is how many archives were checked, by program.
type counted map[string]int

// checker collects all that is wrong, so that one run reports it.
type checker struct {
	dist     string
	problems []error
	version  string
	digests  map[string]string
	built    map[string][]string
}

func (c *checker) fault(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf(format, args...))
}

// check judges a directory that goreleaser has made.
func check(dist, manifest string, partial bool) (counted, error) {
	c := &checker{dist: dist, digests: map[string]string{}, built: map[string][]string{}}
	sums, err := filepath.Glob(filepath.Join(dist, "*"+sumsSuffix))
	if err != nil {
		return nil, err
	}
	if len(sums) != 1 {
		return nil, fmt.Errorf("%s holds %d files *%s, want one", dist, len(sums), sumsSuffix)
	}
	prefix, suffix := providerName+"_", sumsSuffix
	c.version = strings.TrimSuffix(strings.TrimPrefix(filepath.Base(sums[0]), prefix), suffix)
	archives, err := filepath.Glob(filepath.Join(dist, "*.zip"))
	if err != nil {
		return nil, err
	}
	for _, path := range archives {
		c.archive(path)
	}
	found := counted{}
	for _, name := range programNames {
		c.coverage(name, partial)
		found[name] = len(c.built[name])
	}
	c.sums(sums[0], manifest)
	return found, errors.Join(c.problems...)
}

// archive judges one archive: its name, the program in it, how that was built, and its SBOM.
func (c *checker) archive(path string) {
	a, err := openArchive(path)
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	parts := archiveName.FindStringSubmatch(a.name)
	if parts == nil || parts[2] != c.version {
		c.fault("%s is no name of an archive of version %s", a.name, c.version)
		return
	}
	name, platform := parts[1], parts[3]
	c.built[name] = append(c.built[name], platform)
	program := name
	if name == providerName {
		program += "_v" + c.version
		c.digests[a.name] = a.digest
	}
	if strings.HasPrefix(platform, "windows_") {
		program += ".exe"
	}
	if a.program != program {
		c.fault("%s holds %s, want %s", a.name, a.program, program)
	}
	if a.mode.Perm()&0o111 == 0 {
		c.fault("%s: %s cannot be run: %v", a.name, a.program, a.mode)
	}
	if built := a.setting("GOOS") + "_" + a.setting("GOARCH"); built != platform {
		c.fault("%s was built for %s", a.name, built)
	}
	for key, want := range map[string]string{"CGO_ENABLED": "0", "-trimpath": "true"} {
		if got := a.setting(key); got != want {
			c.fault("%s was built with %s=%s, want %s", a.name, key, got, want)
		}
	}
	// This check runs on the Go that go.mod names, which is the one that is scanned.
	if a.build.GoVersion != runtime.Version() {
		c.fault("%s was built with %s, want %s", a.name, a.build.GoVersion, runtime.Version())
	}
	c.sbom(a)
}

// sbom judges the document of an archive, which cyclonedx-gomod has written of the program in it.
func (c *checker) sbom(a *archive) {
	name := a.name + sbomSuffix
	content, err := os.ReadFile(filepath.Join(c.dist, name))
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	var bom struct {
		Format   string `json:"bomFormat"`
		Metadata struct {
			Properties []struct{ Name, Value string }
		}
		Components []struct{}
	}
	if err := json.Unmarshal(content, &bom); err != nil {
		c.fault("%s: %w", name, err)
		return
	}
	described := false
	for _, property := range bom.Metadata.Properties {
		described = described || property.Name == "cdx:gomod:binary:hash:SHA-256" && property.Value == a.programDigest
	}
	if bom.Format != "CycloneDX" || !described {
		c.fault("%s is no SBOM of the program in the archive", name)
	}
	// The modules, and the standard library.
	if want := len(a.build.Deps) + 1; len(bom.Components) != want {
		c.fault("%s names %d components, want %d", name, len(bom.Components), want)
	}
}

// coverage judges for which platforms there are archives.
func (c *checker) coverage(name string, partial bool) {
	built := c.built[name]
	slices.Sort(built)
	for _, platform := range platforms {
		if !partial && !slices.Contains(built, platform) {
			c.fault("%s is not built for %s", name, platform)
		}
	}
	if len(built) == 0 {
		c.fault("there is no archive of %s", name)
	}
}

// sums judges the file of checksums: nothing but the provider's archives and the manifest.
func (c *checker) sums(path, manifest string) {
	content, err := os.ReadFile(path)
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	published, err := os.ReadFile(manifest)
	if err != nil {
		c.problems = append(c.problems, err)
		return
	}
	want := maps.Clone(c.digests)
	want[providerName+"_"+c.version+"_manifest.json"] = hexDigest(published)
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		switch expected, known := want[name]; {
		case !known:
			c.fault("%s names %q, which makes a registry refuse the release", filepath.Base(path), name)
		case expected != sum:
			c.fault("%s: the checksum of %s is wrong", filepath.Base(path), name)
		}
		delete(want, name)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		c.fault("%s does not name %s", filepath.Base(path), name)
	}
}
