//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup lets a command start in a process group of its own: the terminal's Ctrl-C does not reach it there, and it
// can be signaled together with what it starts.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// SignalGroup signals a command that has a group of its own, and what it has started.
func SignalGroup(cmd *exec.Cmd, signal syscall.Signal) error {
	return syscall.Kill(-cmd.Process.Pid, signal)
}

// Interrupt asks a command to end, as Ctrl-C does.
func Interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) }
