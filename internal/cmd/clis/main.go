// Command clis finds a Terraform or OpenTofu CLI for the provider's tests.
//
//	go run ./internal/cmd/clis -want any|terraform|tofu|PATH
//
// prints the path of the CLI. With a command after the flags, it runs that command with the acceptance tests switched
// on for the CLI instead:
//
//	go run ./internal/cmd/clis -want tofu go test ./internal/provider
//
// An argument "{}" of the command stands for the path of the CLI:
//
//	go run ./internal/cmd/clis {} fmt -recursive examples
//
// Where PATH has no CLI and the wish allows it, OpenTofu is built once from its Go module into the user's cache
// directory; see package cli.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

func main() {
	want := flag.String("want", cli.WantAny, "the CLI: any, terraform, tofu, or a path")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *want, flag.Args())
	stop()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "clis:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, want string, command []string) error {
	found, err := cli.Find(ctx, want, os.Stderr)
	if err != nil {
		return err
	}
	if len(command) == 0 {
		fmt.Println(found.Path)
		return nil
	}
	dir, err := os.MkdirTemp("", "einvoice-acceptance-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := cli.WriteEmptyConfig(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Using %s.\n", found)
	for i, argument := range command {
		if argument == "{}" {
			command[i] = found.Path
		}
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(found.AcceptanceEnviron(os.Environ(), config), cli.EnvBuildDir+"="+dir)
	// The tests end their own CLIs and sandboxes when they are interrupted.
	cmd.Cancel = func() error { return cli.Interrupt(cmd) }
	cmd.WaitDelay = time.Minute
	return cmd.Run()
}
