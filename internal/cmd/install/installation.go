package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// installation is what is put where.
type installation struct {
	mirror   string // the directory of providers
	programs string // the directory of programs
	out      io.Writer

	replaced bool // whether another build was there before
}

const changelog = "CHANGELOG.md"

// heading is the version that comes next, or that came last.
var heading = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`)

func version() (string, error) {
	content, err := os.ReadFile(changelog)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is not here: run this from the root of a checkout", changelog)
	}
	if err != nil {
		return "", err
	}
	found := heading.FindSubmatch(content)
	if found == nil {
		return "", fmt.Errorf("%s names no version", changelog)
	}
	return string(found[1]), nil
}

// programs of this checkout that are installed, by the directory of their code.
var ownPrograms = []struct{ name, code string }{
	{"einvoice-sandbox", "./internal/cmd/sandbox"}, {"einvoice-check", "./internal/cmd/check"},
}

func (i *installation) program(name string) string {
	return filepath.Join(i.programs, name+executable())
}

func executable() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// install runs in the root of a checkout.
func (i *installation) install(ctx context.Context) error {
	version, err := version()
	if err != nil {
		return err
	}
	fmt.Fprintln(i.out, "Building. The first build takes a few minutes.")
	dir, err := os.MkdirTemp("", "einvoice-install-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	provider, err := cli.BuildProvider(ctx, dir)
	if err != nil {
		return err
	}
	for _, own := range ownPrograms {
		built := filepath.Join(dir, own.name)
		build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", built, own.code)
		if _, err := cli.Output(build); err != nil {
			return fmt.Errorf("building %s: %w", own.name, err)
		}
		if _, err := put(built, i.program(own.name)); err != nil {
			return err
		}
	}
	name := strings.TrimSuffix(filepath.Base(provider), executable()) + "_v" + version + executable()
	for _, found := range cli.MirrorDirs(i.mirror) {
		other, err := put(provider, filepath.Join(found, version, runtime.GOOS+"_"+runtime.GOARCH, name))
		if err != nil {
			return err
		}
		i.replaced = i.replaced || other
	}
	fmt.Fprintf(
		i.out,
		"Installed einvoice-br/einvoice %s, built from this checkout, for terraform and tofu:\n    %s\n",
		version,
		i.mirror,
	)
	for _, own := range ownPrograms {
		fmt.Fprintf(i.out, "Installed %s:\n    %s\n", own.name, i.program(own.name))
	}
	return nil
}

// put copies a program. It tells whether another one of this name was there.
func put(from, to string) (other bool, err error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return false, err
	}
	before, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(before, content):
		return false, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	other = err == nil
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil { //nolint:gosec // As everything beside it is made.
		return false, err
	}
	// A program that runs cannot be written to, but it can be replaced.
	temporary := to + ".new"
	if err := os.WriteFile(temporary, content, 0o755); err != nil { //nolint:gosec // It is a program.
		return false, errors.Join(err, os.Remove(temporary))
	}
	return other, os.Rename(temporary, to)
}

// explain says what a user has to know who goes on from here.
func (i *installation) explain(restrictions []string) {
	for _, file := range restrictions {
		fmt.Fprintf(i.out, `
%s has a block provider_installation, so the CLI takes providers only from there. Add to this block

  filesystem_mirror {
    path    = %q
    include = ["einvoice-br/einvoice"]
  }

and to each other method in it: exclude = ["einvoice-br/einvoice"]. Remove einvoice-br/einvoice from dev_overrides.
`, file, filepath.ToSlash(i.mirror))
	}
	if i.replaced {
		fmt.Fprintf(i.out, `
This build replaces an earlier one. In a directory that used the earlier one, init reports a wrong checksum. Record the
new checksum in .terraform.lock.hcl there, with terraform or tofu, and run init again:

    terraform providers lock -fs-mirror=%q einvoice-br/einvoice
`, i.mirror)
	}
	found, err := exec.LookPath("einvoice-sandbox")
	switch at, errAt := os.Stat(found); {
	case err != nil || errAt != nil:
		fmt.Fprintf(
			i.out,
			"\nPATH does not contain einvoice-sandbox. Add its directory, for example:\n    export PATH=\"$PATH:%s\"\n",
			i.programs,
		)
	default:
		if own, err := os.Stat(i.program("einvoice-sandbox")); err != nil || !os.SameFile(at, own) {
			fmt.Fprintf(i.out, "\nPATH contains another einvoice-sandbox first: %s\n", found)
		}
	}
	fmt.Fprint(i.out, `
Next, in a directory with a configuration, such as examples/quickstart: run terraform init or tofu init.
It warns about an incomplete lock file. This is expected: no registry gave the checksums for other systems.
To remove everything again, run make uninstall. Do so before you install a released version.
`)
}

// remove takes away the provider, in all versions, and the programs.
func (i *installation) remove() error {
	installed := cli.MirrorDirs(i.mirror)
	for _, own := range ownPrograms {
		installed = append(installed, i.program(own.name))
	}
	for _, path := range installed {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		fmt.Fprintln(i.out, "Removed", path)
	}
	return nil
}
