package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The registries' names for this provider. Each CLI looks for its own registry's name behind `source =
// "einvoice-br/einvoice"`, so overrides name both.
const (
	namespace      = "einvoice-br"
	terraformHost  = "registry.terraform.io"
	openTofuHost   = "registry.opentofu.org"
	providerBinary = "terraform-provider-einvoice"
)

// WriteEmptyConfig writes a CLI configuration into dir that changes nothing, and returns its path. It stands in for
// whatever the user has configured.
func WriteEmptyConfig(dir string) (string, error) {
	return writeConfig(dir, "empty.tfrc", "")
}

// WriteDevOverrides writes a CLI configuration into dir that makes both CLIs take this provider from providerDir (see
// BuildProvider), and returns its path. `init` is then neither needed nor useful for a configuration that uses no other
// provider and no backend.
func WriteDevOverrides(dir, providerDir string) (string, error) {
	providerDir, err := filepath.Abs(providerDir)
	if err != nil {
		return "", fmt.Errorf("writing the CLI configuration: %w", err)
	}
	content := "provider_installation {\n  dev_overrides {\n"
	for _, host := range hosts {
		content += fmt.Sprintf("    %s = %s\n", quote(host+"/"+namespace+"/einvoice"), quote(filepath.ToSlash(providerDir)))
	}
	return writeConfig(dir, "dev-overrides.tfrc", content+"  }\n  direct {}\n}\n")
}

// MirrorDirs are the directories below a mirror of providers where the two CLIs look for this one.
func MirrorDirs(mirror string) []string {
	var dirs []string
	for _, host := range hosts {
		dirs = append(dirs, filepath.Join(mirror, host, namespace, "einvoice"))
	}
	return dirs
}

var hosts = []string{terraformHost, openTofuHost}

// quote writes s as a string of HCL, which knows Go's escapes and, beyond them, opens a template with "${" and "%{".
func quote(s string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(s))
}

func writeConfig(dir, name, content string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return "", fmt.Errorf("writing the CLI configuration: %w", err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("writing the CLI configuration: %w", err)
	}
	return path, nil
}

// Environ is base for running a CLI with configFile as its only configuration: without the variables that redirect it
// and without its check for updates. Variables of the provider stay.
func Environ(base []string, configFile string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(redirecting, name) || strings.HasPrefix(name, "TF_CLI_ARGS")
	})
	// Clipped, so that those who each append to it do not write over each other.
	return slices.Clip(append(env, "TF_CLI_CONFIG_FILE="+configFile, "CHECKPOINT_DISABLE=1"))
}

var redirecting = []string{
	"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG", "TF_DATA_DIR", "TF_WORKSPACE", "TF_REATTACH_PROVIDERS",
	"TF_PLUGIN_CACHE_DIR", "CHECKPOINT_DISABLE",
}

// EnvBuildDir names a directory that the test processes of one run share, so that
// the provider is built once for all of them.
const EnvBuildDir = "EINVOICE_TEST_BUILD_DIR"

// BuiltProvider builds the provider into a directory below dir. It returns the executable, and the environment that
// makes a CLI use it, without the variables of the user.
func BuiltProvider(ctx context.Context, dir string) (executable string, environ []string, err error) {
	providers := filepath.Join(dir, "provider")
	if executable, err = BuildProvider(ctx, providers); err != nil {
		return "", nil, err
	}
	config, err := WriteDevOverrides(dir, providers)
	own := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "EINVOICE_") || strings.HasPrefix(entry, "TF_")
	})
	return executable, Environ(own, config), err
}

// AcceptanceEnviron is Environ for `go test`: it also switches the acceptance tests on and tells
// terraform-plugin-testing which CLI to run and under which name that CLI looks for the provider.
func (c *CLI) AcceptanceEnviron(base []string, configFile string) []string {
	env := append(Environ(base, configFile),
		"TF_ACC=1",
		"TF_ACC_TERRAFORM_PATH="+c.Path,
		"TF_ACC_PROVIDER_NAMESPACE="+namespace,
	)
	host := terraformHost
	if c.Product == OpenTofu {
		host = openTofuHost
	}
	return append(env, "TF_ACC_PROVIDER_HOST="+host)
}

// BuildProvider builds the provider of this module into dir, under the name the CLIs expect, and returns the path of
// the executable. It needs `go` on PATH and a working directory inside the module.
func BuildProvider(ctx context.Context, dir string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(dir, providerBinary+executableSuffix()))
	if err != nil {
		return "", fmt.Errorf("building the provider: %w", err)
	}
	// Without the commit in it, the program has another checksum only where the code is another one.
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", path, ".")
	cmd.Dir = root
	cmd.WaitDelay = 5 * time.Second
	if _, err := Output(cmd); err != nil {
		return "", fmt.Errorf("building the provider: %w", err)
	}
	return path, nil
}

// moduleRoot is the directory of the go.mod that governs the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("finding this module with `go env GOMOD`: %w", err)
	}
	gomod := strings.TrimSpace(string(out))
	if gomod == "" || gomod == os.DevNull {
		return "", fmt.Errorf("not inside this module: run it from a checkout of %s", providerBinary)
	}
	return filepath.Dir(gomod), nil
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
