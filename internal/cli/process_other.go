//go:build !unix

package cli

import (
	"os/exec"
	"syscall"
)

// Where there are no process groups, the terminal's Ctrl-C reaches a command by itself, and a CLI can only be killed,
// which ends its providers too.

// OwnGroup does nothing.
func OwnGroup(*exec.Cmd) {}

// SignalGroup kills the command.
func SignalGroup(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Process.Kill() }

// Interrupt kills the command.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
