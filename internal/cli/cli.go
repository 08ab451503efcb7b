// Package cli finds a Terraform or OpenTofu CLI, or builds OpenTofu once into the user's cache directory, and prepares
// the configuration and environment with which that CLI uses a provider that is built here. It never reads the user's
// CLI configuration: a broken one makes OpenTofu print a warning before its version, and Terraform refuse to start.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Product is the name a CLI prints in front of its version.
type Product string

// The two CLIs that the provider supports.
const (
	Terraform Product = "Terraform"
	OpenTofu  Product = "OpenTofu"
)

// The oldest version of either CLI this provider supports.
const (
	oldestMajor = 1
	oldestMinor = 8
)

// inspectTimeout bounds `version`, which answers within a second on an idle machine; a CLI that hangs must not hang the
// caller.
const inspectTimeout = time.Minute

// CLI is one executable that has answered `version`.
type CLI struct {
	// Path is absolute.
	Path string

	Product Product

	// Version is what the CLI prints, without the leading "v": "1.11.4".
	Version string

	major, minor int
}

// AtLeast reports whether the version is major.minor or later. A pre-release counts as the version it leads to.
func (c *CLI) AtLeast(major, minor int) bool {
	return c.major > major || c.major == major && c.minor >= minor
}

// String is fit for a progress line: "OpenTofu 1.12.6 (/usr/bin/tofu)".
func (c *CLI) String() string {
	return fmt.Sprintf("%s %s (%s)", c.Product, c.Version, c.Path)
}

func (c *CLI) supported() bool {
	return c.AtLeast(oldestMajor, oldestMinor)
}

var versionLine = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v((\d+)\.(\d+)\.\d+\S*)`)

// Inspect asks the executable at path for its product and version.
func Inspect(ctx context.Context, path string) (*CLI, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the CLI: %w", err)
	}
	// An empty directory, because `version` also reads the dependency lock file of the directory it runs in.
	dir, err := os.MkdirTemp("", "einvoice-cli-")
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := WriteEmptyConfig(dir)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	cmd.Dir = dir
	cmd.Env = Environ(os.Environ(), config)
	cmd.WaitDelay = time.Second
	out, err := Output(cmd)
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return nil, fmt.Errorf("%s is neither Terraform nor OpenTofu: `version` answered %q", path, firstLine(out))
	}
	found := &CLI{Path: path, Product: Product(match[1]), Version: string(match[2])}
	// The pattern lets only digits through; a number too long for an int reads as a very late version.
	found.major, _ = strconv.Atoi(string(match[3]))
	found.minor, _ = strconv.Atoi(string(match[4]))
	return found, nil
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}
