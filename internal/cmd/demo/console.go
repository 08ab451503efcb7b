package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// patience is how long an interrupted CLI has for ending by itself. It lets the provider finish the exchange with the
// service that is under way.
const patience = 45 * time.Second

// console runs the CLI in one directory and shows what it prints.
type console struct {
	cli     *cli.CLI
	dir     string
	environ []string
	out     io.Writer

	printed string // what the last command printed, unabridged
}

// command is how a user would call the CLI.
func (c *console) command() string {
	name := strings.TrimSuffix(filepath.Base(c.cli.Path), ".exe")
	if found, err := exec.LookPath(name); err == nil && found == c.cli.Path {
		return name
	}
	return c.cli.Path
}

// run shows a command and its output, and returns its exit code. Only a command that could not be run, or was
// interrupted, is an error.
func (c *console) run(ctx context.Context, args ...string) (code int, err error) {
	fmt.Fprintf(c.out, "\n%s $ %s %s\n\n", filepath.Base(c.dir), filepath.Base(c.cli.Path), strings.Join(args, " "))
	var printed bytes.Buffer
	shown := newAbridged(c.out)
	err = c.exec(ctx, io.MultiWriter(&printed, shown), append(args, "-no-color", "-input=false")...)
	shown.flush()
	c.printed = printed.String()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// mustRun fails when the command does.
func (c *console) mustRun(ctx context.Context, args ...string) error {
	code, err := c.run(ctx, args...)
	if err != nil {
		return err
	}
	return promised(code == 0, text.Of("demo.broken_command", text.With{"command": strings.Join(args, " "), "code": code}))
}

// output reads an output value, without showing it.
func (c *console) output(ctx context.Context, name string) (string, error) {
	var printed bytes.Buffer
	if err := c.exec(ctx, &printed, "output", "-raw", "-no-color", name); err != nil {
		return "", errors.Join(text.NewError("demo.broken_output", text.With{"name": name, "cause": err}), errors.New(printed.String()))
	}
	return strings.TrimSpace(printed.String()), nil
}

// exec runs the CLI in a process group of its own. The terminal's Ctrl-C does not reach it there, so it is interrupted
// exactly once, and not killed half-way as by a second one; and whatever should be left of it can be ended.
func (c *console) exec(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, c.cli.Path, args...)
	cmd.Dir, cmd.Env = c.dir, c.environ
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Cancel = func() error { return cli.Interrupt(cmd) }
	cmd.WaitDelay = patience
	cli.OwnGroup(cmd)
	err := cmd.Run()
	if cmd.Process != nil {
		_ = cli.SignalGroup(cmd, syscall.SIGKILL) // Nothing is left, as a rule.
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
