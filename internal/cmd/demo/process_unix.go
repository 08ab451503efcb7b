//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills what a CLI may have left behind, its providers.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // No such process, as a rule.
	}
}

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
