// Command install builds the provider, its sandbox and its check program from this checkout, and puts them where they
// are found: the provider into the directory where terraform and tofu look for providers by themselves, and
// einvoice-sandbox and einvoice-check to the other programs that Go has built.
//
//	go run ./internal/cmd/install [-remove | -mirror DIR [-platform linux_amd64] [-host registry.opentofu.org]]
//
// With -remove it takes them away again. With -mirror it installs nothing, and writes the archive of one platform into
// a directory that runners install the provider from.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	remove := flag.Bool("remove", false, "remove what an installation has installed")
	mirror := flag.String("mirror", "", "write the archive of one platform into this directory instead")
	platform := flag.String("platform", runtime.GOOS+"_"+runtime.GOARCH, "the platform of -mirror")
	host := flag.String("host", "registry.terraform.io", "the registry that the CLI of -mirror asks by default")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if *mirror != "" {
		err = writeMirror(ctx, os.Stdout, *mirror, *host, *platform)
	} else {
		err = run(ctx, *remove)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, remove bool) error {
	u := user{system: runtime.GOOS, env: os.Getenv}
	mirror, err := u.pluginDir()
	if err != nil {
		return err
	}
	programs, err := goPrograms(ctx)
	if err != nil {
		return err
	}
	i := installation{mirror: mirror, programs: programs, out: os.Stdout}
	if remove {
		return i.remove()
	}
	if err := i.install(ctx); err != nil {
		return err
	}
	i.explain(u.restrictions())
	return nil
}

// goPrograms is where `go install` puts programs.
func goPrograms(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOBIN", "GOPATH").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for its directories: %w", err)
	}
	bin, path, _ := strings.Cut(string(out), "\n")
	if bin = strings.TrimSpace(bin); bin != "" {
		return bin, nil
	}
	first := filepath.SplitList(strings.TrimSpace(path))
	if len(first) == 0 {
		return "", fmt.Errorf("`go env` names neither GOBIN nor GOPATH")
	}
	return filepath.Join(first[0], "bin"), nil
}
