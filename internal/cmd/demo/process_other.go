//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// Where there are no process groups, the terminal's Ctrl-C reaches the CLI by itself, and ending it ends its providers.

func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func interrupt(p *os.Process) error { return p.Kill() }
