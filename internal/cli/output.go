package cli

import (
	"bytes"
	"fmt"
	"os/exec"
)

// Output runs a command and returns its standard output alone: a tool that downloads something
// says so on standard error. Where the command fails, the error has both.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("%w\n%s%s", err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes(), nil
}
