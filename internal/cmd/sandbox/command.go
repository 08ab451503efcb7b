package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/text"
)

// errInterrupted is the cause of a run that somebody interrupts at the terminal.
var errInterrupted = errors.New("interrupted")

// runCommand runs a command against the service and returns its *exec.ExitError where it fails.
func runCommand(
	ctx context.Context, chosen settings, baseURL, key, cache string, out, diagnostics io.Writer,
) error {
	cmd := exec.CommandContext(ctx, chosen.command[0], chosen.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, diagnostics
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "EINVOICE_") || strings.HasPrefix(entry, text.EnvLanguage+"=") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "EINVOICE_BASE_URL="+baseURL, "EINVOICE_API_KEY="+key, "EINVOICE_CACHE_DIR="+cache)
	if !chosen.options.RateLimit {
		cmd.Env = append(cmd.Env, "EINVOICE_REQUESTS_PER_MINUTE=0", "EINVOICE_REQUESTS_PER_SECOND=0")
	}
	cmd.Cancel = func() error {
		// A terminal interrupts the command by itself, and a CLI that is interrupted twice ends without saving its
		// state.
		if errors.Is(context.Cause(ctx), errInterrupted) {
			return os.ErrProcessDone
		}
		if cmd.Process.Signal(syscall.SIGTERM) != nil {
			return cmd.Process.Kill() // Windows knows no other way.
		}
		return nil
	}
	if err := cmd.Start(); err != nil {
		return text.NewError("sandbox.command_failed", text.With{"command": chosen.command[0], "cause": err})
	}
	return cmd.Wait()
}
