package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/einvoice-br/terraform-provider-einvoice/internal/cli"
)

// writeMirror runs in the root of a checkout. It builds the provider for one platform, as a release does, and writes
// its archive where a CLI looks for it in a filesystem mirror.
func writeMirror(ctx context.Context, out io.Writer, dir, host, platform string) error {
	system, architecture, ok := strings.Cut(platform, "_")
	if !ok {
		return fmt.Errorf("%q is no platform such as linux_amd64", platform)
	}
	version, err := version()
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "einvoice-mirror-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	program := "terraform-provider-einvoice_v" + version
	if system == "windows" {
		program += ".exe"
	}
	fmt.Fprintln(out, "Building for", platform+". The first build for a platform takes a few minutes.")
	// Without cgo, the program runs in any container. Without the commit in it, the same code has the same checksum.
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w -X main.version="+version,
		"-o", filepath.Join(temporary, program), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	if _, err := cli.Output(build); err != nil {
		return fmt.Errorf("building the provider for %s: %w", platform, err)
	}
	archive := filepath.Join(dir, host, "einvoice-br", "einvoice", "terraform-provider-einvoice_"+version+"_"+platform+".zip")
	if err := writeArchive(archive, filepath.Join(temporary, program)); err != nil {
		return err
	}
	fmt.Fprintf(out, `Wrote %s

Now record its checksum, in the directory of the configuration. If it uses modules, run terraform get first:

    terraform providers lock -fs-mirror=%q -platform=%s einvoice-br/einvoice
`, archive, filepath.ToSlash(dir), platform)
	return nil
}

// writeArchive zips a program. The archive has no times, so that the same program makes the same one.
func writeArchive(archive, program string) error {
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil { //nolint:gosec // As everything beside it is made.
		return err
	}
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	header := &zip.FileHeader{Name: filepath.Base(program), Method: zip.Deflate}
	header.SetMode(0o755)
	writer := zip.NewWriter(file)
	entry, err := writer.CreateHeader(header)
	if err == nil {
		_, err = entry.Write(content)
	}
	return errors.Join(err, writer.Close(), file.Close())
}
